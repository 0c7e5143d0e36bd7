"""The class Collection, the entry point for notebooks and scripts."""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import psycopg

from stcollection.analysis.contents import collection_status
from stcollection.api import uploads
from stcollection.api.context import Context, Counter, pack
from stcollection.api.declared import called, framed
from stcollection.api.evaluation import EvaluationStage, RetrievalStage, RunScores
from stcollection.api.face import Frame, Stage, speaking
from stcollection.api.frames import checked, column, columns_of, frame_of_cursor, texts
from stcollection.api.settings import settings_of
from stcollection.api.stages import RANKED, CorpusStage, QrelsStage, RunsStage, TextStage, TopicsStage, VectorsStage
from stcollection.api.streams import Streams
from stcollection.api.tables import Records
from stcollection.build.build import RECIPE, BuiltStep, build
from stcollection.bundle.make import make_bundle
from stcollection.cells import html_table
from stcollection.db.check import CollectionProblem, problems
from stcollection.db.connection import connect, conninfo
from stcollection.db.settings import Settings
from stcollection.db.studies import list_studies
from stcollection.errors import BadArgument, BadInput, translate
from stcollection.evaluation.own import learn_measures
from stcollection.io.datasets import AS_FOUND, DataOptions, RecognisedFile, recognise
from stcollection.plugins import Study, studies
from stcollection.qrels.load import JudgmentOptions
from stcollection.retrieval import System
from stcollection.retrieval.filters import Filter, TypedFilter
from stcollection.retrieval.fuse import Fused, FusionRule, fuse
from stcollection.retrieval.search import abstracts, search, search_many

if TYPE_CHECKING:
    from stcollection.api.complexity import Complexity

_S = TypeVar("_S", bound=Stage[Any])


