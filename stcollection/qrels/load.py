"""Import judgments: files append to an edition and never change stored judgments."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Annotated

import psycopg
from psycopg.rows import class_row

from stcollection.cells import HtmlFields
from stcollection.db.connection import vacuum
from stcollection.declared import INTERNAL, AllowedRange, Option, check_fields
from stcollection.errors import BadArgument, BadInput, translate
from stcollection.io.files import ESCAPE
from stcollection.io.irdatasets import PREFIX, clicks_of
from stcollection.io.places import path_text, place
from stcollection.io.qrels.judgments import Judgment, best_first, doubtful_judgments, reversed_scale, stream_qrels
from stcollection.io.qrels.subtopics import repeats_by_subtopic
from stcollection.io.streams import STDIN
from stcollection.qrels.editions import NOTHING_SAID, EditionFacts, as_scale, describe
from stcollection.qrels.parameters import RELEVANCE, GradeMap, GrowingEdition, HiddenEdition
from stcollection.qrels.sources import changed, digest
from stcollection.runs.policies import UnknownDocuments, UnknownQueries
from stcollection.topics.known import settle_policy

ON_DUPLICATE = ("error", "first")
ORIGINS = ("human", "llm", "knn")
_COPY = "COPY pg_temp.incoming (line, query, docno, rel, origin, annotator) FROM STDIN"
_COPY_STRATA = "COPY pg_temp.incoming (line, query, docno, rel, origin, annotator, stratum) FROM STDIN"
_WHOLE = (
    "each stratum counts as judged whole, because no document has grade -1. If documents were not drawn, add their lines: the size"
    " of a stratum is the number of its lines"
)
_BATCH = 10_000
_REVERSED = (
    "the grades are {}. In Cranfield's judgments, 1 is the best grade and -1 means not relevant. If so here, drop the edition and"
    " import the file with --best-grade 1"
)


@dataclass(frozen=True, kw_only=True)
class JudgmentOptions:
    """Options for reading and importing a file of judgments.

    An edition has one mapping of grades. ``hidden`` is for new editions: None hides those of the split ``test``. A column
    ``simulated`` in the file, as in exports of simulated editions, marks the edition too; False keeps the mark of a stored one.

    :param annotator: Name of the annotator.
    :param origin: Origin of the judgments.
    :param columns: Columns of the file: query,_,doc,rel by position (_ ignores a column), or query=question,doc=paper,rel=useful by
        name.
    :param best_grade: Grade 1 is the best, as in Cranfield's judgments: reverse the grades.
    :param on_duplicate: If the file judges a document twice with different grades: stop, or keep the first grade.
    :param simulated: Mark the edition and all output from it as simulated: the judgments were made up.
    """

    annotator: Annotated[str | None, Option(default="the file's column annotator, else none")] = None
    origin: Annotated[str | None, Option(choices=ORIGINS, default="the file's column origin, else human")] = None
    columns: Annotated[str | None, Option(metavar="NAMES", default="recognised")] = None
    grades: GradeMap = None
    relevance: Annotated[int | None, AllowedRange(ge=-32768, le=32767), RELEVANCE] = None
    best_grade: Annotated[int | None, AllowedRange(ge=1, le=1)] = None
    on_duplicate: Annotated[str, Option(choices=ON_DUPLICATE)] = "error"
    unknown_documents: UnknownDocuments = "few"
    unknown_queries: UnknownQueries = "few"
    hidden: HiddenEdition = None
    simulated: bool = False

    def __post_init__(self) -> None:
        check_fields(self)


AS_IN_THE_FILE = JudgmentOptions()


@dataclass(frozen=True, kw_only=True)
class ImportedQrels(HtmlFields):
    """Counts of one imported file of judgments.

    :param judgments: judgments in the file, without duplicates and skipped ones. :param unchanged: already stored.
    :param new_documents: stubs created. :param skipped_documents: rows skipped for unknown documents.
    :param gone: judgments that the edition has from an earlier version of the file, and that the file no longer contains.
    :param earlier: SHA-256 of that version; None if the path was not imported before, or the file did not change.
    """

    queries: int = 0
    judgments: int = 0
    added: int = 0
    unchanged: int = 0
    duplicates: int = 0
    new_documents: int = 0
    skipped_documents: int = 0
    new_queries: int = 0
    skipped_queries: int = 0
    gone: int = 0
    earlier: str | None = None
    seconds: float = 0.0


@translate()
def import_qrels(
    conn: psycopg.Connection,
    path: Annotated[Path, INTERNAL],
    *,
    edition: GrowingEdition,
    options: JudgmentOptions = AS_IN_THE_FILE,
    facts: EditionFacts = NOTHING_SAID,
    name: Annotated[str | None, INTERNAL] = None,
    warn: Callable[[str], None] | None = None,
) -> ImportedQrels:
    """Append the judgments of one file, all or none, to an edition, which is created if necessary.

    Stored judgments do not change, so the same file can be imported again.

    :param facts: description of the edition, as for :func:`~stcollection.qrels.editions.describe`.
    :param name: name in the ledger for rows of a data frame, which are in a temporary file; None uses the path.
    :param warn: called with a warning if the file has changed since its last import, if comments could be judgments, or if 1 looks
        like the best grade.
    :raises BadInput: an invalid line; a grade that differs from the stored one or from an earlier line of the file.
    :raises BadArgument: the edition has another mapping of grades, split or year.
    :raises StateError: the edition is sealed and lacks some of the judgments.
    """
    began = time.monotonic()
    if (clicks := clicks_of(str(path))) is not None:
        options = replace(options, annotator=options.annotator or f"clicks-{clicks}")
        facts = replace(facts, description=facts.description or f"Derived from clicks ({clicks}), not judged by people")
    grades, simulated = options.grades, options.simulated
    if options.best_grade is not None:
        if options.best_grade != 1 or grades is not None:
            hint = "Use 1 without a mapping of grades; describe any other order by a mapping."
            raise BadArgument(f"a best grade of {options.best_grade}", hint=hint)
        grades = best_first(path, columns=options.columns, relevance=options.relevance)
    judgments = stream_qrels(path, columns=options.columns, grades=grades, relevance=options.relevance)
    given_grades: set[int] = set()
    sha256 = digest(path)
    if warn is not None:
        for warning in filter(None, (changed(conn, path, sha256), doubtful_judgments(path))):
            warn(warning)
    with conn.transaction(), _second_column(path, edition, options), conn.cursor(row_factory=class_row(ImportedQrels)) as cursor:
        some = list(islice(judgments, _BATCH))
        sampled = bool(some) and some[0].stratum is not None
        conn.execute("SELECT stc.stage_strata()" if sampled else "SELECT stc.stage_incoming()")
        with cursor.copy(_COPY_STRATA if sampled else _COPY) as copy:
            while some:
                given_grades.update(judgment.rel for judgment in some)
                simulated = simulated or any(judgment.simulated for judgment in some)
                copy.write("".join(_copied(judgment, options) for judgment in some))
                some = list(islice(judgments, _BATCH))
        if warn is not None and sampled and min(given_grades) >= 0:
            warn(f"{path_text(path)}: {_WHOLE}")
        if warn is not None and grades is None and reversed_scale(given_grades):
            warn(f"{path_text(path)}: {_REVERSED.format(', '.join(map(str, sorted(given_grades))))}")
        unknown_queries = settle_policy(conn, name or path_text(path), options.unknown_queries)
        cursor.execute(
            "SELECT *, 0 AS seconds FROM stc.import_qrels(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [
                edition,
                name or path_text(path),
                options.origin,
                options.annotator,
                options.on_duplicate,
                options.unknown_documents,
                unknown_queries,
                as_scale(grades),
                name or place(path),
                sha256 if name is None else None,
                facts.split == "test" if options.hidden is None else options.hidden,
            ],
        )
        imported = cursor.fetchone() or ImportedQrels()
        if imported.duplicates and (error := _repeated(path, edition, options)):
            raise error
        if simulated:
            conn.execute("SELECT stc.mark_simulated(%s)", [edition])
        if facts != NOTHING_SAID:
            describe(conn, edition, description=facts.description, split=facts.split, year=facts.year, anew=False)
    if imported.added:
        vacuum(conn, "qrels_judgments")
    return replace(imported, seconds=time.monotonic() - began)


@translate()
def import_strata(conn: psycopg.Connection, path: Path, *, edition: str) -> None:
    """Store the strata of a file of the format ``strata`` for the judgments that an edition has. Unknown names become stubs.

    :raises BadInput: an invalid line, or the edition has another sample. :raises StateError: the edition is sealed.
    """
    with conn.transaction(), conn.cursor() as cursor:
        cursor.execute("SELECT stc.stage_strata()")
        with cursor.copy(_COPY_STRATA) as copy:
            for judgment in stream_qrels(path):
                copy.write(_copied(judgment, JudgmentOptions()))
        cursor.execute("SELECT stc.incoming_strata(%s)", [path_text(path)])
        cursor.execute("SELECT FROM stc.resolve_incoming(%s, 'stub', 'stub')", [path_text(path)])
        cursor.execute("SELECT stc.import_strata(stc.edition_key(%s), %s, 0)", [edition, path_text(path)])


def _copied(judgment: Judgment, options: JudgmentOptions) -> str:
    """Return a judgment as a line of COPY."""
    origin, annotator = options.origin or judgment.origin or "human", options.annotator or judgment.annotator or ""
    query, doc, texts = judgment.query, judgment.doc, f"{judgment.query}{judgment.doc}{origin}{annotator}"
    if "\\" in texts or not texts.isprintable():
        query, doc, origin, annotator = (text.translate(ESCAPE) for text in (query, doc, origin, annotator))
    stratum = "" if judgment.stratum is None else f"\t{judgment.stratum.translate(ESCAPE)}"
    return f"{judgment.line}\t{query}\t{doc}\t{judgment.rel}\t{origin}\t{annotator}{stratum}\n"


@contextmanager
def _second_column(path: Path, edition: str, options: JudgmentOptions) -> Iterator[None]:
    """Add a hint to the error about a second grade of a document if the skipped column may explain it."""
    try:
        yield
    except psycopg.Error as error:
        if error.sqlstate == "IR302" and (better := _repeated(path, edition, options)):
            raise BadInput(str(error.diag.message_primary), hint=better.hint, sqlstate="IR302") from error
        raise


def _repeated(path: Path, edition: str, options: JudgmentOptions) -> BadInput | None:
    """Return an error if the file repeats documents with other values in its second column, which is otherwise skipped."""
    if options.columns is not None or path.as_posix().startswith(PREFIX) or place(path) == STDIN or not repeats_by_subtopic(path):
        return None
    return BadInput(
        f"{path_text(path)}: documents of a query are repeated with different second columns",
        hint=f"If they are subtopics: stc load --as subtopics {path_text(path)} --edition {edition}. If they are assessors, add"
        " --columns query,annotator,doc,rel; to skip them, --columns query,_,doc,rel. Nothing was stored.",
        sqlstate="IR302",
    )
