"""The data sets of answer verification that are loaded: what they hold, the ledger, what was wrong; removed; written as files again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import psycopg
from psycopg.rows import class_row

from stcollection.analysis.answers.files import KINDS, escape
from stcollection.errors import BadArgument, translate

PROBLEMS = ("reject", "duplicate", "contradictory", "unknown", "escaped")


class Overview(NamedTuple):
    """What a split holds; the fields are columns of answer_overview."""

    set: str
    split: str
    queries: int
    documents: int
    answers: int
    unplaced: int
    pairs: int
    label_1: int
    label_0: int
    both: int
    support: int
    neutral: int
    oppose: int
    gold_queries: int
    gold: int
    templates: int
    runs: int


class Problem(NamedTuple):
    """A line that was not stored as it stands. :param line: in its file, from 1."""

    split: str
    kind: str
    line: int
    problem: str
    reason: str


class Dropped(NamedTuple):
    """How many splits went, and how many runs with them."""

    splits: int
    runs: int


@translate()
def overview(conn: psycopg.Connection, set: str | None = None) -> list[Overview]:  # noqa: A002
    """What each split holds; of one data set, or of all.

    :raises UnknownObject: no such data set.
    """
    with conn.cursor(row_factory=class_row(Overview)) as cursor:
        rows = cursor.execute("SELECT * FROM answer_overview WHERE %(set)s::text IS NULL OR set = %(set)s", {"set": set}).fetchall()
    if set is not None and not rows:
        conn.execute("SELECT answer_set_key(%s, 'train')", [set])
    return rows


@translate()
def files(conn: psycopg.Connection) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Headers and rows of the ledger."""
    cursor = conn.execute(
        "SELECT set, split, kind, path, lines, stored, duplicates, contradictory, unknown, rejects, escaped, round(seconds::numeric, 2),"
        " sha256, loaded FROM answer_ledger"
    )
    return ["seconds" if column.name == "round" else column.name for column in cursor.description or ()], cursor.fetchall()


@translate()
def rejects(conn: psycopg.Connection, set: str, *, split: str | None = None, problem: str | None = None) -> list[Problem]:  # noqa: A002
    """Lines of a data set's files that were not stored as they stand, by file and line.

    :param problem: one of PROBLEMS; all if None.
    :raises UnknownObject: no such data set, or split of it.
    """
    if split is not None or not overview(conn, set):
        conn.execute("SELECT answer_set_key(%s, %s)", [set, split])
    with conn.cursor(row_factory=class_row(Problem)) as cursor:
        return cursor.execute(
            "SELECT s.split, f.kind, r.line, r.problem, r.reason FROM answer_rejects r"
            " JOIN answer_files f ON f.id = r.file JOIN answer_sets s ON s.id = f.set"
            " WHERE s.set = %s AND s.split = coalesce(%s, s.split) AND r.problem = coalesce(%s, r.problem)"
            " ORDER BY array_position('{train,dev,test}', s.split), f.id, r.line, r.id",
            [set, split, problem],
        ).fetchall()


@translate()
def drop(conn: psycopg.Connection, set: str, *, split: str | None = None) -> Dropped:  # noqa: A002
    """Remove a split, or a whole data set, with all that was made of it.

    :raises UnknownObject: no such data set, or split of it.
    """
    with conn.transaction(), conn.cursor(row_factory=class_row(Dropped)) as cursor:
        dropped = cursor.execute("SELECT splits, runs FROM answer_drop(%s, %s)", [set, split]).fetchone()
        assert dropped is not None  # noqa: S101
        if dropped.splits == 0:
            conn.execute("SELECT answer_set_key(%s, %s)", [set, split or "train"])
    return dropped


