"""Stored scores carry the fingerprint of the code that computed them, and are recomputed after a change of a measure."""

from __future__ import annotations

import re

import psycopg
import pytest

from stcollection.db.objects import read
from stcollection.evaluation.kinds import KINDS
from stcollection.evaluation.measures import parse_measures
from stcollection.evaluation.score import judge, leaderboard
from tests.evaluation.conftest import StoreQrels, StoreRun

pytestmark = pytest.mark.slow


@pytest.fixture
def edition(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> str:
    store_run({"q1": {"d1": 2.0, "d2": 1.0}}, "first", decoy=False)
    return store_qrels({"q1": {"d1": 1, "d2": 0}}, "judged")


def value(conn: psycopg.Connection, edition: str) -> float:
    """Return the value by SQL; Python's leaderboard would store the scores first."""
    [(found,)] = conn.execute("SELECT value FROM mean_scores('{}', %s, '{recip_rank}')", [edition]).fetchall()
    return float(found)


def replace(conn: psycopg.Connection, function: str, old: str, new: str) -> None:
    """Change a function as a user would in psql."""
    [text] = conn.execute("SELECT pg_get_functiondef(%s::regproc)", [function]).fetchone() or [""]
    assert old in text
    conn.execute(text.replace(old, new).encode())


def test_a_changed_formula_gives_new_values(conn: psycopg.Connection, edition: str) -> None:
    assert judge(conn, edition=edition) == 1
    assert value(conn, edition) == 1.0
    replace(conn, "stc.measure_kinds", '1 / {ranks}[1]::float"', '7"')
    assert value(conn, edition) == 7.0
    assert judge(conn, edition=edition) == 1
    assert judge(conn, edition=edition) == 0
    assert value(conn, edition) == 7.0


def test_values_are_stored_with_their_names(conn: psycopg.Connection, edition: str) -> None:
    """If the code lists the measures in another order than the stored values, each value still belongs to its name."""
    judge(conn, edition=edition)
    conn.execute("UPDATE stc_all.judged_scores SET scores[array_position(stc.stored_measures(), 'recip_rank')] = 0.25")
    code = conn.execute("SELECT stc.score_code()").fetchone()
    replace(conn, "stc.stored_measures", "k.place, d.value", "k.place DESC")
    conn.execute("UPDATE stc_all.judged_runs SET code = stc.score_code()")
    assert conn.execute("SELECT stc.score_code()").fetchone() != code
    assert value(conn, edition) == 0.25
    conn.execute("UPDATE stc_all.judged_runs SET measures = array_remove(measures, 'recip_rank')")
    assert value(conn, edition) == 1.0


ADDED = """{"kind": "added", "ir": "Added", "parameters": [{"name": "x", "default": 2, "range": "[0,9]"}], "uses": [],
"definition": "an example", "value": "{found} + {x}", "source": "trec_eval"}"""


def test_a_new_measure_is_a_row(conn: psycopg.Connection, edition: str) -> None:
    judge(conn, edition=edition)
    code = conn.execute("SELECT stc.score_code()").fetchone()
    replace(conn, "stc.measure_kinds", '"measures": [', f'"measures": [{ADDED}, ')
    rows = conn.execute("SELECT measure, value FROM mean_scores('{}', %s, '{Added,added,Added(x=3)}')", [edition]).fetchall()
    assert sorted(rows) == [("Added", 3.0), ("Added(x=3)", 4.0), ("added", 3.0)]
    assert conn.execute("SELECT stc.score_code()").fetchone() == code, "values of other measures are computed again"
    assert judge(conn, edition=edition) == 0
    conn.execute("UPDATE stc_all.judged_scores SET scores = array_fill(5.0::double precision, ARRAY[cardinality(scores)])")
    assert value(conn, edition) == 5.0, "stored values are no longer read"


def test_a_measure_that_is_stored_from_now_on_is_computed_for_all_runs(conn: psycopg.Connection, edition: str) -> None:
    judge(conn, edition=edition)
    row = ADDED.replace("[]", '["stored"]')
    replace(conn, "stc.measure_kinds", '"measures": [', f'"measures": [{row}, ')
    assert judge(conn, edition=edition) == 1
    names, values = conn.execute(
        "SELECT r.measures, s.scores FROM stc_all.judged_runs r JOIN stc_all.judged_scores s USING (edition, run)"
    ).fetchall()[0]
    assert dict(zip(names, values, strict=True))["added"] == 3.0


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
    replace(conn, "stc.origin_precedence", "'llm'::text THEN 2", "'llm'::text THEN 0")
    assert [row.values for row in leaderboard(conn, edition=edition, measures=unstored)] == [(0.0,)]


# for the queries of a mean, and messages; scores are stored by query
SELECTING = {"query_set_ids", "shown_name", "counted", "refuse_unsampled"}


def test_the_fingerprint_covers_every_function_that_scores_use(conn: psycopg.Connection) -> None:
    bodies = {
        one.split()[1].rpartition(".")[2]: re.sub(r"--[^\n]*|COMMENT ON [^;]*;", "", file.text)
        for file in read()
        for one in file.creates
        if one.startswith("function") or one == "view public.qrels"
    }
    stored = [kind for kind in KINDS.values() if "stored" in kind.uses]
    bodies["measure_kinds"] = " ".join(f"{kind.documents} {kind.gain} {kind.value}" for kind in stored)
    needed, new = set[str](), {"judge_runs", "measure_kinds"}
    while new:
        needed |= new
        # a function is called, or is a list or profile that a statement is built for
        new = (
            {
                name
                for name in bodies
                for one in new
                if re.search(rf"\b{name}\s*\(" + (f"|'{name}'" if name.endswith(("_lists", "_profiles")) else ""), bodies[one])
            }
            - needed
            - SELECTING
        )
        new |= {"qrels"} - needed
    [listed] = conn.execute("SELECT pg_get_functiondef('stc.score_code'::regproc)").fetchone() or [""]
    names = re.search(r"'\{([^}]*)\}'::name", listed)
    assert names is not None
    assert set(re.split(r",\s*", names[1])) == needed - {"qrels", "measure_kinds"}  # its rows are covered
