"""Runs out of the collection, in TREC's and SimpleText's formats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import BinaryIO

import orjson
import psycopg
from psycopg.rows import class_row

from stcollection.errors import BadArgument, translate
from stcollection.io.records import Ranked as Ranked
from stcollection.runs.listing import header, require_run
from stcollection.runs.names import run_id
from stcollection.runs.scores import in_order, to_unit

_NUMBER = re.compile("0|[1-9][0-9]{0,17}")  # a docno that is a number in JSON too


@dataclass(frozen=True, kw_only=True)
class Exported:
    """:param without_passage: documents without any text in the collection; their passage is empty.
    :param cut: documents left out since 2022's format has no room for them.
    """

    run: str
    queries: int
    ranked: int
    without_passage: int = 0
    cut: int = 0


@translate()
def export_trec(conn: psycopg.Connection, run: str, out: BinaryIO, *, score: str = "rel", depth: int | None = None) -> Exported:
    """Write a run as ``query Q0 docno rank score name``. The scores give the same ranks again, by trec_eval too.

    :param score: ``rel`` or ``comb``: which one ranks the documents.
    :param depth: ranks up to it; None writes all.
    :raises UnknownObject: there is no such run.
    :raises BadArgument: a query or document whose name holds white space, which the format cannot carry.
    """
    queries = ranked = 0
    name = "_".join(run.split())
    for rows in ranked_by_query(conn, run, score=score, depth=depth, passages=False):
        scores = in_order([row.rel_score if score == "rel" else row.combined for row in rows], [row.docno for row in rows])
        for row, value in zip(rows, scores, strict=True):
            for one in (row.query, row.docno):
                if not one or any(sign in one for sign in " \t\n\r\v\f"):
                    raise BadArgument(
                        f"the name {one!r} holds white space, which TREC's format cannot carry", hint="Export --format simpletext."
                    )
            out.write(f"{row.query} Q0 {row.docno} {row.rank} {value!r} {name}\n".encode())
        queries, ranked = queries + 1, ranked + len(rows)
    return Exported(run=run, queries=queries, ranked=ranked)


@translate()
def export_simpletext(
    conn: psycopg.Connection, run: str, out: BinaryIO, *, score: str = "rel", depth: int | None = None, team: str | None = None
) -> Exported:
    """Write a run as a SimpleText submission: a JSON array that passes the official check by itself.

    Scores in [0, 1] stay as they are if all of the run's are; else they are mapped into it query by query, the order kept and no
    new ties made. The passage is the stored one, else the sentence of the abstract (or the title) with most words of the query.

    :param team: first part of the run_id ``TEAM_task1_NAME``; None takes the stored one, else ``stc``. A run whose name is a run_id
        keeps it.
    :raises UnknownObject: there is no such run.
    """
    stored, manual = header(conn, run)
    keep_rel, keep_comb = _in_unit(conn, run)
    name = run_id(run, team=team or stored or "stc")
    queries = ranked = without = 0
    out.write(b"[")
    for rows in ranked_by_query(conn, run, score=score, depth=depth, passages=True):
        rel = _unit(rows, "rel_score", keep_rel, first=score == "rel")
        comb = rel if all(row.comb_score is None for row in rows) else _unit(rows, "combined", keep_comb, first=score == "comb")
        for row in rows:
            record = {
                "run_id": name, "manual": int(manual), "topic_id": row.topic, "query_id": row.query,
                "doc_id": int(row.docno) if _NUMBER.fullmatch(row.docno) else row.docno,
                "rel_score": rel[row.docno], "comb_score": comb[row.docno], "passage": row.passage or "",
            }  # fmt: skip
            out.write(b",\n" if ranked else b"\n")
            out.write(orjson.dumps(record))
            ranked, without = ranked + 1, without + (not row.passage)
        queries += 1
    out.write(b"\n]\n")
    return Exported(run=run, queries=queries, ranked=ranked, without_passage=without)


def ranked_by_query(conn: psycopg.Connection, run: str, *, score: str, depth: int | None, passages: bool) -> Iterator[list[Ranked]]:
    """The ranking, query by query; a cursor of the server's, so that memory holds one query."""
    require_run(conn, run)
    with conn.transaction(), conn.cursor(name="run_ranking", row_factory=class_row(Ranked)) as cursor:
        cursor.itersize = 10_000
        cursor.execute("SELECT * FROM run_ranking(%s, %s, %s, %s)", [run, score, depth, passages])
        for _, rows in groupby(cursor, key=attrgetter("query")):
            yield list(rows)


def _in_unit(conn: psycopg.Connection, run: str) -> tuple[bool, bool]:
    """Whether all of the run's rel_scores and comb_scores are in [0, 1] as they are."""
    row = conn.execute(
        "SELECT coalesce(bool_and(rel_score BETWEEN 0 AND 1), true),"
        " coalesce(bool_and(coalesce(comb_score, rel_score) BETWEEN 0 AND 1), true)"
        " FROM st1_rankings r JOIN st1_runs n ON n.id = r.run WHERE n.run = %s",
        [run],
    ).fetchone()
    return row or (True, True)


def _unit(rows: list[Ranked], attribute: str, keep: bool, *, first: bool) -> dict[str, float]:
    """Scores in [0, 1] by docno. :param first: these are the scores that the rows are ranked by."""
    if not first:
        rows = sorted(rows, key=attrgetter(attribute), reverse=True)
    scores = [getattr(row, attribute) for row in rows]
    docnos = [row.docno for row in rows]
    if first:
        scores = in_order(scores, docnos)
    if not keep or scores[-1] < 0:
        scores = to_unit(scores)
    return dict(zip(docnos, scores, strict=True))
