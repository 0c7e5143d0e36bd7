"""The stages of a collection: ``collection.corpus``, ``.text``, ``.vectors``, ``.topics``, ``.qrels``, ``.runs``.

Each method corresponds to a command of the same group, with the same defaults and errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from warnings import warn

from stcollection.analysis.next_labels import order_pool
from stcollection.analysis.stopping import pool_progress
from stcollection.analysis.training import training_gain
from stcollection.api import iterators, uploads
from stcollection.api.declared import called, framed
from stcollection.api.face import Frame, Stage
from stcollection.api.files import Data, as_file, is_path, judgment_rows, query_rows, rows_of, sources_of
from stcollection.api.iterators import require_edition
from stcollection.api.tables import Records
from stcollection.api.wording import in_python
from stcollection.corpus.export import ExportedDocuments, export_documents
from stcollection.corpus.ledger import files as loaded_files
from stcollection.corpus.ledger import rejects
from stcollection.corpus.ledger import status as corpus_status
from stcollection.corpus.licences import licence_counts
from stcollection.corpus.load import LoadedFile
from stcollection.corpus.load import load as load_corpus
from stcollection.corpus.parsing import OnDuplicate
from stcollection.corpus.removal import remove_documents
from stcollection.corpus.snapshots import changes_between, check_day, record_snapshot, snapshots
from stcollection.db.removal import Removal
from stcollection.db.simulated import simulated_note
from stcollection.errors import translate
from stcollection.evaluation.asks import allow
from stcollection.evaluation.imported import import_scores
from stcollection.evaluation.score import judge_each, judge_new
from stcollection.io.corpus.fields import DEFAULT, FieldNames, Role, read_map
from stcollection.io.rows import RowSource
from stcollection.io.writing import output
from stcollection.qrels.agreement import agreement
from stcollection.qrels.comparisons import pair_progress
from stcollection.qrels.corrections import correct
from stcollection.qrels.derive import derive
from stcollection.qrels.diff import diff
from stcollection.qrels.editions import NOTHING_SAID, EditionFacts, describe, editions, export_qrels, seal, verify
from stcollection.qrels.expand import expand
from stcollection.qrels.hiding import hide, release
from stcollection.qrels.labels import show_labels
from stcollection.qrels.llm.report import answers, overview
from stcollection.qrels.load import AS_IN_THE_FILE, ImportedQrels, JudgmentOptions, import_qrels
from stcollection.qrels.metadata import set_metadata
from stcollection.qrels.pools import contributions, drop_pool, make_pool, pools
from stcollection.qrels.preferences import import_preferences
from stcollection.qrels.removal import remove_judgments
from stcollection.qrels.reviews import review, reviews
from stcollection.qrels.rules import check
from stcollection.qrels.sheets import import_sheet, submit_pool
from stcollection.qrels.sources import sources
from stcollection.qrels.subtopics import import_subtopics
from stcollection.runs.check import CheckedRun, check_file
from stcollection.runs.export import Exported, ExportOptions, export_run
from stcollection.runs.listing import require_run, runs
from stcollection.runs.load import ImportedRun, ImportOptions, RunCounts, import_runs
from stcollection.runs.receive import receipts, receive
from stcollection.runs.removal import remove_runs
from stcollection.text.index import index as index_text
from stcollection.text.index import status as text_status
from stcollection.topics.articles import LoadedArticles, load_articles, topic_article, topic_overview
from stcollection.topics.excluded import set_excluded
from stcollection.topics.load import LoadedTopics
from stcollection.topics.load import load as load_topics
from stcollection.topics.origins import set_origins
from stcollection.topics.removal import QueryRemoval, remove_queries, topic_files
from stcollection.topics.sets import ALL, Queries, drop_set, expression, members, query_sets, store_set
from stcollection.vectors.audit import measure
from stcollection.vectors.audit import status as vectors_status
from stcollection.vectors.convert import convert
from stcollection.vectors.embed import embed
from stcollection.vectors.imported import import_vectors
from stcollection.vectors.index import index as index_vectors
from stcollection.vectors.passages import cut_passages
from stcollection.vectors.store import drop, models
from stcollection.vectors.train import train

RANKED: dict[str, type | None] = {"qid": str, "docno": str, "rank": int, "score": float}
AS_USUAL = ImportOptions()


def _fields(map: str | FieldNames | None, role: Role) -> FieldNames:
    """Return the names of fields that a map gives. One that was read already may also name those of other files."""
    if isinstance(map, FieldNames):
        return map
    fields = DEFAULT if map is None else read_map(map)
    fields.check(role)
    return fields


class CorpusStage(Stage[Frame]):
    """``collection.corpus``: the documents."""

    def load(
        self,
        *documents: Data,
        format: str | None = None,
        map: str | FieldNames | None = None,
        on_duplicate: OnDuplicate = "skip",
        strict: bool = False,
        workers: int | None = None,
        date: str | None = None,
        name: str = "frame",
    ) -> Records[LoadedFile]:
        """Load documents from files, frames or iterators; see :func:`stcollection.corpus.load.load`.

        >>> c.corpus.load("papers.jsonl.gz")
        >>> c.corpus.load(frame, map="docno=key,title=headline,text=body")
        >>> c.corpus.load("june.jsonl", date="2024-06-30")
        >>> c.corpus.load({"docno": n, "text": text} for n, text in pairs)

        :param documents: paths, plain or compressed, or ``irds:NAME``; frames of pandas or polars; mappings of columns; iterables
            of dicts. Columns are docno (or id), title and text (or abstract); others are stored in doc.
        :param map: other names of fields and columns, such as ``title=headline,text=body``.
        :param on_duplicate: for documents already stored: ``skip`` keeps the old one, ``replace`` stores the new one, or ``error``.
        :param date: YYYY-MM-DD: the documents are the collection on this day, or a part of it.
        :param name: name of frames and iterators in the ledger.
        :raises BadArgument: the file, format or policy does not exist, or the date is invalid or in the future.
        :raises BadInput: no documents, or a row is not a dict.
        """
        fields = _fields(map, "documents")
        if date is not None:
            check_day(self.connection, date)
        loaded: Records[LoadedFile] = Records()
        for one in sources_of(documents):
            source, read_as = (str(one), format) if is_path(one) else (RowSource(rows_of(one), name), "jsonl")
            with self._bar("documents", unit="B") as bar:
                loaded += load_corpus(
                    self.dsn,
                    [source],
                    format=read_as,
                    workers=workers,
                    on_duplicate=on_duplicate,
                    strict=strict,
                    fields=fields,
                    progress=bar,
                )
        for file in loaded:
            if date is not None and not file.all_rejected:
                record_snapshot(self.connection, file.file, date)
            if file.empty:
                warn(f"{file.path}: {file.empty}. Name the fields: map='title=FIELD,text=FIELD'.", UserWarning, stacklevel=3)
        return loaded

    def load_ir_dataset(
        self, dataset: Any, *, edition: str | None = None, name: str | None = None, field: str = "title"
    ) -> dict[str, int]:
        """Load a dataset of ir_datasets: its documents, its queries and, if an edition is given, its judgments.

        Loading the same data again changes nothing.

        :param dataset: a name in the catalogue of ir_datasets, or an ``ir_datasets.Dataset``.
        :param name: name under which to register a dataset that is not in the catalogue with ir_datasets.
        :param field: field of TREC topics: title, desc, narr or title+desc.
        :returns: numbers of documents, rejects, queries and judgments, for the parts that the dataset has.
        :raises UnknownObject: the name is not in the catalogue. :raises BadInput: the dataset cannot be read.
        """
        from stcollection.api.dataset import load_dataset

        return load_dataset(self.connection, dataset, edition=edition, name=name, field=field, dsn=self.dsn)

    def remove(self, *docnos: str, file: str | Sequence[str] = (), stubs: bool = False, dry_run: bool = False) -> Removal:
        """Remove documents by docno or file, or all stubs; see :func:`stcollection.corpus.removal.remove_documents`."""
        files = [file] if isinstance(file, str) else file
        return remove_documents(self.connection, docnos, files=files, stubs=stubs, dry_run=dry_run)

    def export(
        self, path: str | Path, *, licences: Sequence[str] = (), condition: Mapping[str, Any] | None = None
    ) -> ExportedDocuments:
        """Write documents as JSON lines; see :func:`stcollection.corpus.export.export_documents`.

        >>> c.corpus.export("open.jsonl", licences=["cc-by", "cc0"])
        """
        with output(Path(path)) as out:
            return export_documents(self.connection, out, licences=licences, condition=condition)

    licences = framed(licence_counts)
    rejects = framed(rejects)
    files = framed(loaded_files)
    changes = framed(changes_between)
    snapshots = framed(snapshots)
    status = called(corpus_status)

    @translate()
    def count(self) -> int:
        """Return the number of documents, without stubs."""
        [(count,)] = self.connection.execute("SELECT count(*) FROM dblp WHERE NOT stub").fetchall()
        return int(count)


class TextStage(Stage[Frame]):
    """``collection.text``: the text index, for BM25 and boolean queries."""

    index = called(index_text)

    def status(self, *, frame: str | None = None) -> Frame:
        """Return the state of the text index: what, value."""
        rows = ((what, str(value)) for what, value in text_status(self.connection))
        return self._frame({"what": str, "value": str}, rows, frame)


class VectorsStage(Stage[Frame]):
    """``collection.vectors``: embeddings and their indexes."""

    embed = called(embed, bar=("embedding", "documents"))

    index = called(index_vectors)
    passages = called(cut_passages, bar=("passages", "documents"))
    audit = framed(measure)
    convert = called(convert)
    drop = called(drop)
    models = framed(models)
    status = framed(vectors_status)
    add = called(import_vectors, bar=("vectors", "vectors"))
    train = called(train, bar=("training", "steps"))
    training_gain = called(training_gain, bar=("training", "folds"))


class TopicsStage(Stage[Frame]):
    """``collection.topics``: topics and queries."""

    def add(
        self,
        *topics: Data,
        layout: str | None = None,
        field: str = "title",
        map: str | FieldNames | None = None,
        origin: str | None = None,
        on_duplicate: str = "error",
        replace: bool = False,
    ) -> LoadedTopics:
        """Store topics and queries, all or none; see :func:`stcollection.topics.load.load`.

        >>> c.topics.add("queries.tsv")
        >>> c.topics.add({"q1": "voice assistants", "q2": "privacy"})
        >>> c.topics.add(frame)

        :param topics: paths, or ``irds:NAME``; frames and iterables of dicts with ``qid`` and ``query``; mappings of qid to text.
        :param layout: the format of the files; None detects it.
        :param map: other names of fields and columns, such as ``query=question_id,text=utterance``.
        """
        fields = _fields(map, "queries")
        with ExitStack() as stack:
            paths = [
                Path(one) if is_path(one) else stack.enter_context(as_file(query_rows(one), "frame")) for one in sources_of(topics)
            ]
            return load_topics(
                self.connection,
                paths,
                layout=layout,
                field=field,
                fields=fields,
                origin=origin,
                on_duplicate=on_duplicate,
                replace=replace,
            )

    def articles(self, *paths: str | Path, encoding: str | None = None, add: bool = False, replace: bool = False) -> LoadedArticles:
        """Store the press articles of topics; see :func:`stcollection.topics.articles.load_articles`.

        >>> c.topics.articles("articles/")
        """
        files = [Path(path) for path in paths]
        return load_articles(self.connection, files, encoding=encoding, add=add, replace=replace)

    def remove(
        self,
        *queries: str,
        topic: str | Sequence[str] = (),
        file: str | Sequence[str] = (),
        stubs: bool = False,
        dry_run: bool = False,
    ) -> QueryRemoval:
        """Remove queries by id, topic or file, or all stubs.

        See :func:`stcollection.topics.removal.remove_queries`.
        """
        topics = [topic] if isinstance(topic, str) else topic
        files = [file] if isinstance(file, str) else file
        return remove_queries(self.connection, queries, topics=topics, files=files, stubs=stubs, dry_run=dry_run)

    list = framed(topic_overview)
    show = called(topic_article)
    origins = called(set_origins)
    excluded = called(set_excluded)
    files = framed(topic_files)
    set = called(store_set)
    unset = called(drop_set)
    queries = called(members)
    sets = called(query_sets)


class QrelsStage(Stage[Frame]):
    """``collection.qrels``: the editions of the qrels. ``collection.qrels("test")`` returns the judgments of an edition."""

    def __call__(self, edition: str, *, frame: str | None = None) -> Frame:
        """Return the judgments of an edition: qid, docno, label, as PyTerrier's qrels.

        :raises UnknownObject: the edition does not exist.
        """
        require_edition(self.connection, edition)
        rows = iterators.judgments(partial(iterators.connect, self.dsn), edition)
        columns, note = {"qid": str, "docno": str, "label": int}, simulated_note(self.connection, [edition])
        return self._frame(columns, (row[:3] for row in rows), frame, simulated=note)

    def add(
        self,
        *judgments: Data,
        edition: str,
        options: JudgmentOptions = AS_IN_THE_FILE,
        facts: EditionFacts = NOTHING_SAID,
    ) -> Records[ImportedQrels]:
        """Append judgments to an edition; see :func:`stcollection.qrels.load.import_qrels`.

        >>> c.qrels.add("test.qrels", edition="test")
        >>> c.qrels.add(frame, edition="mine", options=JudgmentOptions(unknown_documents="skip"))

        :param judgments: paths, or ``irds:NAME``; frames and iterables of dicts with ``qid``, ``docno`` and ``label``; mappings
            such as ``{"q1": {"d1": 2}}``.
        """
        added = []
        for one in sources_of(judgments):
            if is_path(one):
                found = import_qrels(self.connection, Path(one), edition=edition, options=options, facts=facts, warn=_warn)
            else:
                with as_file(judgment_rows(one), "frame") as path:
                    found = import_qrels(self.connection, path, edition=edition, options=options, facts=facts, name="frame")
            added.append(found)
        return Records(added)

    add_subtopics = called(import_subtopics)
    add_preferences = called(import_preferences)
    agreement = framed(agreement)
    allow = called(allow)
    check = framed(check)
    correct = called(correct)
    derive = called(derive)
    describe = called(describe)
    diff = framed(diff)
    editions = framed(editions)
    expand = called(expand)
    files = framed(sources)
    hide = called(hide)
    llm_answers = framed(answers)
    llm_status = framed(overview)
    release = called(release)
    seal = called(seal)
    verify = framed(verify)
    pool = called(make_pool)
    pools = framed(pools)
    pool_drop = called(drop_pool)
    pool_import = called(import_sheet)
    pool_labels = called(show_labels)
    pool_metadata = called(set_metadata)
    pool_order = called(order_pool)
    pool_pairs = framed(pair_progress)
    pool_progress = called(pool_progress)
    pool_review = called(review)
    pool_reviews = framed(reviews)
    pool_show = framed(contributions)
    pool_submit = called(submit_pool)

    def export(self, edition: str, path: str | Path, *, format: str = "trec", queries: Queries = ALL) -> int:
        """Write an edition to a file; see :func:`stcollection.qrels.editions.export_qrels`. :returns: number of judgments."""
        with output(Path(path)) as out:
            return export_qrels(self.connection, edition, out, layout=format, queries=expression(queries))

    def drop(self, edition: str | None = None, *, file: str | None = None, even_sealed: bool = False) -> int:
        """Remove an edition, or the judgments that one file added to it. :returns: number of judgments removed.

        See :func:`stcollection.qrels.removal.remove_judgments`.
        """
        return remove_judgments(self.connection, edition, file=file, even_sealed=even_sealed).judgments


class RunsStage(Stage[Frame]):
    """``collection.runs``: the runs of systems. ``collection.runs()`` lists them."""

    __call__ = framed(runs)
    list = framed(runs)
    receive = called(receive)
    receipts = framed(receipts)
    add_scores = called(import_scores)

    def check(
        self,
        path: str | Path,
        *,
        format: str | None = None,
        columns: str | None = None,
        in_collection: bool = False,
        task: int | None = None,
        depth: int | None = None,
    ) -> CheckedRun:
        """Check a run file and its metadata by the rules of the track; see :func:`~stcollection.runs.check.check_run`.

        >>> c.runs.check("bm25.run", in_collection=True).faults

        :param in_collection: also require that queries, documents and passages are in the collection.
        """
        conn = self.connection if in_collection else None
        return check_file(Path(path), layout=format, columns=columns, conn=conn, task=task, depth=depth)

    @translate()
    def frame(self, name: str, *, depth: int | None = None, frame: str | None = None) -> Frame:
        """Return a stored run: qid, docno, rank, score, by query and rank.

        :param depth: maximum number of documents per query. :raises UnknownObject: the run does not exist.
        """
        require_run(self.connection, name)
        rows = self.connection.execute(
            "SELECT query, docno, rank, rel_score FROM rankings WHERE run = %s AND rank <= coalesce(%s, rank) ORDER BY query, rank",
            [name, depth],
        ).fetchall()
        return self._frame(RANKED, rows, frame)

    def add(
        self,
        frame: Any,
        name: str,
        *,
        team: str | None = None,
        on_duplicate: str = "error",
        unknown_documents: str = "few",
        unknown_queries: str = "few",
        replace: bool = False,
    ) -> RunCounts:
        """Store a frame (qid, docno, score) as a run; see :func:`~stcollection.api.uploads.add_run` for the checks and options.

        >>> c.runs.add(frame, "mine")
        >>> c.runs.add({"q1": {"d1": 2.5, "d7": 1.5}}, "mine", replace=True)
        """
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

    def load(self, *paths: str | Path, name: str | None = None, options: ImportOptions = AS_USUAL) -> Records[ImportedRun]:
        """Import run files, as ``stc load --as runs`` does; see :func:`stcollection.runs.load.import_runs`.

        >>> c.runs.load("bm25.run", "theirs.json.gz")

        :param name: name of the run, for a single file; by default, runs are named after their files.
        """
        found = [Path(one) for one in sources_of(paths)]
        with self._bar("runs", unit="B") as bar:
            return Records(
                judge_each(self.connection, import_runs(self.connection, found, name=name, options=options, progress=bar))
            )

    def export(
        self,
        name: str,
        path: str | Path,
        *,
        format: str | None = None,
        depth: int | None = None,
        team: str | None = None,
        licences: Sequence[str] = (),
        layout: str = "simpletext",
    ) -> Exported:
        """Write a stored run to a file, as a SimpleText submission or in TREC's six columns.

        :param format: ``simpletext``, ``simpletext-2022`` or ``trec``; None is ``layout``, its name in version 0.2.
        :param team: team in the run_id, by default the run's.
        :param licences: write passages only of documents with these licences.
        :raises UnknownObject: the run does not exist. :raises BadArgument: the format does not exist.
        """
        options = ExportOptions(depth=depth, team=team, licences=licences)
        with output(Path(path)) as out:
            return export_run(self.connection, name, out, layout=format or layout, options=options)

    def drop(self, *names: str, file: str | Sequence[str] = ()) -> None:
        """Remove runs by name or by file, all or none; see :func:`stcollection.runs.removal.remove_runs`.

        :raises UnknownObject: a run does not exist.
        """
        remove_runs(self.connection, names, files=[file] if isinstance(file, str) else file)


def _warn(message: str) -> None:
    warn(in_python(message, QrelsStage.add), UserWarning, stacklevel=7)
