"""Make the demo's pool, with the partial work of two invented annotators who disagree on some documents."""

from __future__ import annotations

from collections.abc import Mapping

import psycopg

from stcollection import demo
from stcollection.errors import translate
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.pools import PoolRules, make_pool

POOL = "demo"
QUERIES = ("D01.1", "D01.C1", "D02.1", "D02.C1", "D03.1", "D03.C1")
ANNOTATORS = {"anna": 0.75, "ben": 0.6}  # share of the pool that each has judged
_NOTES = {"anna": "only the introduction mentions it", "ben": "same authors as the document before"}
_HIGHEST = 2

Grades = Mapping[tuple[str, str], int]


@translate()
def load_pool(conn: psycopg.Connection) -> bool:
    """Store the pool with its grades, marked as simulated, all or nothing. Return False if a pool of its name is stored.

    Anna's grades are those of the train edition, Ben's those of its second annotator; some are moved by one. They depend on nothing
    else, so each demo has the same.
    """
    if conn.execute("SELECT FROM stc_all.qrels_pools WHERE pool = %s", [POOL]).fetchone() is not None:
        return False
    first, second = _read(second=False), _read(second=True)
    with conn.transaction():
        make_pool(conn, POOL, rules=PoolRules(depth=5), queries=QUERIES)
        conn.execute("UPDATE stc_all.qrels_pools SET simulated = true WHERE pool = %s", [POOL])
        for annotator, share in ANNOTATORS.items():
            _judge(AssessorSheet(conn, POOL, annotator), share, first, {} if annotator == "anna" else second)
    return True


def _judge(sheet: AssessorSheet, share: float, first: Grades, second: Grades) -> None:
    """Judge the beginning of a sheet."""
    rows = sheet.conn.execute("SELECT token, query, docno FROM stc.pool_sheet(%s, %s)", [sheet.pool, sheet.annotator]).fetchall()
    for number, (token, query, docno) in enumerate(rows[: int(len(rows) * share)], 1):
        seconds = 8 + 7 * (number * number % 6)
        if number % 17 == 0:
            sheet.decide(token, None, undecided=True, seconds=seconds)
            continue
        grade = second.get((query, docno), first.get((query, docno), 0))
        if number % (9 if second else 13) == 0:
            grade += 1 if grade < _HIGHEST else -1
        sheet.decide(token, grade, _NOTES[sheet.annotator] if number % 11 == 0 else None, seconds=seconds)


def _read(*, second: bool) -> dict[tuple[str, str], int]:
    lines = demo.qrels("train", second=second).read_text(encoding="utf-8").splitlines()
    return {(query, docno): int(rel) for query, _, docno, rel in map(str.split, lines)}
