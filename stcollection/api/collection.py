"""A collection as an object: what notebooks and scripts call."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import psycopg

from stcollection.api import iterators, uploads
from stcollection.api.context import Context, Counter, pack
from stcollection.api.frames import Frame, checked, column, columns_of, frame_of, frame_of_cursor, noted, texts
from stcollection.api.iterators import Rows, Store, require_edition
from stcollection.api.ranking import page, rank
from stcollection.api.records import Document, Qrel, Query, ScoredDoc
from stcollection.api.stages import RANKED, CorpusStage, QrelsStage, RunsStage, TextStage, TopicsStage, VectorsStage
from stcollection.db.collections import create
from stcollection.db.connection import connect, conninfo
from stcollection.db.settings import Settings, read_settings
from stcollection.errors import translate
from stcollection.evaluation.incoming import make_runs
from stcollection.evaluation.measures import OFFICIAL, Measure, parse_measure
from stcollection.evaluation.readability import QueryReadability, Readability, query_readability, readability
from stcollection.evaluation.score import leaderboard, score
from stcollection.retrieval.filters import Filter
from stcollection.retrieval.fuse import Fused, FusionRule, fuse
from stcollection.retrieval.run import Ran
from stcollection.runs.listing import require_run
from stcollection.vectors.model import Encoder

if TYPE_CHECKING:
    from stcollection.api.analyses import Analyses
    from stcollection.api.complexity import Complexity
    from stcollection.api.terrier import Retriever, TextLoader

# The names of version 0.1.
_MOVED = {
    "add_run": "runs.add",
    "import_runs": "runs.load",
    "export_run": "runs.export",
    "drop_runs": "runs.drop",
    "run_frame": "runs.frame",
    "load_ir_dataset": "corpus.load_ir_dataset",
}
Measures = Iterable[Any]  # names, our measures, or those of ir_measures


class Collection:
    """An open collection; a context manager, closed at the end of the block. :func:`stcollection.open` makes one.

    Columns are named as in PyTerrier: ``qid``, ``query``, ``docno``, ``score``, ``rank``, ``label``. ``rank`` counts from 1, as in
    the tables and in files of TREC; only what :meth:`terrier` returns counts from 0, as PyTerrier does.

    :param frame: of each method: ``pandas`` or ``polars``; None is the one the collection was opened with.
    """

    def __init__(self, settings: Settings, *, frame: str = "pandas") -> None:
        self.settings = settings
        self.frame = checked(frame)
        self.connection = connect(settings, autocommit=True)
        # A notebook is open for days: what it had prepared would fail once an upgrade has changed the columns of an answer.
        self.connection.prepare_threshold = None

    @classmethod
    def open(cls, db: str | None = None, *, dsn: str | None = None, home: str | Path | None = None, frame: str = "pandas") -> Self:
        """As :func:`stcollection.open`."""
        return cls(_settings(db, dsn, home), frame=frame)

    @classmethod
    def create(
        cls, db: str, *, dsn: str | None = None, home: str | Path | None = None, frame: str = "pandas", exist_ok: bool = False
    ) -> Self:
        """As :func:`stcollection.create`."""
        settings = _settings(db, dsn, home)
        create(settings, exist_ok=exist_ok)
        return cls(settings, frame=frame)

    @property
    def name(self) -> str:
        """The database."""
        return self.settings.db

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Collection({self.name!r}{', closed' if self.connection.closed else ''})"

    # stages ---------------------------------------------------------------------------------------------------------------

    @cached_property
    def corpus(self) -> CorpusStage:
        """The documents: ``load``."""
        return CorpusStage(self.connection, conninfo(self.settings), self.frame)

    @cached_property
    def text(self) -> TextStage:
        """The text index: ``index``, ``status``."""
        return TextStage(self.connection, conninfo(self.settings), self.frame)

    @cached_property
    def vectors(self) -> VectorsStage:
        """Embeddings: ``embed``, ``index``."""
        return VectorsStage(self.connection, conninfo(self.settings), self.frame)

    @cached_property
    def topics(self) -> TopicsStage:
        """Topics and queries: ``add``."""
        return TopicsStage(self.connection, conninfo(self.settings), self.frame)

    @cached_property
    def qrels(self) -> QrelsStage:
        """Judgments: ``add``, ``editions``, ``drop``; called with an edition, what it says."""
        return QrelsStage(self.connection, conninfo(self.settings), self.frame)

    @cached_property
    def runs(self) -> RunsStage:
        """Runs: ``add``, ``load``, ``frame``, ``export``, ``drop``; called, a list of them."""
        return RunsStage(self.connection, conninfo(self.settings), self.frame)

    @cached_property
    def analysis(self) -> Analyses:
        """Significance, impact of editions, agreement, reusability, figures; see :class:`~stcollection.api.analyses.Analyses`."""
        from stcollection.api.analyses import Analyses

        return Analyses(self.connection, kind=self.frame)

    @cached_property
    def complexity(self) -> Complexity:
        """Readability, credibility, and people's grades of both; see :class:`~stcollection.api.complexity.Complexity`."""
        from stcollection.api.complexity import Complexity

        return Complexity(self.connection, conninfo(self.settings), kind=self.frame)

    def __getattr__(self, name: str) -> Any:
        if name not in _MOVED:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        warnings.warn(
            f"Collection.{name} is now Collection.{_MOVED[name]}; the old name goes in version 0.3", FutureWarning, stacklevel=2
        )
        return attrgetter(_MOVED[name])(self)

    # searching ------------------------------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        system: str = "hybrid",
        *,
        k: int = 10,
        filter: Filter | None = None,
        model: str | None = None,
        frame: str | None = None,
    ) -> Frame:
        """The k best documents of a query: rank, score, docno, year, title, snippet (the sentence with the most of its words).

        :param filter: as ``{"year": [2015, None], "venue": "sigir"}``. :param model: short name of an embedding model.
        :raises UnknownObject: no such system or model. :raises BadArgument: k below 1, a filter that cannot be read.
        :raises StateError: no text index, or no vectors.
        """
        lines = page(self.connection, query, system=system, k=k, filter=filter, model=model)
        types = {"rank": int, "score": float, "docno": str, "year": int, "title": str, "snippet": str}
        return frame_of(list(types), [line[:6] for line in lines], frame or self.frame, types=types)

    def search_many(
        self,
        queries: Any,
        system: str = "hybrid",
        *,
        k: int = 1000,
        filter: Filter | None = None,
        model: str | None = None,
        frame: str | None = None,
    ) -> Frame:
        """The k best documents of each of some queries, by one statement: qid, docno, rank, score.

        :param queries: a frame with the columns ``qid`` and ``query``, or a mapping of qid to query text.
        :raises UnknownObject, BadArgument, StateError: as :meth:`search`.
        """
        if isinstance(queries, Mapping) and all(isinstance(text, str) for text in queries.values()):
            columns: dict[str, list[Any]] = {"qid": list(queries), "query": list(queries.values())}
        else:
            columns = columns_of(queries)
        names = texts(column(columns, "qid", "query_id"), "qid")
        wanted = texts(column(columns, "query", "text"), "query")
        found = rank(self.connection, wanted, system=system, k=k, filter=filter, model=model)
        return frame_of(list(RANKED), ((names[place], *ranked) for place, *ranked in found), frame or self.frame, types=RANKED)

    def rag_context(
        self,
        query: str,
        k: int = 10,
        tokens: int = 2000,
        *,
        system: str = "hybrid",
        passages: str = "sentence",
        filter: Filter | None = None,
        model: str | None = None,
        count: Counter | None = None,
    ) -> Context:
        """Passages of the best documents with their docnos, for a language model; see :func:`~stcollection.api.context.pack`.

        :param k: documents at most. :param tokens: of the whole text at most.
        :param passages: ``sentence``, the one with the most words of the query, or ``abstract``.
        :param count: tokens of a text, as the language model counts them; None is the default embedding model's tokenizer.
        :raises UnknownObject, BadArgument, StateError: as :meth:`search`.
        """
        lines = page(self.connection, query, system=system, k=k, filter=filter, model=model)
        return pack(lines, tokens=tokens, passages=passages, count=count)

    # runs -----------------------------------------------------------------------------------------------------------------

    def run(
        self,
        system: str,
        name: str | None = None,
        *,
        depth: int = 1000,
        team: str | None = None,
        replace: bool = False,
        filter: Filter | None = None,
        model: str | Encoder | None = None,
    ) -> Ran:
        """Store what a system finds for all queries as a run, named like the system unless it gets a name.

        The other parameters and errors are those of :func:`stcollection.retrieval.run.run`.
        """
        made = make_runs(self.connection, [system], name=name, depth=depth, team=team, replace=replace, filter=filter, model=model)
        return next(iter(list(made)))

    def fuse(
        self,
        name: str,
        runs: Sequence[str],
        *,
        method: str = "rrf",
        norm: str = "minmax",
        weights: Mapping[str, float] | None = None,
        depth: int = 1000,
        replace: bool = False,
    ) -> Fused:
        """Fuse stored runs into a new run; see :func:`stcollection.retrieval.fuse.fuse`."""
        rule = FusionRule(method=method, norm=norm)
        return fuse(self.connection, name=name, runs=runs, rule=rule, weights=weights, depth=depth, replace=replace)

    # evaluation -----------------------------------------------------------------------------------------------------------

    def score(
        self,
        runs: str | Sequence[str] | None = None,
        *,
        edition: str,
        measures: Measures = ("nDCG@10", "AP"),
        per_query: bool = False,
        complete: bool = True,
        frame: str | None = None,
    ) -> Frame:
        """Scores of stored runs, equal to trec_eval's: run and a column a measure, means over the edition's queries, best first.

        :param runs: a name or several; all if None. :param measures: as ``nDCG@10``, ``map``, or objects of ir_measures.
        :param per_query: run, qid, measure, value instead. :param complete: a query without a ranking scores 0 (trec_eval -c).
        :raises UnknownObject: a run, the edition or a measure is not there.
        """
        wanted = [one if isinstance(one, Measure) else parse_measure(str(one)) for one in measures]
        names = [runs] if isinstance(runs, str) else list(runs or ())
        kind = frame or self.frame
        if per_query:
            scores = score(self.connection, runs=names, edition=edition, measures=wanted, complete=complete)
            types = {"run": str, "qid": str, "measure": str, "value": float}
            made = frame_of(list(types), [(one.run, one.query, str(one.measure), one.value) for one in scores], kind, types=types)
            return noted(made, self.connection, edition)
        standings = leaderboard(self.connection, edition=edition, measures=wanted, runs=names, complete=complete)
        types = {"run": str, **{str(one): float for one in wanted}}
        made = frame_of(list(types), [(one.run, *one.values) for one in standings], kind, types=types)
        return noted(made, self.connection, edition)

    def leaderboard(self, edition: str, *, measures: Measures = OFFICIAL, frame: str | None = None) -> Frame:
        """All stored runs, best first by the first measure: run and a column a measure."""
        return self.score(edition=edition, measures=measures, frame=frame)

    def readability(
        self,
        runs: str | Sequence[str] | None = None,
        *,
        k: int = 10,
        edition: str | None = None,
        measure: str = "textstat_fkgl",
        per_query: bool = False,
        frame: str | None = None,
    ) -> Frame:
        """How readable and credible the first k documents a query of stored runs are: a row a run, by name, of the fields of
        :class:`~stcollection.evaluation.readability.Readability`.

        :param runs: a name or several; all if None. :param edition: only the queries it judges.
        :param measure: which Flesch-Kincaid grade level: ``textstat_fkgl`` or ``cmu_fkgl``.
        :param per_query: a row a run and qid instead.
        :raises UnknownObject: a run, the edition or the measure is not there. :raises BadArgument: k below 1.
        :raises StateError: no readability has been computed.
        """
        names = [runs] if isinstance(runs, str) else list(runs or ())
        fields = ["run", "qid" if per_query else "queries", *Readability._fields[2:]]
        read = query_readability if per_query else readability
        found: Sequence[Readability | QueryReadability] = read(self.connection, runs=names, k=k, edition=edition, measure=measure)
        types = {**dict.fromkeys(fields[1:5], int), **dict.fromkeys(fields[5:], float), "run": str, "qid": str}
        return frame_of(fields, found, frame or self.frame, types=types)

    # tables ---------------------------------------------------------------------------------------------------------------

    @translate()
    def sql(self, query: str, params: Sequence[Any] | Mapping[str, Any] | None = None, *, frame: str | None = None) -> Frame:
        """What an SQL statement returns; None for one that returns no rows.

        :param params: for ``%s`` or ``%(name)s`` in it; without them a ``%`` is a ``%``.
        :raises StcError: what PostgreSQL says, by its SQLSTATE.
        """
        return frame_of_cursor(self.connection.execute(query, params), frame or self.frame)

    def register(self, name: str, frame: Any) -> int:
        """Put a frame into a temporary table to join with in :meth:`sql`; see :func:`~stcollection.api.uploads.register`."""
        return uploads.register(self.connection, name, frame)

    def queries(self, edition: str | None = None, *, frame: str | None = None) -> Frame:
        """The queries that have a text (those judged in an edition, if one is named): qid, query, as PyTerrier's topics."""
        return frame_of(["qid", "query"], self.queries_iter(edition), frame or self.frame, types={"qid": str, "query": str})

    # in the manner of ir_datasets -------------------------------------------------------------------------------------------

    def docs_iter(self) -> Rows[Document]:
        """The documents, by id, streamed; can be sliced. Stubs are none."""
        return iterators.documents(self._connect)

    def docs_count(self) -> int:
        return self.corpus.count()

    def docs_store(self) -> Store:
        """Documents by docno: ``get``, ``get_many``, ``get_many_iter``."""
        return Store(self._connect)

    def queries_iter(self, edition: str | None = None) -> Rows[Query]:
        """The queries that have a text, in their order; those judged in an edition, if one is named."""
        if edition is not None:
            require_edition(self.connection, edition)
        return iterators.queries(self._connect, edition)

    def qrels_iter(self, edition: str) -> Rows[Qrel]:
        """What an edition says, by query and docno. :raises UnknownObject: no such edition."""
        require_edition(self.connection, edition)
        return iterators.judgments(self._connect, edition)

    def scoreddocs_iter(self, run: str, edition: str | None = None) -> Rows[ScoredDoc]:
        """The documents of a stored run, by query and rank; for the queries judged in an edition, if one is named.

        :raises UnknownObject: no such run or edition.
        """
        require_run(self.connection, run)
        if edition is not None:
            require_edition(self.connection, edition)
        return iterators.ranked(self._connect, run, edition)

    def as_ir_dataset(self, edition: str | None = None, *, run: str | None = None, name: str | None = None) -> Any:
        """The collection as an ``ir_datasets.Dataset``.

        :param edition: whose judgments, and judged queries, it has. :param run: whose ranking it has as its scoreddocs.
        :param name: to register it under, for ``ir_datasets.load(name)`` and ``pt.get_dataset("irds:" + name)``.
        :raises StateError: ir_datasets is not installed.
        """
        from stcollection.api.dataset import dataset

        return dataset(self, edition=edition, run=run, name=name)

    # PyTerrier --------------------------------------------------------------------------------------------------------------

    def terrier(
        self, system: str = "bm25", *, depth: int = 1000, filter: Filter | None = None, model: str | None = None
    ) -> Retriever:
        """A system as a transformer of PyTerrier: (qid, query) to (qid, query, docno, score, rank), rank from 0.

        :raises StateError: PyTerrier is not installed.
        """
        from stcollection.api.terrier import Retriever

        return Retriever(self, system=system, depth=depth, filter=filter, model=model)

    def text_loader(self) -> TextLoader:
        """A transformer of PyTerrier that adds title and abstract to ranked documents."""
        from stcollection.api.terrier import TextLoader

        return TextLoader(self)

    # ------------------------------------------------------------------------------------------------------------------------

    def _connect(self) -> psycopg.Connection:
        return iterators.connect(conninfo(self.settings))


def _settings(db: str | None, dsn: str | None, home: str | Path | None) -> Settings:
    given = {"STC_DSN": dsn, "STC_HOME": None if home is None else str(home)}
    environ = {**os.environ, **{name: value for name, value in given.items() if value is not None}}
    return read_settings(db=db, environ=environ)