class Collection(RunScores[Frame], Streams[Frame]):
    """An open collection, returned by :func:`stcollection.open`. As a context manager, it closes itself at the end of the block.

    >>> c = stcollection.open("mine")
    >>> c.run("bm25")
    >>> c.leaderboard()

    Columns are named as in PyTerrier: ``qid``, ``query``, ``docno``, ``score``, ``rank``, ``label``. ``rank`` starts at 1, as in
    the tables and in TREC files; only :meth:`terrier` returns ranks from 0, as PyTerrier does.

    Methods that return a frame have a parameter ``frame``: ``pandas`` or ``polars``; None is the kind chosen when opening.
    """

    connection: psycopg.Connection
    kind: str
    progress: bool | None

    def __init__(self, settings: Settings, *, frame: str = "pandas", progress: bool | None = None) -> None:
        self.settings = settings
        self.kind = checked(frame)
        self.progress = progress
        self.connection = connect(settings, autocommit=True)
        learn_measures(settings)
        # Notebooks stay open for days: prepared statements would fail after an upgrade that changes result columns.
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
        """Open a collection; see :func:`stcollection.open`."""
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
        shards: int | None = None,
    ) -> Self:
        """Create a collection; see :func:`stcollection.create`."""
        from stcollection.db import collections  # imports Alembic, which opening a collection does not need

        settings = settings_of(db, dsn, home)
        try:
            collections.create(settings, exist_ok=exist_ok, shards=shards)
        except BadArgument as error:
            if settings.db in {one.name for one in collections.collections(settings)}:
                error.hint = f"Open it with stcollection.open({settings.db!r})."
            raise
        return cls(settings, frame=frame, progress=progress)

    @property
    def dsn(self) -> str:
        """The connection string for workers; it can contain a password."""
        return conninfo(self.settings)

    @property
    def name(self) -> str:
        """The name of the collection, which is the name of its database."""
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
        """The documents."""
        return CorpusStage(*self._stage())

    @cached_property
    def text(self) -> TextStage[Frame]:
        """The text index."""
        return TextStage(*self._stage())

    @cached_property
    def vectors(self) -> VectorsStage[Frame]:
        """Embeddings and their indexes."""
        return VectorsStage(*self._stage())

    @cached_property
    def topics(self) -> TopicsStage[Frame]:
        """Topics and queries."""
        return TopicsStage(*self._stage())

    @cached_property
    def qrels(self) -> QrelsStage[Frame]:
        """Judgments. Call it with an edition to get its judgments."""
        return QrelsStage(*self._stage())

    @cached_property
    def runs(self) -> RunsStage[Frame]:
        """Runs. Call it to list the runs."""
        return RunsStage(*self._stage())

    @cached_property
    def retrieval(self) -> RetrievalStage[Frame]:
        """Searches, and runs made from them."""
        return RetrievalStage(*self._stage())

    @cached_property
    def evaluation(self) -> EvaluationStage[Frame]:
        """Scores of runs."""
        return EvaluationStage(*self._stage())

    @cached_property
    def complexity(self) -> Complexity[Frame]:
        """Readability, credibility, and human grades of both; see :class:`~stcollection.api.complexity.Complexity`."""
        from stcollection.api.complexity import Complexity

        return Complexity(*self._stage())

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The methods of a study, such as ``coverage``."""

    # a whole data set -----------------------------------------------------------------------------------------------------

    def load(self, *paths: str | Path, options: DataOptions = AS_FOUND, unknown_documents: str = "stub") -> Records[RecognisedFile]:
        """Load documents, topics and judgments from files, folders or ``irds:NAME``, as ``stc load`` does.

        >>> c.load("scifact/")
        >>> c.load("papers.csv", "queries.tsv", "judged.qrels", options=DataOptions(edition="test"))

        Files are recognised by content. Runs are listed but not loaded; load them with ``c.runs.load``.

        :param unknown_documents: what to do with judgments of unknown documents: ``stub``, ``skip`` or ``error``.
        :returns: the files with their recognised roles.
        :raises BadInput: the role of a file is ambiguous; nothing is stored.
        """
        found = recognise([str(path) for path in paths], options)
        if documents := [one.path for one in found.of("corpus")]:
            self.corpus.load(*documents, map=options.fields)
        if queries := [one.path for one in found.of("topics")]:
            self.topics.add(*queries, field=options.field, map=options.fields)
        for one in found.of("articles"):
            self.topics.articles(one.path)
        for one in found.of("qrels"):
            read = JudgmentOptions(
                best_grade=1 if one.best_first else None,
                relevance=one.relevance,
                unknown_documents=unknown_documents,
                unknown_queries=options.unknown_queries,
            )
            self.qrels.add(one.path, edition=one.edition, options=read)
        return Records(found.files)

    def build(self, recipe: str | Path = RECIPE, *, dry_run: bool = False) -> Records[BuiltStep]:
        """Build the collection from a recipe, as ``stc build`` does; see :func:`stcollection.build.build.build`.

        >>> c.build("collection.toml")

        :param dry_run: report what is out of date and why, and build nothing.
        """
        return Records(build(self.settings, Path(recipe), dry_run=dry_run))

    bundle = called(make_bundle)

    # searching ------------------------------------------------------------------------------------------------------------

    def search_many(
        self,
        queries: Any,
        system: System = "hybrid",
        *,
        k: int = 1000,
        filter: TypedFilter | Filter | None = None,
        model: str | None = None,
        frame: str | None = None,
    ) -> Frame:
        """Return the k best documents for each of several queries, in one SQL statement: qid, docno, rank, score.

        :param queries: a frame with the columns ``qid`` and ``query``, or a mapping of qid to query text.
        :raises UnknownObject, BadArgument, StateError: as :meth:`search`. :raises BadInput: a qid occurs twice.
        """
        if isinstance(queries, Mapping) and all(isinstance(text, str) for text in queries.values()):
            columns: dict[str, list[Any]] = {"qid": list(queries), "query": list(queries.values())}
        else:
            columns = columns_of(queries)
        names = texts(column(columns, "qid", "query_id"), "qid")
        wanted = texts(column(columns, "query", "text"), "query")
        if repeated := [name for name, times in collections.Counter(names).items() if times > 1]:
            raise BadInput(f"qid {repeated[0]!r} occurs twice", hint="Give each query another qid.")
        found = search_many(self.connection, wanted, system=system, k=k, filter=filter, model=model, names=names)
        return self._frame(RANKED, ((names[place], *ranked) for place, *ranked in found), frame)

    def rag_context(
        self,
        query: str,
        k: int = 10,
        tokens: int = 2000,
        *,
        system: str = "hybrid",
        passages: str = "sentence",
        filter: TypedFilter | Filter | None = None,
        model: str | None = None,
        count: Counter | None = None,
    ) -> Context:
        """Return passages of the best documents with docnos, for a language model; see :func:`~stcollection.api.context.pack`.

        :param k: maximum number of documents. :param tokens: maximum length of the whole text.
        :param passages: ``sentence`` (with the most words of the query) or ``abstract``.
        :param count: function that counts the tokens of a text; None uses the tokenizer of the default embedding model.
        :raises UnknownObject, BadArgument, StateError: as :meth:`search`.
        """
        documents = search(self.connection, query, system=system, k=k, filter=filter, model=model)
        texts = abstracts(self.connection, [document.doc for document in documents]) if passages == "abstract" else {}
        return pack(documents, tokens=tokens, passages=passages, count=count, abstracts=texts)

    # runs -----------------------------------------------------------------------------------------------------------------

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
        by_document: str | None = None,
    ) -> Fused:
        """Fuse stored runs into a new run; see :func:`stcollection.retrieval.fuse.fuse`."""
        options: dict[str, Any] = {"depth": depth, "replace": replace, "by_document": by_document}
        return fuse(self.connection, name=name, runs=runs, rule=FusionRule(method=method, norm=norm), weights=weights, **options)

    # judgments, files -----------------------------------------------------------------------------------------------------

    pool = QrelsStage.pool
    export = RunsStage.export
    publish = QrelsStage.release

    # tables ---------------------------------------------------------------------------------------------------------------

    @translate()
    def sql(self, query: str, params: Sequence[Any] | Mapping[str, Any] | None = None, *, frame: str | None = None) -> Frame:
        """Run an SQL statement and return its rows as a frame; None for a statement without a result.

        :param params: values for ``%s`` or ``%(name)s``; without params, ``%`` has no special meaning.
        :raises StcError: PostgreSQL's error, classified by SQLSTATE.
        """
        made: Frame = frame_of_cursor(self.connection.execute(query, params), frame or self.kind)
        return made

    status = called(collection_status)
    studies = framed(list_studies)

    def study(self, methods: type[_S]) -> _S:
        """Return the methods of a study with their types: ``c.study(Coverages)`` is ``c.coverage``.

        :param methods: their class.
        """
        return methods(*self._stage())

    def check(self, *, frame: str | None = None) -> Frame:
        """Return contradictory rows and stale indexes with advice; see :func:`~stcollection.db.check.problems`.

        >>> c.check()
        """
        columns = dict.fromkeys(CollectionProblem._fields) | dict.fromkeys(("problem", "relation", "examples", "advice"), str)
        return self._frame(columns, [row.cells() for row in problems(self.connection)], frame)

    def register(self, name: str, frame: Any) -> int:
        """Copy a frame into a temporary table for use in :meth:`sql`; see :func:`~stcollection.api.uploads.register`."""
        return uploads.register(self.connection, name, frame)

    def queries(self, edition: str | None = None, *, frame: str | None = None) -> Frame:
        """Return the queries with a text, optionally only those judged in an edition: qid, query, as PyTerrier's topics."""
        return self._frame({"qid": str, "query": str}, self.queries_iter(edition), frame)


def _methods(study: Study) -> cached_property[Any]:
    """Return the attribute of a collection with the methods of a study."""

    def methods(self: Collection[Any]) -> Any:
        assert study.python is not None  # noqa: S101
        return study.part(study.python)(*self._stage())

    methods.__doc__ = study.summary
    attribute = cached_property(methods)
    attribute.__set_name__(Collection, study.name)
    return attribute


for _study in studies():
    if _study.python is not None and not hasattr(Collection, _study.name):
        setattr(Collection, _study.name, _methods(_study))
