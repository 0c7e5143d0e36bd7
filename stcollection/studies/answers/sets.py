"""Loaded data sets of answer verification: contents, ledger, rejects; and removing them."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import psycopg
from psycopg import sql

from stcollection.db.connection import headed
from stcollection.db.roles import rows_schema
from stcollection.db.rows import only_record, records
from stcollection.declared import Option
from stcollection.errors import translate
from stcollection.studies.answers.parameters import AnswerSet, Split

PROBLEMS = ("reject", "duplicate", "contradictory", "unknown", "escaped")


class AnswerSetOverview(NamedTuple):
    """The contents of a split; the fields are columns of answer_overview."""

    set: str
    split: str
    queries: int
    documents: int
    answers: int
    unplaced: int
    pairs: int
    label_1: int
    label_0: int
    contradictory: int
    support: int
    neutral: int
    oppose: int
    gold_queries: int
    gold: int
    templates: int
    runs: int


class Problem(NamedTuple):
    """A line that was rejected or changed. :param line: in its file, from 1."""

    split: str
    kind: str
    line: int
    problem: str
    reason: str


class DroppedSplits(NamedTuple):
    """Number of splits removed, and of runs removed with them."""

    splits: int
    runs: int


@translate()
def overview(conn: psycopg.Connection, set: AnswerSet | None = None) -> list[AnswerSetOverview]:  # noqa: A002
    """Return the contents of each split, of one data set or of all.

    :raises UnknownObject: the data set does not exist.
    """
    rows = records(
        conn,
        AnswerSetOverview,
        sql.SQL("SELECT * FROM {}.answer_overview WHERE %(set)s::text IS NULL OR set = %(set)s").format(rows_schema(conn)),
        {"set": set},
    )
    if set is not None and not rows:
        conn.execute("SELECT stc.answer_set_key(%s, 'train')", [set])
    return rows


@translate()
def files(conn: psycopg.Connection) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return headers and rows of the ledger."""
    return headed(
        conn,
        "SELECT set, split, kind, path, lines, stored, duplicates, contradictory, unknown, rejects, escaped, seconds, sha256,"
        " loaded FROM stc_all.answer_ledger",
    )


@translate()
def rejects(
    conn: psycopg.Connection,
    set: AnswerSet,  # noqa: A002
    *,
    split: Split | None = None,
    problem: Annotated[str | None, Option(choices=PROBLEMS)] = None,
) -> list[Problem]:
    """Return the lines of a data set's files that were rejected or changed, by file and line.

    :param split: Restrict the command to this split. :param problem: Only lines with this problem.
    :raises UnknownObject: the data set or split does not exist.
    """
    if split is not None or not overview(conn, set):
        conn.execute("SELECT stc.answer_set_key(%s, %s)", [set, split])
    return records(
        conn,
        Problem,
        "SELECT s.split, f.kind, r.line, r.problem, r.reason FROM stc_all.answer_rejects r"
        " JOIN stc.answer_files f ON f.id = r.file JOIN stc.answer_sets s ON s.id = f.set"
        " WHERE s.set = %s AND s.split = coalesce(%s, s.split) AND r.problem = coalesce(%s, r.problem)"
        " ORDER BY array_position('{train,dev,test}', s.split), f.id, r.line, r.id",
        [set, split, problem],
    )


@translate()
def drop(conn: psycopg.Connection, set: AnswerSet, *, split: Split | None = None) -> DroppedSplits:  # noqa: A002
    """Remove a split, or a whole data set, with everything derived from it.

    :param split: Restrict the command to this split.
    :raises UnknownObject: the data set or split does not exist.
    """
    with conn.transaction():
        dropped = only_record(conn, DroppedSplits, "SELECT splits, runs FROM stc.answer_drop(%s, %s)", [set, split])
        if dropped.splits == 0:
            conn.execute("SELECT stc.answer_set_key(%s, %s)", [set, split or "train"])
    return dropped
