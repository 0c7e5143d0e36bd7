"""Preview topics, judgments or documents of a file: counts, first rows, rejects, and what loading would do."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import psycopg

from stcollection.corpus.parsing import parse
from stcollection.errors import BadInput, StcError, translate
from stcollection.io import roles
from stcollection.io.corpus.chunks import chunks
from stcollection.io.formats import Kind
from stcollection.io.qrels.judgments import reversed_scale, stream_qrels
from stcollection.io.streams import Source
from stcollection.io.topics.queries import read_queries
from stcollection.qrels.load import import_qrels
from stcollection.texts import later
from stcollection.topics.load import load as load_topics
from stcollection.web.desk import Desk
from stcollection.web.uploads.files import UploadedFile
from stcollection.web.uploads.loading import longer
from stcollection.web.uploads.unpack import named
from stcollection.web.words import n, t, whole

ROWS = 8  # rows shown
_CHUNKS = 50  # of 1 MB, of documents
_REJECTS = 50
_TEXT = 150  # characters of a cell
_TRIAL = "upload: preview"  # name of the edition of a trial import, which is rolled back


@dataclass(kw_only=True)
class DataPreview:
    """What a file contains.

    :param counts: (what, in English; number). :param more: the file is longer than what was read. :param rows: the first rows.
    :param rejects: (line, document, reason) of the first records that cannot be stored. :param notes: remarks.
    :param problem: why it cannot be loaded as it is, or None. :param grades: for judgments, the grades in the file.
    """

    format: str
    counts: list[tuple[str, int]]
    headers: tuple[str, ...]
    rows: list[tuple[object, ...]] = field(default_factory=list)
    more: bool = False
    rejects: list[tuple[int, str | None, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problem: StcError | None = None
    grades: tuple[int, ...] = ()


async def preview(desk: Desk, file: UploadedFile, kind: Kind, *, trial: bool) -> DataPreview:
    """Read a file without storing anything. :param trial: load it in a transaction that is rolled back, to find conflicts."""
    plain = file.plain
    assert plain is not None  # noqa: S101
    if kind == "corpus":
        found, docnos = await asyncio.to_thread(_documents, plain)
        known = await desk.ask(_known, "dblp", docnos)
        if known:
            note = n(
                "{count:,} of its documents is stored already; it keeps its text, unless you replace it.",
                "{count:,} of its documents are stored already; they keep their text, unless you replace them.",
                known,
            )
            found.notes.append(note)
        return found
    if kind == "topics":
        found, names = await asyncio.to_thread(_topics, plain)
        await _compare(desk, found, queries=names)
    else:
        found, names, docnos = await asyncio.to_thread(_judgments, plain)
        await _compare(desk, found, queries=names, docnos=docnos)
    if trial:
        try:
            with named(file):
                await desk.write(_try, plain, kind)
        except StcError as error:
            found.problem = error
    return found


async def _compare(desk: Desk, found: DataPreview, *, queries: Sequence[str], docnos: Sequence[str] = ()) -> None:
    """Add how many queries and documents of a file the collection has."""
    if queries:
        known = await desk.ask(_known, "st1_queries", queries)
        note = n(
            "In the collection: {known:,} of its {count:,} query.",
            "In the collection: {known:,} of its {count:,} queries.",
            len(queries),
            known=known,
        )
        found.notes.append(note)
    if docnos:
        known = await desk.ask(_known, "dblp", docnos)
        note = n(
            "In the collection: {known:,} of its {count:,} document.",
            "In the collection: {known:,} of its {count:,} documents.",
            len(docnos),
            known=known,
        )
        found.notes.append(note)


@translate()
def _known(conn: psycopg.Connection, relation: str, names: Sequence[str]) -> int:
    statement = (
        "SELECT count(*) FROM dblp WHERE docno = ANY (%s) AND NOT stub"
        if relation == "dblp"
        else "SELECT count(*) FROM st1_queries WHERE query = ANY (%s) AND text IS NOT NULL"
    )
    row = conn.execute(statement, [list(names)]).fetchone()
    return int(row[0]) if row else 0


def _try(conn: psycopg.Connection, plain: Path, kind: Kind) -> None:
    """Load a file and roll back. :raises StcError: loading it would fail."""
    with longer(conn), conn.transaction(force_rollback=True):
        if kind == "topics":
            load_topics(conn, [plain])
        else:
            import_qrels(conn, plain, edition=_TRIAL)


def _documents(plain: Path) -> tuple[DataPreview, list[str]]:
    stream = chunks(Source(str(plain)), format=None)
    found = DataPreview(format="", counts=[], headers=(t("document"), t("title"), t("text")))
    counts: Counter[str] = Counter()
    docnos: dict[str, None] = {}
    for chunk in islice(stream, _CHUNKS):
        found.format = str(chunk.format)
        batch = parse(chunk, on_duplicate="skip")
        repeated = len(batch.duplicates) + len(batch.documents.keys() & docnos.keys())
        counts.update(documents=len(batch.documents.keys() - docnos.keys()), repeated=repeated, rejects=len(batch.rejects))
        docnos.update(dict.fromkeys(batch.documents))
        rest = ROWS - len(found.rows)
        found.rows += [(one.docno, _cell(one.title), _cell(one.abstract)) for one in islice(batch.documents.values(), rest)]
        found.rejects += [(one.line, one.docno, one.reason) for one in batch.rejects][: _REJECTS - len(found.rejects)]
    found.more = next(stream, None) is not None
    if not docnos:
        reason = f": {found.rejects[0][2]}" if found.rejects else ""
        raise BadInput(f"{plain}: none of its records is a document{reason}", hint="Check the file, or select another kind.")
    found.counts = [
        (later("documents"), counts["documents"]),
        (later("repeated documents"), counts["repeated"]),
        (later("rejects"), counts["rejects"]),
    ]
    return found, list(docnos)


def _topics(plain: Path) -> tuple[DataPreview, list[str]]:
    how, queries = read_queries(plain)
    topics = {one.topic for one in queries if one.topic is not None}
    counts = [(later("queries"), len(queries)), *([(later("topics"), len(topics))] if topics else [])]
    rows: list[tuple[object, ...]] = [(one.query, _cell(one.text), one.topic) for one in queries[:ROWS]]
    found = DataPreview(format=how, counts=counts, headers=(t("query"), t("text"), t("topic")), rows=rows)
    if roles.boolean_queries(queries):
        found.notes.append(t("All queries are Boolean formulas."))
    return found, list(dict.fromkeys(one.query for one in queries))


def _judgments(plain: Path) -> tuple[DataPreview, list[str], list[str]]:
    queries: dict[str, None] = {}
    docnos: dict[str, None] = {}
    grades: Counter[int] = Counter()
    rows: list[tuple[object, ...]] = []
    for one in stream_qrels(plain):
        queries[one.query] = docnos[one.doc] = None
        grades[one.rel] += 1
        if len(rows) < ROWS:
            rows.append((one.query, one.doc, one.rel))
    if not rows:
        raise BadInput(f"{plain}: contains no judgment", hint="Check that it is the right file.")
    counts = [(later("judgments"), grades.total()), (later("queries"), len(queries)), (later("documents"), len(docnos))]
    found = DataPreview(
        format=roles.qrels_format(plain)[0],
        counts=counts,
        headers=(t("query"), t("document"), t("grade")),
        rows=rows,
        grades=tuple(sorted(grades)),
    )
    listed = ", ".join(f"{grade} ({whole(grades[grade])})" for grade in sorted(grades))
    found.notes.append(t("Grades: {grades}.", grades=listed))
    if reversed_scale(grades):
        found.notes.append(t("If 1 is the best grade, as in Cranfield's judgments, select so below."))
    return found, list(queries), list(docnos)


def _cell(text: str | None) -> str:
    shown = text or ""
    return shown if len(shown) <= _TEXT else f"{shown[:_TEXT]}…"