_DOCUMENTS = """
SELECT q.text, coalesce(json_agg(json_build_object('title', d.title, 'url', d.url, 'doc_text', d.text, 'doc_id', d.doc_id)
                                 ORDER BY d.place) FILTER (WHERE d.id IS NOT NULL), '[]')
  FROM answer_queries q LEFT JOIN answer_documents d ON d.query = q.id
 WHERE q.set = %(set)s AND EXISTS (SELECT FROM answer_files f WHERE f.set = q.set AND f.kind = 'documents'
                                   UNION ALL SELECT FROM answer_documents d JOIN answer_queries o ON o.id = d.query WHERE o.set = q.set)
 GROUP BY q.id ORDER BY q.place
"""
# The direction of a pair, and the order of pairs, are told by what they hold: loaded again, and written again, they are the same bytes.
_PAIRS = """
SELECT q.text, one.url, one.text, two.url, two.text, {says}
  FROM answer_pairs p JOIN answer_queries q ON q.id = p.query JOIN answers a ON a.id = p.a JOIN answers b ON b.id = p.b
 CROSS JOIN LATERAL (SELECT (a.url, a.text COLLATE "C") <= (b.url, b.text COLLATE "C") AS ahead) o
 CROSS JOIN LATERAL (SELECT CASE WHEN ahead THEN a.url ELSE b.url END AS url, CASE WHEN ahead THEN a.text ELSE b.text END AS text) one
 CROSS JOIN LATERAL (SELECT CASE WHEN ahead THEN b.url ELSE a.url END AS url, CASE WHEN ahead THEN b.text ELSE a.text END AS text) two
 {more}
 WHERE q.set = %(set)s AND a.source = 'given' AND b.source = 'given'
 ORDER BY q.place, one.url, one.text COLLATE "C", two.url, two.text COLLATE "C", 6
"""
_GOLD = """
SELECT q.text, coalesce(string_agg(d.doc_id, ',' ORDER BY d.place) FILTER (WHERE g.document IS NOT NULL), '')
  FROM answer_queries q JOIN answer_documents d ON d.query = q.id LEFT JOIN answer_gold g ON g.document = d.id
 WHERE q.set = %(set)s AND EXISTS (SELECT FROM answer_files f WHERE f.set = q.set AND f.kind = 'gold'
                                   UNION ALL SELECT FROM answer_gold o JOIN answer_queries w ON w.id = o.query WHERE w.set = q.set)
 GROUP BY q.id ORDER BY q.place
"""
_STATEMENTS = {
    "documents": _DOCUMENTS,
    "pairs": _PAIRS.format(
        says="w.label::text",
        more="CROSS JOIN LATERAL (SELECT generate_series(coalesce(p.label, 0), coalesce(p.label, 1)) AS label) w",
    ),
    "relations": _PAIRS.format(says="p.relation", more="").replace("WHERE", "WHERE p.relation IS NOT NULL AND", 1),
    "gold": _GOLD,
    "templates": "SELECT q.text, q.template FROM answer_queries q WHERE q.set = %(set)s AND q.template IS NOT NULL ORDER BY q.place",
}


@translate()
def export(conn: psycopg.Connection, set: str, folder: Path, *, replace: bool = False) -> list[tuple[Path, int]]:  # noqa: A002
    """Write a data set as the files it could have been loaded from; loaded, they give the same tables, and written again the same bytes.

    A contradictory pair is written with both labels, a query without gold with an empty list.

    :param folder: made where it is not there. :param replace: files that are there are written over.
    :returns: each file with its lines.
    :raises UnknownObject: no such data set. :raises BadArgument: a file is there.
    """
    written: list[tuple[Path, int]] = []
    with conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        for split in [one.split for one in overview(conn, set)]:
            key = conn.execute("SELECT answer_set_key(%s, %s)", [set, split]).fetchone()
            assert key is not None  # noqa: S101
            for kind, name in KINDS.items():
                path = folder / f"{split}_{name}"
                if lines := _write(conn, path, kind, key[0], replace=replace):
                    written.append((path, lines))
    return written


def _write(conn: psycopg.Connection, path: Path, kind: str, key: int, *, replace: bool) -> int:
    """:returns: the lines written; a file without any is not made."""
    lines = 0
    part = path.with_name(path.name + ".part")
    try:
        with conn.cursor(name="answer_export") as cursor:
            cursor.execute(_STATEMENTS[kind].encode(), {"set": key})
            for line in _lines(cursor, kind):
                if lines == 0:
                    if path.exists() and not replace:
                        raise BadArgument(f"{path} is there already", hint="Take another folder, or --replace to write over it.")
                    path.parent.mkdir(parents=True, exist_ok=True)
                    file = part.open("wb")
                lines += 1
                file.write(line + b"\n")
        if lines:
            file.close()
            part.replace(path)
    finally:
        if lines:
            file.close()
            part.unlink(missing_ok=True)
    return lines


def _lines(cursor: psycopg.ServerCursor[Any], kind: str) -> Iterator[bytes]:
    for row in cursor:
        if kind == "documents":
            yield orjson.dumps({"query": row[0], "docs": row[1]})
        else:
            yield "\t".join(map(escape, row)).encode()
