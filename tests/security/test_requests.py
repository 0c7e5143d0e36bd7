"""Attacks on score requests on a hidden edition by a participant: requests are scored only after they are committed and counted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import psycopg
import pytest

from stcollection.evaluation.asks import ask, hidden
from tests.roles.seen import counters, value
from tests.roles.worlds import QUERIES, Login, collection, pairs, ranking, store_run

pytestmark = pytest.mark.slow

_ = collection
ASKED = "SELECT a.measure, a.mean FROM {}LATERAL asked_scores('probe', 'test') a"
PROBE = (
    "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) SELECT n.id, {query}, {doc}, 11, -11 FROM st1_runs n"
    " WHERE n.run = 'probe'"
)
MEASURES = "{ndcg,recall_100}"  # every document of the run counts, at any rank


@pytest.fixture
def prober(collection: psycopg.Connection, login: Login) -> psycopg.Connection:
    """A participant with a committed and scored request for run 'probe', which contains no relevant document."""
    login("organiser").execute("SELECT stc.allow_asks('test', 5, %s)", [MEASURES])
    attacker = login()
    store_run(attacker, "probe", None, {f"b{n}": [400 + 30 * n + 17 + at for at in range(10)] for n in range(1, QUERIES + 1)})
    ask(attacker, "probe", edition="test")
    return attacker


def relevant_and_other(collection: psycopg.Connection) -> Iterator[tuple[int, int]]:
    known = pairs(collection, "test")
    for rel in (2, 0):
        yield known[rel].query, known[rel].doc


def results(conn: psycopg.Connection, statement: str) -> object:
    """The rows of a statement or its error."""
    try:
        return conn.execute(statement.encode()).fetchall()
    except psycopg.Error as error:
        return (error.sqlstate, str(error))


Attack = Callable[[psycopg.Connection, str], object]


def in_one_statement(conn: psycopg.Connection, probe: str) -> object:
    """The reported attack: the request sees the row before a trigger counts it."""
    with conn.transaction(force_rollback=True):
        return results(conn, f"WITH x AS ({probe} RETURNING 1) {ASKED.format('x, ')}")


def in_one_statement_with_scoring(conn: psycopg.Connection, probe: str) -> object:
    with conn.transaction(force_rollback=True):
        return results(conn, f"WITH x AS ({probe} RETURNING 1) {ASKED.format('x, LATERAL score_requests() s, ')}")


def all_steps_in_one_statement(conn: psycopg.Connection, probe: str) -> object:
    with conn.transaction(force_rollback=True):
        steps = "x, LATERAL ask_scores('probe', 'test') r, LATERAL score_requests() s, "
        return results(conn, f"WITH x AS ({probe} RETURNING 1) {ASKED.format(steps)}")


def all_steps_in_one_transaction(conn: psycopg.Connection, probe: str) -> object:
    with conn.transaction(force_rollback=True):
        conn.execute(probe.encode())
        conn.execute("SELECT ask_scores('probe', 'test')")
        scored = value(conn, "SELECT score_requests()")
        return scored, results(conn, ASKED.format(""))


def in_savepoints(conn: psycopg.Connection, probe: str) -> object:
    with conn.transaction(force_rollback=True):
        with conn.transaction():
            conn.execute(probe.encode())
            with conn.transaction():
                conn.execute("SELECT ask_scores('probe', 'test')")
        with conn.transaction():
            scored = value(conn, "SELECT score_requests()")
        return scored, results(conn, ASKED.format(""))


def by_a_cursor(conn: psycopg.Connection, probe: str) -> object:
    with conn.transaction(force_rollback=True):
        conn.execute(f"DECLARE c CURSOR WITH HOLD FOR {ASKED.format('')}".encode())
        conn.execute(probe.encode())
        conn.execute("SELECT ask_scores('probe', 'test'); SELECT score_requests()")
        return results(conn, "FETCH ALL FROM c")


def by_a_block(conn: psycopg.Connection, probe: str) -> object:
    heard: list[str] = []
    conn.add_notice_handler(lambda one: heard.append(one.message_primary or ""))
    conn.execute(
        f"""DO $$
        DECLARE found text;
        BEGIN
            BEGIN
                {probe};
                PERFORM ask_scores('probe', 'test');
                PERFORM score_requests();
                SELECT string_agg(a::text, ' ') INTO found FROM asked_scores('probe', 'test') a;
                RAISE EXCEPTION 'found %', found;
            EXCEPTION WHEN OTHERS THEN
                RAISE NOTICE '%', SQLERRM;
            END;
        END $$""".encode()
    )
    return tuple(heard)  # a later call's notices arrive here too


def by_a_function_of_ones_own(conn: psycopg.Connection, probe: str) -> object:
    conn.execute(
        f"""CREATE OR REPLACE FUNCTION pg_temp.peek() RETURNS text LANGUAGE plpgsql AS $$
        DECLARE found text;
        BEGIN
            {probe};
            PERFORM public.ask_scores('probe', 'test'), public.score_requests();
            SELECT string_agg(a.mean::text, ' ') INTO found FROM public.asked_scores('probe', 'test') a;
            RETURN found;
        END $$""".encode()
    )
    with conn.transaction(force_rollback=True):
        return results(conn, "SELECT pg_temp.peek()")


def by_a_trigger_of_ones_own(conn: psycopg.Connection, probe: str) -> object:
    conn.execute(
        """CREATE TEMP TABLE IF NOT EXISTS fired (found text);
        CREATE OR REPLACE FUNCTION pg_temp.fire() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            PERFORM public.ask_scores('probe', 'test'), public.score_requests();
            NEW.found := (SELECT string_agg(a.mean::text, ' ') FROM public.asked_scores('probe', 'test') a);
            RETURN NEW;
        END $$;
        CREATE OR REPLACE TRIGGER fire BEFORE INSERT ON fired FOR EACH ROW EXECUTE FUNCTION pg_temp.fire()"""
    )
    with conn.transaction(force_rollback=True):
        conn.execute(probe.encode())
        return results(conn, "INSERT INTO fired VALUES ('') RETURNING found")


def under_tables_of_our_names(conn: psycopg.Connection, probe: str) -> object:
    with conn.transaction(force_rollback=True):
        for table in ("ask_requests", "ask_rankings", "qrels_judgments", "st1_runs"):
            conn.execute(f"CREATE TEMP TABLE {table} AS SELECT 1 AS id, 1 AS edition, 'red' AS team, 'probe' AS run".encode())
        conn.execute("SET LOCAL search_path = pg_temp, public")
        conn.execute(probe.replace(" st1_r", " public.st1_r").encode())
        conn.execute("SELECT public.ask_scores('probe', 'test'); SELECT public.score_requests()")
        return results(conn, ASKED.format(""))


ATTACKS: list[Attack] = [
    in_one_statement,
    in_one_statement_with_scoring,
    all_steps_in_one_statement,
    all_steps_in_one_transaction,
    in_savepoints,
    by_a_cursor,
    by_a_block,
    by_a_function_of_ones_own,
    by_a_trigger_of_ones_own,
    under_tables_of_our_names,
]


def test_what_is_rolled_back_is_never_scored(collection: psycopg.Connection, prober: psycopg.Connection) -> None:
    """Each attack returns the same for a relevant and an irrelevant document and is not counted; if committed, means differ."""
    for attack in ATTACKS:
        before = hidden(prober)
        found = [attack(prober, PROBE.format(query=query, doc=doc)) for query, doc in relevant_and_other(collection)]
        assert found[0] == found[1], attack.__name__
        assert hidden(prober) == before, attack.__name__
    committed = []
    for query, doc in relevant_and_other(collection):
        prober.execute("SELECT drop_runs('{probe}')")
        store_run(prober, "probe", None, {f"b{n}": [400 + 30 * n + 17 + at for at in range(10)] for n in range(1, QUERIES + 1)})
        prober.execute(PROBE.format(query=query, doc=doc).replace("13, -13", "11, -11").encode())
        committed.append([one.mean for one in ask(prober, "probe", edition="test")[0]])
    assert committed[0] != committed[1]
    [after] = hidden(prober)
    assert (after.asks, after.left) == (5, 2)


def test_the_reported_attack_finds_no_pair(collection: psycopg.Connection, prober: psycopg.Connection) -> None:
    rows = collection.execute(
        "SELECT j.query, j.doc, j.rel FROM qrels_judgments j JOIN st1_queries q ON q.id = j.query"
        " WHERE j.hidden AND q.query IN ('b1', 'b2')"
    ).fetchall()
    base = results(prober, ASKED.format(""))
    changed = {
        (query, doc) for query, doc, _ in rows if in_one_statement(prober, PROBE.format(query=query, doc=doc)) not in (base, [])
    }
    assert sum(rel > 0 for _, _, rel in rows) > 15
    assert changed == set()
    assert [one.left for one in hidden(prober)] == [4]


def test_two_sessions_cannot_read_what_is_not_committed(
    collection: psycopg.Connection, prober: psycopg.Connection, login: Login
) -> None:
    """One session holds a request or its score in an open transaction; another session of the team sees only committed rows."""
    other = login()
    before = results(other, ASKED.format(""))
    query, doc = next(relevant_and_other(collection))
    with prober.transaction(force_rollback=True):
        prober.execute(PROBE.format(query=query, doc=doc).encode())
        prober.execute("SELECT ask_scores('probe', 'test')")
        assert value(other, "SELECT score_requests()") == 0
        assert results(other, ASKED.format("")) == before
    with prober.transaction():
        prober.execute(PROBE.format(query=query, doc=doc).encode())
        prober.execute("SELECT ask_scores('probe', 'test')")
    with other.transaction(force_rollback=True):
        assert value(other, "SELECT score_requests()") == 1
        assert results(other, ASKED.format("")) == before  # the row policy hides what is not committed
    assert results(prober, ASKED.format(""))[0] == "IR405"  # type: ignore[index]
    assert value(prober, "SELECT score_requests()") == 1
    assert results(other, ASKED.format("")) == results(prober, ASKED.format("")) != before


def test_messages_and_plans_of_scoring_stay_on_the_server(collection: psycopg.Connection, prober: psycopg.Connection) -> None:
    """The output of settings that print plans and sorts, and the numbers of EXPLAIN ANALYZE, are the same for both runs."""
    heard: list[str] = []
    prober.add_notice_handler(lambda one: heard.append(one.message_primary or ""))
    seen = []
    for first in (1, 17):  # documents that are judged, and documents that are not
        run = f"seen{first}"
        docs = {f"b{n}": [400 + 30 * n + first + at for at in range(10)] for n in range(1, QUERIES + 1)}
        store_run(prober, run, None, docs)
        prober.execute("SELECT ask_scores(%s, 'test')", [run])
        prober.execute("SET debug_print_plan = on; SET trace_sort = on; SET client_min_messages = debug1; SET work_mem = '64kB'")
        heard.clear()
        with prober.transaction(force_rollback=True):
            prober.execute("SELECT score_requests()")
        about = [one for one in heard if one.startswith("plan")]
        nested = [one for one in heard if "sort" in one]
        prober.execute("RESET ALL")
        with prober.transaction(force_rollback=True):
            plan = counters(prober, "SELECT score_requests()")
        seen.append((len(about), nested, {key: number for key, number in plan.items() if "Rows" in key or "Temp" in key}))
        assert value(prober, "SELECT score_requests()") == 1
    assert seen[0] == seen[1]
    assert seen[0][:2] == (3, [])  # the call itself and the two statements that it runs with the caller's rights


def test_errors_and_json_name_no_other_team(collection: psycopg.Connection, prober: psycopg.Connection, login: Login) -> None:
    """Another team neither scores nor reads the request."""
    store_run(prober, "more", None, ranking(7))
    prober.execute("SELECT ask_scores('more', 'test')")
    blue = login(team="blue")
    assert value(blue, "SELECT score_requests()") == 0
    for run in ("probe", "more"):
        found = results(blue, f"SELECT * FROM asked_scores('{run}', 'test')")
        assert found[0] == "IR405"  # type: ignore[index]
        assert "red" not in json.dumps(str(found)).replace("scored", "")
    with pytest.raises(psycopg.Error) as error:
        login("reader").execute("SELECT score_requests()")
    assert error.value.sqlstate == "IR410"


def test_ranks_of_ones_own_choice_do_not_sharpen_a_mean(collection: psycopg.Connection, prober: psycopg.Connection) -> None:
    """Gaps between ranks are refused, so that a document cannot be put out of reach of a cutoff."""
    store_run(prober, "even", None, ranking(2))
    prober.execute("INSERT INTO st1_runs (run, team) VALUES ('wide', 'red')")
    with pytest.raises(psycopg.Error, match="there is rank 2000, but no rank 1999") as error:
        prober.execute(
            "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) SELECT g.id, k.query, k.doc, k.rank * 1000, -k.rank"
            " FROM stc.st1_rankings k JOIN st1_runs n ON n.id = k.run AND n.run = 'even', st1_runs g WHERE g.run = 'wide'"
        )
    assert error.value.sqlstate == "IR301"
    with pytest.raises(psycopg.Error, match="there is rank 2000, but no rank 1999"):
        collection.execute("UPDATE stc.st1_rankings SET rank = rank * 1000")
