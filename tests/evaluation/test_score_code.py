"""Stored scores carry the fingerprint of the code that computed them: after a change of a measure they are computed again."""

from __future__ import annotations

import re

import psycopg
import pytest

from stcollection.db.objects import read
from stcollection.evaluation.measures import parse_measures
from stcollection.evaluation.score import judge, leaderboard
from tests.evaluation.conftest import StoreQrels, StoreRun

MRR = parse_measures("recip_rank")


@pytest.fixture
def edition(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> str:
    store_run({"q1": {"d1": 2.0, "d2": 1.0}}, "first", decoy=False)
    return store_qrels({"q1": {"d1": 1, "d2": 0}}, "judged")


def value(conn: psycopg.Connection, edition: str) -> float:
    [standing] = leaderboard(conn, edition=edition, measures=MRR)
    return standing.values[0]


def replace(conn: psycopg.Connection, function: str, old: str, new: str) -> None:
    """Change a function as somebody would in psql."""
    [text] = conn.execute("SELECT pg_get_functiondef(%s::regproc)", [function]).fetchone() or [""]
    assert old in text
    conn.execute(text.replace(old, new).encode())


def test_a_changed_formula_gives_new_values(conn: psycopg.Connection, edition: str) -> None:
    assert judge(conn, edition=edition) == 1
    assert value(conn, edition) == 1.0
    replace(conn, "measure_term", "'coalesce(1 / a.relevant_{L}[1]::double precision, 0)'", "'7'")
    assert value(conn, edition) == 7.0
    assert judge(conn, edition=edition) == 1
    assert judge(conn, edition=edition) == 0
    assert value(conn, edition) == 7.0


def test_a_measure_added_in_front_moves_no_value(conn: psycopg.Connection, edition: str) -> None:
    judge(conn, edition=edition)
    replace(conn, "stored_measures", "{num_q,", "{dcg,num_q,")
    assert value(conn, edition) == 1.0
    judge(conn, edition=edition)
    assert value(conn, edition) == 1.0


def test_stored_ranks_are_looked_up_again_after_a_change_of_precedence(conn: psycopg.Connection, edition: str) -> None:
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel, origin)"
        " SELECT j.edition, j.query, j.doc, 0, 'llm' FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition"
        " WHERE e.edition = %s AND j.rel = 1",
        [edition],
    )
    judge(conn, edition=edition)
    unstored = parse_measures("nDCG(dcg='exp-log2')@10")
    assert [row.values for row in leaderboard(conn, edition=edition, measures=unstored)] == [(1.0,)]
    replace(conn, "origin_precedence", "'llm'::text THEN 2", "'llm'::text THEN 0")
    assert [row.values for row in leaderboard(conn, edition=edition, measures=unstored)] == [(0.0,)]


def test_the_fingerprint_covers_every_function_that_scores_depend_on(conn: psycopg.Connection) -> None:
    bodies = {
        one.split()[1]: re.sub(r"--[^\n]*", "", file.text)
        for file in read()
        for one in file.creates
        if one.startswith(("function", "view"))
    }
    needed, new = set[str](), {"judge_runs"}
    while new:
        needed |= new
        new = {name for name in bodies for one in new if re.search(rf"\b{name}\s*\(", bodies[one])} - needed
        new |= {"qrels"} - needed
    [listed] = conn.execute("SELECT pg_get_functiondef('score_code'::regproc)").fetchone() or [""]
    names = re.search(r"'\{([^}]*)\}'", listed)
    assert names is not None
    assert set(re.split(r",\s*", names[1])) == needed - {"qrels"}
