"""The stages of a collection from Python: ``collection.corpus``, ``.text``, ``.vectors``, ``.topics``, ``.qrels``, ``.runs``.

Each method is a command of that group: the same defaults, the same errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from stcollection.api import iterators, uploads
from stcollection.api.frames import Frame, frame_of, noted
from stcollection.api.iterators import require_edition
from stcollection.corpus.load import LoadedFile
from stcollection.corpus.load import load as load_corpus
from stcollection.corpus.parsing import OnDuplicate
from stcollection.corpus.removal import remove_documents
from stcollection.db.removal import Removal, check_choice
from stcollection.errors import translate
from stcollection.evaluation.incoming import import_runs
from stcollection.evaluation.score import judge_new
from stcollection.io.corpus.fields import DEFAULT, read_map
from stcollection.io.writing import output
from stcollection.qrels.editions import NOTHING_SAID, EditionFacts, EditionOverview, editions
from stcollection.qrels.load import AS_IN_THE_FILE, ImportedQrels, JudgmentOptions, import_qrels
from stcollection.qrels.removal import remove_edition, remove_file
from stcollection.runs.export import Exported, export_run
from stcollection.runs.listing import RunOverview, require_run, runs
from stcollection.runs.load import ImportedRun, ImportOptions, RunCounts
from stcollection.runs.removal import remove_runs
from stcollection.text.index import TextIndex, index, status
from stcollection.topics.load import LoadedTopics
from stcollection.topics.load import load as load_topics
from stcollection.topics.removal import QueryRemoval, remove_queries
from stcollection.vectors.embed import EmbedCounts, embed
from stcollection.vectors.index import IVFFLAT, Indexed, IndexOptions
from stcollection.vectors.index import index as index_vectors
from stcollection.vectors.model import AS_THE_MODEL_SAYS, Encoder, EncoderOptions
from stcollection.vectors.store import FIELDS

RANKED: dict[str, type] = {"qid": str, "docno": str, "rank": int, "score": float}


@dataclass(frozen=True)
class Stage:
    """The methods of one stage. They return frames of the collection's kind; ``frame`` requests the other one.

    :param dsn: by which workers and iterators connect; it may have a password, so it is not shown.
    :param kind: of frames: ``pandas`` or ``polars``.
    """

    connection: psycopg.Connection
    dsn: str = field(repr=False)
    kind: str


class CorpusStage(Stage):
    """``collection.corpus``: the documents."""

    def load(
        self,
        *paths: str | Path,
        format: str | None = None,
        workers: int | None = None,
        on_duplicate: Any = "skip",
        strict: bool = False,
        map: str | None = None,
    ) -> list[LoadedFile]:
        """Load files, plain or compressed, or ``irds:NAME``; see :func:`stcollection.corpus.load.load`.

        :param map: as ``title=headline,text=body``, for other names of fields and columns.
        """
        places = [str(path) for path in paths]
        fields = DEFAULT if map is None else read_map(map)
        return load_corpus(
            self.dsn, places, format=format, workers=workers, on_duplicate=on_duplicate, strict=strict, fields=fields
        )

    def add(self, documents: Any, *, name: str = "frame", map: str | None = None, on_duplicate: OnDuplicate = "skip") -> LoadedFile:
        """Store documents of a frame of pandas or polars, or of an iterable of mappings.

        :param documents: with the columns docno (or id), title and text (or abstract); others are kept in doc.
        :param name: how the ledger names them. :param map: as ``title=headline,text=body``, for other names of columns.
        :param on_duplicate: of a document that is stored: ``skip`` keeps it, ``replace`` takes the new one, or ``error``.
        :raises BadArgument: it is no frame. :raises BadInput: a row is not a mapping, or there is none.
        """
        return uploads.add_documents(self.dsn, documents, name=name, map=map, on_duplicate=on_duplicate)

    def load_ir_dataset(
        self, dataset: Any, *, edition: str | None = None, name: str | None = None, field: str = "title"
    ) -> dict[str, int]:
        """Load what a dataset of ir_datasets provides: its documents, its queries and, if an edition is named, its judgments.

        What is stored already changes nothing.

        :param dataset: a name of the catalogue of ir_datasets, or an ``ir_datasets.Dataset``.
        :param name: a name for a dataset that is not in the catalogue; it is registered with ir_datasets.
        :param field: of TREC topics: title, desc, narr or title+desc.
        :returns: how many documents (and rejects), queries and judgments came of what it provides.
        :raises UnknownObject: no such name. :raises BadInput: it cannot be read.
        """
        from stcollection.api.dataset import load_dataset

        return load_dataset(self.connection, dataset, edition=edition, name=name, field=field, dsn=self.dsn)

    def remove(self, *docnos: str, file: str | Sequence[str] = (), stubs: bool = False, dry_run: bool = False) -> Removal:
        """Remove documents by name, those of a loaded file, or stubs; see :func:`stcollection.corpus.removal.remove_documents`."""
        files = [file] if isinstance(file, str) else file
        return remove_documents(self.connection, docnos, files=files, stubs=stubs, dry_run=dry_run)

    @translate()
    def count(self) -> int:
        """The number of documents, without stubs."""
        [(count,)] = self.connection.execute("SELECT count(*) FROM dblp WHERE NOT stub").fetchall()
        return int(count)


class TextStage(Stage):
    """``collection.text``: the text index, for BM25 and boolean queries."""

    def index(
        self, *, config: str = "english", k1: float = 1.2, b: float = 0.75, engine: str | None = None, rebuild: bool = False
    ) -> TextIndex:
        """Build what is not current; see :func:`stcollection.text.index.index`."""
        return index(self.connection, config=config, k1=k1, b=b, engine=engine, rebuild=rebuild)

    def status(self, *, frame: str | None = None) -> Frame:
        """The state of the indexes against the table: what, value."""
        rows = ((what, str(value)) for what, value in status(self.connection))
        return frame_of(["what", "value"], rows, frame or self.kind, types={"what": str, "value": str})


class VectorsStage(Stage):
    """``collection.vectors``: embeddings and their indexes."""

    def embed(
        self,
        model: str | Encoder | None = None,
        *,
        short: str | None = None,
        fields: Sequence[str] = FIELDS,
        options: EncoderOptions = AS_THE_MODEL_SAYS,
    ) -> EmbedCounts:
        """Embed the texts that have no vector yet; see :func:`stcollection.vectors.embed.embed`."""
        return embed(self.connection, model=model, short=short, fields=fields, options=options)

    def index(
        self,
        model: str | None = None,
        *,
        fields: Sequence[str] = FIELDS,
        options: IndexOptions = IVFFLAT,
        rebuild: bool = False,
    ) -> list[Indexed]:
        """Build the index of each field that has vectors, unless it is current; see :func:`stcollection.vectors.index.index`."""
        return index_vectors(self.connection, model=model, fields=fields, options=options, rebuild=rebuild)


class TopicsStage(Stage):
    """``collection.topics``: topics and queries."""

    def add(
        self,
        *paths: str | Path,
        layout: str | None = None,
        field: str = "title",
        origin: str | None = None,
        on_duplicate: str = "error",
        replace: bool = False,
    ) -> LoadedTopics:
        """Store the topics and queries of files, all or none; see :func:`stcollection.topics.load.load`."""
        return load_topics(
            self.connection,
            [Path(path) for path in paths],
            layout=layout,
            field=field,
            origin=origin,
            on_duplicate=on_duplicate,
            replace=replace,
        )

    def remove(
        self,
        *queries: str,
        topic: str | Sequence[str] = (),
        file: str | Sequence[str] = (),
        stubs: bool = False,
        dry_run: bool = False,
    ) -> QueryRemoval:
        """Remove queries by name, those of a topic or of a loaded file, or stubs.

        See :func:`stcollection.topics.removal.remove_queries`.
        """
        topics = [topic] if isinstance(topic, str) else topic
        files = [file] if isinstance(file, str) else file
        return remove_queries(self.connection, queries, topics=topics, files=files, stubs=stubs, dry_run=dry_run)


class QrelsStage(Stage):
    """``collection.qrels``: the editions of the judgments. ``collection.qrels("test")`` is what an edition says."""

    def __call__(self, edition: str, *, frame: str | None = None) -> Frame:
        """What an edition says: qid, docno, label, as PyTerrier's qrels. :raises UnknownObject: no such edition."""
        require_edition(self.connection, edition)
        found = iterators.judgments(partial(iterators.connect, self.dsn), edition)
        types = {"qid": str, "docno": str, "label": int}
        made = frame_of(list(types), (one[:3] for one in found), frame or self.kind, types=types)
        return noted(made, self.connection, edition)

    def add(
        self,
        *paths: str | Path,
        edition: str,
        options: JudgmentOptions = AS_IN_THE_FILE,
        facts: EditionFacts = NOTHING_SAID,
    ) -> list[ImportedQrels]:
        """Append the judgments of files to an edition; see :func:`stcollection.qrels.load.import_qrels`."""
        conn = self.connection
        return [import_qrels(conn, Path(path), edition=edition, options=options, facts=facts) for path in paths]

    def editions(self, *, frame: str | None = None) -> Frame:
        """The stored editions, by name: the fields of :class:`~stcollection.qrels.editions.EditionOverview`."""
        return frame_of(list(EditionOverview._fields), editions(self.connection), frame or self.kind)

    def drop(self, edition: str | None = None, *, file: str | None = None, even_sealed: bool = False) -> int:
        """Remove an edition, or the judgments that a file brought to it. :returns: how many judgments were removed.

        See :func:`stcollection.qrels.removal.remove_edition` and :func:`stcollection.qrels.removal.remove_file`.
        """
        check_choice(edition or file, hint="Name an edition, or file=.")
        if file is not None:
            return remove_file(self.connection, file, edition=edition).judgments
        return remove_edition(self.connection, edition or "", even_sealed=even_sealed).judgments


