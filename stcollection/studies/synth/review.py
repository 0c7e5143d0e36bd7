"""Review of queries generated from articles: sheets for a person, decisions, publication, and the check once they are judged."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, BinaryIO, NamedTuple

import psycopg
from psycopg.types.json import Jsonb

from stcollection.db.rows import only_record, records
from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, declare
from stcollection.errors import BadArgument, translate
from stcollection.io.files import clip
from stcollection.qrels.sheets import LAYOUTS, BadSheet, SheetFault, plain, sheet_rows, write_sheet
from stcollection.studies.synth.parameters import Level

COLUMNS = (
    "token", "topic", "title", "article_origin", "article", "query_text", "nearest_query", "nearest", "words", "cosine",
    "right_article", "duplicate", "reworded", "note",
)  # fmt: skip
VERDICTS = ("accepted", "off-topic", "duplicate")
FEWEST = 5  # relevant documents that each query of SimpleText has
_TOKEN = re.compile(r"s([0-9]{1,18})")  # a letter first: spreadsheets change no such cell
_ANSWERS = {"yes": True, "y": True, "no": False, "n": False, "": None}
_CELLS = {"accepted": ("yes", "no"), "off-topic": ("no", ""), "duplicate": ("", "yes"), None: ("", "")}


class ReviewLine(NamedTuple):
    """One line of a returned sheet.

    :param id: of the subtopic; None if the token is invalid. :param verdict: accepted, off-topic, duplicate; None: not reviewed.
    :param reworded: the reviewer's text; None: unchanged.
    """

    line: int
    token: str
    id: int | None
    verdict: str | None
    reworded: str | None
    note: str


@dataclass(frozen=True, kw_only=True)
class Reviewed:
    """Counts of an imported sheet. :param decided: first decisions. :param blank: lines without a decision."""

    decided: int
    changed: int
    unchanged: int
    blank: int


class PublishedSubtopic(NamedTuple):
    """A query that was published from a subtopic."""

    query: str
    topic: str
    text: str
    reviewer: str


class CheckedSubtopic(NamedTuple):
    """A published subtopic in an edition. :param state: enough, too few, not judged."""

    query: str
    topic: str
    text: str | None
    judged: int
    relevant: int
    state: str


@translate()
def export_review(
    conn: psycopg.Connection,
    out: BinaryIO,
    *,
    near: bool = False,
    reviewed: bool = False,
    layout: Annotated[str, Option("--format", choices=LAYOUTS)] = "csv",
) -> int:
    """Write a sheet of generated queries for a reviewer, with the article in the first row of each topic.

    The reviewer fills in right_article (is the query about a subtopic of the article?) and duplicate, both yes or no, and
    optionally reworded and note. CSV is written as for :func:`~stcollection.qrels.sheets.export_sheet`.

    :param near: Include queries set aside as near-duplicates.
    :param reviewed: Include queries that have a decision, with the decision. :param layout: CSV for spreadsheets, or JSON lines.
    :returns: the number of queries.
    """
    subtopics = conn.execute("SELECT * FROM stc.synth_review_sheet(%s, %s)", [near, reviewed]).fetchall()
    rows = []
    for key, *texts, words, cosine, verdict, reworded, note in subtopics:
        numbers = [None if value is None else round(value, 2) for value in (words, cosine)]
        rows.append((f"s{key}", *map(plain, texts), *numbers, *_CELLS[verdict], plain(reworded), plain(note)))
    return write_sheet(out, COLUMNS, rows, layout=layout)


@translate()
def import_review(
    conn: psycopg.Connection, path: Annotated[Path, Option("FILE")], *, reviewer: Annotated[str, Option(metavar="NAME")]
) -> Reviewed:
    """Store the decisions of a returned sheet, all or none. A line without a decision changes nothing.

    A query is accepted if right_article is yes and duplicate is no.

    :param reviewer: Name of the reviewer; it is stored with each query.
    :raises BadSheet: invalid or incomplete decisions, unknown tokens, published queries, or two queries with the same words.
    :raises BadArgument: the reviewer's name is not valid.
    """
    lines, faults = read_review(path)
    with conn.transaction():
        faults = sorted([*faults, *_faults(conn, lines)])
        if faults:
            raise BadSheet(path, faults)
        return _keep(conn, lines, reviewer)


@translate()
def review_subtopic(
    conn: psycopg.Connection,
    subtopic: int,
    verdict: str,
    *,
    reviewer: str,
    reworded: str | None = None,
    note: str = "",
) -> Reviewed:
    """Store one decision, as a line of a sheet does.

    :param subtopic: its id. :param verdict: accepted, off-topic or duplicate. :param reworded: another text for the query.
    :raises BadArgument: no such verdict, an invalid name of the reviewer, or a decision that cannot be stored: no such subtopic,
        a published query, or the words of another query.
    """
    if verdict not in VERDICTS:
        raise BadArgument(f"{clip(verdict)} is not a decision", hint=f"Use {', '.join(VERDICTS)}.")
    line = ReviewLine(1, f"s{subtopic}", subtopic, verdict, plain(reworded) or None, plain(note))
    with conn.transaction():
        faults = _faults(conn, [line])
        if faults:
            raise BadArgument(faults[0].what, hint="Nothing was stored. Reword the query, or choose another decision.")
        return _keep(conn, [line], reviewer)


def _faults(conn: psycopg.Connection, lines: Sequence[ReviewLine]) -> list[SheetFault]:
    faults = conn.execute("SELECT line, fault FROM stc.synth_review_faults(%s)", [Jsonb([line._asdict() for line in lines])])
    return [SheetFault(*row) for row in faults.fetchall()]


def _keep(conn: psycopg.Connection, lines: Sequence[ReviewLine], reviewer: str) -> Reviewed:
    decisions = Jsonb([line._asdict() for line in lines])
    return only_record(conn, Reviewed, "SELECT * FROM stc.synth_review(%s, %s)", [decisions, reviewer])


def read_review(path: Path) -> tuple[list[ReviewLine], list[SheetFault]]:
    """Read a returned sheet into decisions and faults. :raises BadInput: the file is not such a sheet."""
    lines: list[ReviewLine] = []
    faults: list[SheetFault] = []
    for number, row in sheet_rows(path, ("token", "right_article", "duplicate")):
        if isinstance(row, str):
            faults.append(SheetFault(number, row))
            continue
        token = _cell(row, "token")
        reworded = plain(_cell(row, "reworded")) or None
        verdict, fault = _verdict(_cell(row, "right_article").lower(), _cell(row, "duplicate").lower(), reworded)
        matched = _TOKEN.fullmatch(token)
        if not token or fault:
            faults.append(SheetFault(number, fault or "no token"))
        else:
            key = int(matched[1]) if matched else None
            lines.append(ReviewLine(number, token, key, verdict, reworded, plain(_cell(row, "note"))))
    return lines, faults


def _cell(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value).strip()


def _verdict(right: str, duplicate: str, reworded: str | None) -> tuple[str | None, str | None]:
    """Return the decision of a line, or what is wrong with it."""
    for name, answer in (("right_article", right), ("duplicate", duplicate)):
        if answer not in _ANSWERS:
            return None, f"{name} is {clip(answer)}, not yes or no"
    fits, repeats = _ANSWERS[right], _ANSWERS[duplicate]
    if fits is False:
        return "off-topic", None
    if repeats:
        return "duplicate", None
    if fits is None and repeats is None:
        return None, "reworded without a decision: fill in right_article and duplicate" if reworded else None
    return ("accepted", None) if fits and repeats is False else (None, f"{'duplicate' if fits else 'right_article'} is blank")


@translate()
def publish_reviewed(conn: psycopg.Connection) -> list[PublishedSubtopic]:
    """Create queries from the accepted ones, named after their topics: G01.C1 (synth/sql/synth_publish_subtopics.sql).

    :returns: the new queries; a second call returns none.
    :raises StateError: none was accepted. :raises BadInput: a stored query has the same words.
    """
    with conn.transaction():
        return records(conn, PublishedSubtopic, "SELECT * FROM stc.synth_publish_subtopics()")


@declare
@note_simulated("edition")
@translate()
def check_reviewed(
    conn: psycopg.Connection,
    edition: Annotated[str, Option("EDITION", default="the only edition")],
    *,
    fewest: Annotated[int, AllowedRange(ge=1, le=2**31 - 1), Option("--min-relevant")] = FEWEST,
    level: Level = 1,
) -> Sequence[CheckedSubtopic]:
    """Return whether each published query reaches enough relevant documents in an edition, by name.

    :param fewest: Smallest number of relevant documents per query.
    :raises UnknownObject: the edition is not stored. :raises BadArgument: ``fewest`` is below 1.
    """
    return records(conn, CheckedSubtopic, "SELECT * FROM stc.synth_check_subtopics(%s, %s, %s)", [edition, fewest, level])
