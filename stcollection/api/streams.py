"""The methods of a collection for other tools: iterators over documents, queries, judgments and rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg

from stcollection.api import iterators
from stcollection.api.face import Frame, Framed
from stcollection.api.iterators import Rows, Store, require_edition
from stcollection.api.records import Document, Qrel, Query, ScoredDoc
from stcollection.api.stages import CorpusStage
from stcollection.db.settings import Settings
from stcollection.retrieval.filters import Filter
from stcollection.runs.listing import require_run

if TYPE_CHECKING:
    from stcollection.api.provider import Provider
    from stcollection.api.terrier import Retriever, TextLoader


class Streams(Framed[Frame]):
    """The methods of a collection for ir_datasets, ir_measures and PyTerrier."""

    if TYPE_CHECKING:
        settings: Settings

        @property
        def name(self) -> str: ...

    def docs_iter(self) -> Rows[Document]:
        """Iterate over the documents, by id, without stubs. The iterator can be sliced."""
        return iterators.documents(self._connect)

    def docs_count(self) -> int:
        return CorpusStage(*self._stage()).count()

    def docs_store(self) -> Store:
        """Return a store of documents by docno: ``get``, ``get_many``, ``get_many_iter``."""
        return Store(self._connect)

    def queries_iter(self, edition: str | None = None) -> Rows[Query]:
        """Iterate over the queries with a text, in stored order; with an edition, only those it judges."""
        if edition is not None:
            require_edition(self.connection, edition)
        return iterators.queries(self._connect, edition)

    def qrels_iter(self, edition: str) -> Rows[Qrel]:
        """Iterate over the judgments of an edition, by query and docno. :raises UnknownObject: the edition does not exist."""
        require_edition(self.connection, edition)
        return iterators.judgments(self._connect, edition)

    def scoreddocs_iter(self, run: str, edition: str | None = None) -> Rows[ScoredDoc]:
        """Iterate over the documents of a stored run, by query and rank; with an edition, only for the queries it judges.

        :raises UnknownObject: the run or edition does not exist.
        """
        require_run(self.connection, run)
        if edition is not None:
            require_edition(self.connection, edition)
        return iterators.ranked(self._connect, run, edition)

    def as_ir_dataset(self, edition: str | None = None, *, run: str | None = None, name: str | None = None) -> Any:
        """Return the collection as an ``ir_datasets.Dataset``.

        :param edition: edition of its qrels; restricts the queries to judged ones. :param run: run to use as its scoreddocs.
        :param name: name to register it under, for ``ir_datasets.load(name)`` and ``pt.get_dataset("irds:" + name)``.
        :raises StateError: ir_datasets is not installed.
        """
        from stcollection.api.dataset import dataset

        return dataset(self, edition=edition, run=run, name=name)

    def terrier(
        self, system: str = "bm25", *, depth: int = 1000, filter: Filter | None = None, model: str | None = None
    ) -> Retriever:
        """Return a system as a PyTerrier transformer: (qid, query) to (qid, query, docno, score, rank), rank from 0.

        :raises StateError: PyTerrier is not installed.
        """
        from stcollection.api.terrier import Retriever

        return Retriever(self, system=system, depth=depth, filter=filter, model=model)

    def provider(self, *, default: bool = False) -> Provider:
        """Return a provider of ir_measures that computes with PostgreSQL, and register it as ``stcollection``.

        >>> c.provider().calc_aggregate([nDCG @ 10], "train", "bm25")
        >>> c.provider().iter_calc([nDCG @ 10], qrels, run)  # frames, dicts, named tuples, or paths of files

        :param default: ``ir_measures.iter_calc``, ``calc`` and ``calc_aggregate`` use it too, instead of other providers.
        :raises StateError: ir_measures is not installed.
        """
        from stcollection.api.provider import Provider

        return Provider(self.settings, self).register(default=default)

    def text_loader(self) -> TextLoader:
        """Return a PyTerrier transformer that adds title and abstract to ranked documents."""
        from stcollection.api.terrier import TextLoader

        return TextLoader(self)

    def _connect(self) -> psycopg.Connection:
        return iterators.connect(self.dsn)