class RunsStage(Stage):
    """``collection.runs``: the runs of systems. ``collection.runs()`` lists them."""

    def __call__(self, *, frame: str | None = None) -> Frame:
        """The stored runs, by name: run, team, tag, manual, family, queries, ranked, depth, source, made."""
        return frame_of(list(RunOverview._fields), runs(self.connection), frame or self.kind)

    @translate()
    def frame(self, name: str, *, depth: int | None = None, frame: str | None = None) -> Frame:
        """A stored run: qid, docno, rank, score; by query and rank.

        :param depth: documents a query at most. :raises UnknownObject: no such run.
        """
        require_run(self.connection, name)
        rows = self.connection.execute(
            "SELECT query, docno, rank, rel_score FROM rankings WHERE run = %s AND rank <= coalesce(%s, rank) ORDER BY query, rank",
            [name, depth],
        ).fetchall()
        return frame_of(list(RANKED), rows, frame or self.kind, types=RANKED)

    def add(
        self,
        frame: Any,
        name: str,
        *,
        team: str | None = None,
        on_duplicate: str = "error",
        unknown_documents: str = "few",
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

    def load(self, *paths: str | Path, name: str | None = None, options: ImportOptions | None = None) -> list[ImportedRun]:
        """Import files, each a run, as ``stc runs import`` does; see :func:`stcollection.runs.load.import_runs`.

        :param name: of the run of a single file. :param options: None takes those of the command line.
        """
        wanted = options or ImportOptions()
        return list(import_runs(self.connection, [Path(path) for path in paths], name=name, options=wanted))

    def export(
        self, name: str, path: str | Path, *, layout: str = "simpletext", depth: int | None = None, team: str | None = None
    ) -> Exported:
        """Write a stored run to a file: a submission of SimpleText, or TREC's six columns.

        :param layout: ``simpletext``, ``simpletext-2022`` or ``trec``. :param team: of a SimpleText run_id; None is the stored one.
        :raises UnknownObject: no such run. :raises BadArgument: no such format.
        """
        with output(Path(path)) as out:
            return export_run(self.connection, name, out, layout=layout, depth=depth, team=team)

    def drop(self, *names: str, file: str | Sequence[str] = ()) -> None:
        """Remove runs by name, or those that came from files, all or none; see :func:`stcollection.runs.removal.remove_runs`.

        :raises UnknownObject: one of them is not stored.
        """
        remove_runs(self.connection, names, files=[file] if isinstance(file, str) else file)
