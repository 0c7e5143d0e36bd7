"""A collection as a dataset of ir_datasets. Needs the package ir_datasets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

import psycopg

from stcollection.api.iterators import Rows, Store
from stcollection.api.records import Document, Qrel, Query, ScoredDoc
from stcollection.corpus.load import load
from stcollection.errors import BadArgument
from stcollection.extras import load_module
from stcollection.io.irdatasets import PREFIX
from stcollection.io.irdatasets import dataset as provided_by
from stcollection.qrels.load import import_qrels
from stcollection.topics.load import load as load_topics

load_module("ir_datasets")
import ir_datasets  # noqa: E402
from ir_datasets.formats import BaseDocs, BaseQrels, BaseQueries, BaseScoredDocs  # noqa: E402
from ir_datasets.indices import Docstore  # noqa: E402


class DatasetSource(Protocol):
    """The source of a dataset: a :class:`~stcollection.api.collection.Collection`, or an object with the same iterators."""

    @property
    def name(self) -> str: ...
    def docs_iter(self) -> Rows[Document]: ...
    def docs_count(self) -> int: ...
    def docs_store(self) -> Store: ...
    def queries_iter(self, edition: str | None = None) -> Rows[Query]: ...
    def qrels_iter(self, edition: str) -> Rows[Qrel]: ...
    def scoreddocs_iter(self, run: str, edition: str | None = None) -> Rows[ScoredDoc]: ...


class _Docstore(Docstore):  # type: ignore[misc]  # ir_datasets is not typed
    def __init__(self, store: Store) -> None:
        super().__init__(Document, "doc_id")
        self._store = store

    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator[Document]:
        return self._store.get_many_iter(doc_ids)


class _Docs(BaseDocs):  # type: ignore[misc]
    def __init__(self, collection: DatasetSource) -> None:
        self._collection = collection

    def docs_iter(self) -> Rows[Document]:
        return self._collection.docs_iter()

    def docs_count(self) -> int:
        return self._collection.docs_count()

    def docs_cls(self) -> type[Document]:
        return Document

    def docs_store(self, **_: object) -> _Docstore:
        return _Docstore(self._collection.docs_store())

    def docs_namespace(self) -> str:
        return self._collection.name

    def docs_lang(self) -> str:
        return "en"


class _Queries(BaseQueries):  # type: ignore[misc]
    def __init__(self, collection: DatasetSource, edition: str | None) -> None:
        self._collection = collection
        self._edition = edition

    def queries_iter(self) -> Rows[Query]:
        return self._collection.queries_iter(self._edition)

    def queries_count(self) -> int:
        return self.queries_iter().count()

    def queries_cls(self) -> type[Query]:
        return Query

    def queries_namespace(self) -> str:
        return self._collection.name

    def queries_lang(self) -> str:
        return "en"


class _Qrels(BaseQrels):  # type: ignore[misc]
    def __init__(self, collection: DatasetSource, edition: str) -> None:
        self._collection = collection
        self._edition = edition

    def qrels_iter(self) -> Rows[Qrel]:
        return self._collection.qrels_iter(self._edition)

    def qrels_count(self) -> int:
        return self.qrels_iter().count()

    def qrels_cls(self) -> type[Qrel]:
        return Qrel

    def qrels_defs(self) -> dict[int, str]:
        return {grade: f"grade {grade}" for grade in sorted({one.relevance for one in self.qrels_iter()})}


class _ScoredDocs(BaseScoredDocs):  # type: ignore[misc]
    def __init__(self, collection: DatasetSource, run: str, edition: str | None) -> None:
        self._collection = collection
        self._run = run
        self._edition = edition

    def scoreddocs_iter(self) -> Rows[ScoredDoc]:
        return self._collection.scoreddocs_iter(self._run, self._edition)

    def scoreddocs_count(self) -> int:
        return self.scoreddocs_iter().count()

    def scoreddocs_cls(self) -> type[ScoredDoc]:
        return ScoredDoc


def dataset(collection: DatasetSource, *, edition: str | None, run: str | None, name: str | None) -> Any:
    """Return the collection as an ``ir_datasets.Dataset``. If a name is given, register it under that name."""
    made = ir_datasets.Dataset(
        _Docs(collection),
        _Queries(collection, edition),
        None if edition is None else _Qrels(collection, edition),
        None if run is None else _ScoredDocs(collection, run, edition),
    )
    return made if name is None else registered(name, made)


_registered_here: set[str] = set()


def registered(name: str, given: Any) -> Any:
    """Register a dataset with ir_datasets, replacing one that this process registered before under the same name.

    :raises BadArgument: the name is in the catalogue of ir_datasets.
    """
    registry = ir_datasets.registry
    if name in registry:
        if name not in _registered_here:
            raise BadArgument(f"ir_datasets already has a dataset {name!r}", hint="Choose another name.")
        del registry._registered[name]  # the registry rejects duplicates, but notebook cells are run repeatedly
    registry.register(name, given)
    _registered_here.add(name)
    return ir_datasets.load(name)


def load_dataset(
    conn: psycopg.Connection, given: Any, *, edition: str | None, name: str | None, field: str, dsn: str
) -> dict[str, int]:
    """Load a dataset; see :meth:`~stcollection.api.stages.CorpusStage.load_ir_dataset`.

    :param dsn: connection string for the processes that load documents.
    """
    if isinstance(given, str):
        name = given
    elif name is not None:
        registered(name, given)
    elif hasattr(given, "dataset_id"):
        name = given.dataset_id()
    else:
        raise BadArgument("the dataset has no name", hint="Give it one with name=.")
    path = f"{PREFIX}{name}"
    provided = provided_by(path)
    loaded: dict[str, int] = {}
    if provided.has_docs():
        [done] = load(dsn, [path])
        loaded["documents"] = done.documents
        loaded["rejects"] = done.rejects
    if provided.has_queries():
        loaded["queries"] = load_topics(conn, [Path(path)], field=field).queries
    if provided.has_qrels() and edition is not None:
        loaded["judgments"] = import_qrels(conn, Path(path), edition=edition).judgments
    return loaded
