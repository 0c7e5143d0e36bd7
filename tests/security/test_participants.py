"""What a participant may store and remove tells nothing of hidden judgments, and does not stop the owner's commands."""

from __future__ import annotations

import psycopg

from tests.roles.seen import value
from tests.roles.worlds import Login, collection, store_run

_ = collection
STORED = ("judged_runs", "judged_rankings", "judged_scores")


def test_dropping_a_run_touches_nothing_that_tells_of_hidden_judgments(collection: psycopg.Connection, login: Login) -> None:
    """EXPLAIN (ANALYZE, BUFFERS, WAL) tells how large deleted rows are, and so how many documents of the run are judged."""
    attacker = login()
    store_run(attacker, "probe", None, 7)
    collection.execute("SELECT judge_runs('{}', 'test')")
    collection.execute("VACUUM (ANALYZE)")
    with attacker.transaction(force_rollback=True):
        assert value(attacker, "SELECT drop_runs('{probe}')") == 1
        for table in STORED:
            assert value(attacker, "SELECT pg_stat_get_xact_tuples_deleted(%s::regclass)", f"public.{table}") == 0, table
    run = value(collection, "SELECT id FROM st1_runs WHERE run = 'probe'")
    attacker.execute("SELECT drop_runs('{probe}')")
    assert value(collection, "SELECT count(*) FROM judged_scores WHERE run = %s", run) == 12
    store_run(attacker, "next", None, 8)
    collection.execute("SELECT judge_runs('{next}', 'test')")
    for table in STORED:
        assert value(collection, f"SELECT count(*) FROM {table} WHERE run = %s", run) == 0, table
