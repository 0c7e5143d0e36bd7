"""A collection as an object: what notebooks and scripts call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import psycopg

from stcollection.api import uploads
from stcollection.api.context import Context, Counter, pack
from stcollection.api.evaluation import RunScores
from stcollection.api.face import Frame, speaking
from stcollection.api.frames import checked, column, columns_of, frame_of_cursor, texts
from stcollection.api.ranking import page, rank
from stcollection.api.settings import settings_of
from stcollection.api.stages import RANKED, CorpusStage, QrelsStage, RunsStage, TextStage, TopicsStage, VectorsStage
from stcollection.api.streams import Streams
from stcollection.api.tables import Records
from stcollection.cells import html_table
from stcollection.db.connection import connect, conninfo
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, translate
from stcollection.evaluation.incoming import make_runs
from stcollection.io.datasets import AS_FOUND, DataOptions, RecognisedFile, recognise
from stcollection.moved import warn_moved
from stcollection.qrels.load import JudgmentOptions
from stcollection.retrieval import System
from stcollection.retrieval.filters import Filter
from stcollection.retrieval.fuse import Fused, FusionRule, fuse
from stcollection.retrieval.run import Ran
from stcollection.vectors.model import Encoder

if TYPE_CHECKING:
    from stcollection.api.complexity import Complexity

# The names of version 0.1.
_MOVED = {
    "add_run": "runs.add",
    "import_runs": "runs.load",
    "export_run": "runs.export",
    "drop_runs": "runs.drop",
    "run_frame": "runs.frame",
    "load_ir_dataset": "corpus.load_ir_dataset",
}


class Collection(RunScores[Frame], Streams[Frame]):
    """An open collection; a context manager, closed at the end of the block. :func:`stcollection.open` makes one.

    >>> c = stcollection.open("mine")
    >>> c.run("bm25")
    >>> c.leaderboard()

    Columns are named as in PyTerrier: ``qid``, ``query``, ``docno``, ``score``, ``rank``, ``label``. ``rank`` counts from 1, as in
    the tables and in files of TREC; only what :meth:`terrier` returns counts from 0, as PyTerrier does.

    :param frame: of each method: ``pandas`` or ``polars``; None is the one the collection was opened with.
    """

    connection: psycopg.Connection
    kind: str
    progress: bool | None

    def __init__(self, settings: Settings, *, frame: str = "pandas", progress: bool | None = None) -> None:
        self.settings = settings
        self.kind = checked(frame)
        self.progress = progress
        self.connection = connect(settings, autocommit=True)
        # A notebook is open for days: what it had prepared would fail once an upgrade has changed the columns of an answer.
        self.connection.prepare_threshold = None

    @classmethod
    @speaking
    def open(
        cls,
        db: str | None = None,
        *,
        dsn: str | None = None,
        home: str | Path | None = None,
        frame: str = "pandas",
        progress: bool | None = None,
    ) -> Self:
        """As :func:`stcollection.open`."""
        return cls(settings_of(db, dsn, home), frame=frame, progress=progress)

    @classmethod
    @speaking
    def create(
        cls,
        db: str,
        *,
        dsn: str | None = None,
        home: str | Path | None = None,
        frame: str = "pandas",
        progress: bool | None = None,
        exist_ok: bool = False,
    ) -> Self:
        """As :func:`stcollection.create`."""
        from stcollection.db import collections  # with Alembic, which a collection that is opened does not need

        settings = settings_of(db, dsn, home)
        try:
            collections.create(settings, exist_ok=exist_ok)
        except BadArgument as error:
            if settings.db in {one.name for one in collections.collections(settings)}:
                error.hint = f"stcollection.open({settings.db!r}) opens it."
            raise
        return cls(settings, frame=frame, progress=progress)

    @property
    def dsn(self) -> str:
        """By which workers connect; it may have a password."""
        return conninfo(self.settings)

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

    def _repr_html_(self) -> str:
        if self.connection.closed:
            return html_table(["collection"], [[repr(self)]])
        rows = self.connection.execute(
            "SELECT (SELECT count(*) FROM dblp WHERE NOT stub), (SELECT count(*) FROM st1_queries WHERE text IS NOT NULL),"
            " ARRAY(SELECT edition FROM qrels_editions ORDER BY edition), ARRAY(SELECT run FROM st1_runs ORDER BY run)"
        ).fetchall()
        return html_table(["collection", "documents", "queries", "editions", "runs"], [[self.name, *row] for row in rows])

    # stages ---------------------------------------------------------------------------------------------------------------

    @cached_property
    def corpus(self) -> CorpusStage[Frame]:
        """The documents: ``load``, ``rejects``, ``count``."""
        return CorpusStage(*self._stage())

    @cached_property
    def text(self) -> TextStage[Frame]:
        """The text index: ``index``, ``status``."""
        return TextStage(*self._stage())

    @cached_property
    def vectors(self) -> VectorsStage[Frame]:
        """Embeddings: ``embed``, ``index``."""
        return VectorsStage(*self._stage())

    @cached_property
    def topics(self) -> TopicsStage[Frame]:
        """Topics and queries: ``add``."""
        return TopicsStage(*self._stage())

    @cached_property
    def qrels(self) -> QrelsStage[Frame]:
        """Judgments: ``add``, ``editions``, ``drop``; called with an edition, what it says."""
        return QrelsStage(*self._stage())

    @cached_property
    def runs(self) -> RunsStage[Frame]:
        """Runs: ``add``, ``load``, ``frame``, ``export``, ``drop``; called, a list of them."""
        return RunsStage(*self._stage())

    @cached_property
    def complexity(self) -> Complexity[Frame]:
        """Readability, credibility, and people's grades of both; see :class:`~stcollection.api.complexity.Complexity`."""
        from stcollection.api.complexity import Complexity

        return Complexity(*self._stage())

    if not TYPE_CHECKING:  # a misspelt name stays an error for type checkers

        def __getattr__(self, name: str) -> Any:
            if name not in _MOVED:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            warn_moved(f"Collection.{name}", f"Collection.{_MOVED[name]}", stacklevel=3)
            return attrgetter(_MOVED[name])(self)

    # a whole data set -----------------------------------------------------------------------------------------------------

    def load(self, *paths: str | Path, options: DataOptions = AS_FOUND, unknown_documents: str = "stub") -> Records[RecognisedFile]:
        """Load the documents, topics and judgments of files or folders, or ``irds:NAME``, as ``stc load`` does.

        >>> c.load("scifact/")
        >>> c.load("papers.csv", "queries.tsv", "judged.qrels", options=DataOptions(edition="test"))

        Files are recognised by content. Runs are listed and not loaded: ``c.runs.load`` does that.

        :param unknown_documents: of judgments: ``stub``, ``skip`` or ``error``.
        :returns: the files, each with its role, as they were understood.
        :raises BadInput: a file may hold one thing or another; nothing is stored.
        """
        found = recognise([str(path) for path in paths], options)
        if documents := [one.path for one in found.of("corpus")]:
            self.corpus.load(*documents, map=str(options.fields) or None)
        if queries := [one.path for one in found.of("topics")]:
            self.topics.add(*queries, field=options.field)
        for one in found.of("qrels"):
            read = JudgmentOptions(best_grade=1 if one.best_first else None, unknown_documents=unknown_documents)
            self.qrels.add(one.path, edition=one.edition, options=read)
        return Records(found.files)

    # searching ------------------------------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        system: System | str = "hybrid",
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
        return self._frame(list(types), [line[:6] for line in lines], frame, types=types)

    def search_many(
        self,
        queries: Any,
        system: System | str = "hybrid",
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
        return self._frame(list(RANKED), ((names[place], *ranked) for place, *ranked in found), frame, types=RANKED)

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
        system: System | str,
        name: str | None = None,
        *,
        depth: int = 1000,
        team: str | None = None,
        replace: bool = False,
        filter: Filter | None = None,
        model: str | Encoder | None = None,
    ) -> Ran:
        """Store what a system finds for all queries as a run, named like the system unless it gets a name.

        >>> c.run("hybrid")
        >>> c.run("bm25", "bm25-2015", depth=100, filter={"year": [2015, None]})

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

    # tables ---------------------------------------------------------------------------------------------------------------

    @translate()
    def sql(self, query: str, params: Sequence[Any] | Mapping[str, Any] | None = None, *, frame: str | None = None) -> Frame:
        """What an SQL statement returns; None for one that returns no rows.

        :param params: for ``%s`` or ``%(name)s`` in it; without them a ``%`` is a ``%``.
        :raises StcError: what PostgreSQL says, by its SQLSTATE.
        """
        made: Frame = frame_of_cursor(self.connection.execute(query, params), frame or self.kind)
        return made

    def register(self, name: str, frame: Any) -> int:
        """Put a frame into a temporary table to join with in :meth:`sql`; see :func:`~stcollection.api.uploads.register`."""
        return uploads.register(self.connection, name, frame)

    def queries(self, edition: str | None = None, *, frame: str | None = None) -> Frame:
        """The queries that have a text (those judged in an edition, if one is named): qid, query, as PyTerrier's topics."""
        return self._frame(["qid", "query"], self.queries_iter(edition), frame, types={"qid": str, "query": str})
