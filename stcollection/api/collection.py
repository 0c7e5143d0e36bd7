"""A collection as an object: what notebooks and scripts call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, LiteralString, Self

import psycopg

from stcollection.api import iterators, uploads
from stcollection.api.context import Context, Counter, pack
from stcollection.api.frames import Frame, checked, column, columns_of, frame_of, frame_of_cursor, noted, texts
from stcollection.api.iterators import Rows, Store, require_edition
from stcollection.api.ranking import page, rank
from stcollection.api.records import Document, Qrel, Query, ScoredDoc
from stcollection.corpus.load import LoadedFile
from stcollection.corpus.parsing import OnDuplicate
from stcollection.db.connection import connect, conninfo, limit_lock_waits
from stcollection.db.settings import Settings, read_settings
from stcollection.errors import translate
from stcollection.evaluation.incoming import import_runs, make_runs
from stcollection.evaluation.measures import OFFICIAL, Measure, parse_measure
from stcollection.evaluation.readability import QueryReadability, Readability, query_readability, readability
from stcollection.evaluation.score import judge_new, leaderboard, score
from stcollection.io.writing import output
from stcollection.retrieval.filters import Filter
from stcollection.retrieval.fuse import Fused, FusionRule, fuse
from stcollection.retrieval.run import Ran
from stcollection.runs.export import Exported, export_run
from stcollection.runs.listing import RunOverview, drop_runs, require_run, runs
from stcollection.runs.load import ImportedRun, ImportOptions, RunCounts
from stcollection.vectors.model import Encoder

if TYPE_CHECKING:
    from stcollection.api.analyses import Analyses
    from stcollection.api.complexity import Complexity
    from stcollection.api.terrier import Retriever, TextLoader

_RANKED: dict[str, type] = {"qid": str, "docno": str, "rank": int, "score": float}
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
        given = {"STC_DSN": dsn, "STC_HOME": None if home is None else str(home)}
        environ = {**os.environ, **{name: value for name, value in given.items() if value is not None}}
        return cls(read_settings(db=db, environ=environ), frame=frame)

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
        return frame_of(list(_RANKED), ((names[place], *ranked) for place, *ranked in found), frame or self.frame, types=_RANKED)

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

    # documents ------------------------------------------------------------------------------------------------------------

    def add_documents(
        self, documents: Any, *, name: str = "frame", map: str | None = None, on_duplicate: OnDuplicate = "skip"
    ) -> LoadedFile:
        """Store documents of a frame of pandas or polars, or of an iterable of mappings.

        :param documents: with the columns docno (or id), title and text (or abstract); others are kept in doc.
        :param name: how the ledger names them. :param map: as ``title=headline,text=body``, for other names of columns.
        :param on_duplicate: of a document that is stored: ``skip`` keeps it, ``replace`` takes the new one, or ``error``.
        :raises BadArgument: it is no frame. :raises BadInput: a row is not a mapping, or none has an id and a text.
        """
        return uploads.add_documents(conninfo(self.settings), documents, name=name, map=map, on_duplicate=on_duplicate)

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

    def import_runs(self, *paths: str | Path, name: str | None = None, options: ImportOptions | None = None) -> list[ImportedRun]:
        """Import files, each a run, as ``stc runs import`` does; see :func:`stcollection.runs.load.import_runs`.

        :param name: of the run of a single file. :param options: None takes those of the command line.
        """
        wanted = options or ImportOptions(unknown_documents="few")
        return list(import_runs(self.connection, [Path(path) for path in paths], name=name, options=wanted))

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

    def add_run(
        self,
        frame: Any,
        name: str,
        *,
        team: str | None = None,
        on_duplicate: str = "error",
        unknown_documents: str = "stub",
        unknown_queries: str = "stub",
        replace: bool = False,
    ) -> RunCounts:
        """Store a frame (qid, docno, score) as a run; see :func:`~stcollection.api.uploads.add_run` for the checks and options."""
        counts = uploads.add_run(
            self.connection,
            frame,
            name,
            team=team,
            on_duplicate=on_duplicate,
            unknown_documents=unknown_documents,
            unknown_queries=unknown_queries,
            replace=replace,
        )
        judge_new(self.connection, [name])
        return counts

    def export_run(
        self, name: str, path: str | Path, *, layout: str = "simpletext", depth: int | None = None, team: str | None = None
    ) -> Exported:
        """Write a stored run to a file: a submission of SimpleText, or TREC's six columns.

        :param layout: ``simpletext``, ``simpletext-2022`` or ``trec``. :param team: of a SimpleText run_id; None is the stored one.
        :raises UnknownObject: no such run. :raises BadArgument: no such format.
        """
        with output(Path(path)) as out:
            return export_run(self.connection, name, out, layout=layout, depth=depth, team=team)

    def drop_runs(self, *names: str) -> None:
        """Remove runs, all or none. :raises UnknownObject: one of them is not stored."""
        drop_runs(self.connection, names)

    def runs(self, *, frame: str | None = None) -> Frame:
        """The stored runs, by name: run, team, tag, manual, family, queries, ranked, depth, source, made."""
        return frame_of(list(RunOverview._fields), runs(self.connection), frame or self.frame)

    def run_frame(self, name: str, *, depth: int | None = None, frame: str | None = None) -> Frame:
        """A stored run: qid, docno, rank, score; by query and rank.

        :param depth: documents a query at most. :raises UnknownObject: no such run.
        """
        require_run(self.connection, name)
        rows = self._rows(
            "SELECT query, docno, rank, rel_score FROM rankings WHERE run = %s AND rank <= coalesce(%s, rank) ORDER BY query, rank",
            [name, depth],
        )
        return frame_of(list(_RANKED), rows, frame or self.frame, types=_RANKED)

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

    def qrels(self, edition: str, *, frame: str | None = None) -> Frame:
        """What an edition says: qid, docno, label, as PyTerrier's qrels. :raises UnknownObject: no such edition."""
        types = {"qid": str, "docno": str, "label": int}
        made = frame_of(list(types), (one[:3] for one in self.qrels_iter(edition)), frame or self.frame, types=types)
        return noted(made, self.connection, edition)

    # in the manner of ir_datasets -------------------------------------------------------------------------------------------

    def docs_iter(self) -> Rows[Document]:
        """The documents, by id, streamed; can be sliced. Stubs are none."""
        return iterators.documents(self._connect)

    def docs_count(self) -> int:
        [(count,)] = self._rows("SELECT count(*) FROM dblp WHERE NOT stub", [])
        return int(count)

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

    def load_ir_dataset(
        self, dataset: Any, *, edition: str | None = None, name: str | None = None, field: str = "title"
    ) -> dict[str, int]:
        """Load what a dataset of ir_datasets provides: its documents, its queries and, if an edition is named, its judgments.

        What is stored already changes nothing. The text index and the vectors come after, as for any load (``stc text index``,
        ``stc vectors embed``).

        :param dataset: a name of the catalogue of ir_datasets, or an ``ir_datasets.Dataset``.
        :param name: what to call a dataset that is not of the catalogue; it is registered with ir_datasets.
        :param field: of TREC topics: title, desc, narr or title+desc.
        :returns: how many documents (and rejects), queries and judgments came of what it provides.
        :raises UnknownObject: no such name. :raises BadInput: it cannot be read.
        """
        from stcollection.api.dataset import load_dataset

        return load_dataset(self.connection, dataset, edition=edition, name=name, field=field, dsn=conninfo(self.settings))

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
        """A connection of its own, for an iterator: what is not read to its end must not hold a transaction of ours."""
        with translate():
            return limit_lock_waits(psycopg.connect(conninfo(self.settings)))

    @translate()
    def _rows(self, query: LiteralString, params: Sequence[Any]) -> list[tuple[Any, ...]]:
        return self.connection.execute(query, params).fetchall()
