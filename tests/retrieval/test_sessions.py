"""Several sessions search the queries of a run at once."""

from __future__ import annotations

import time

import psycopg
import pytest
from psycopg import sql

from stcollection.db.pool import worker_count
from stcollection.db.sessions import another_session
from stcollection.errors import BadArgument, DatabaseError
from stcollection.retrieval import batches
from stcollection.retrieval.run import _session_count, run
from stcollection.retrieval.settings import QuerySource
from stcollection.runs.unfinished import unfinished_runs
from tests import databases
from tests.text.documents import build, put

pytestmark = pytest.mark.slow

TOPICS, QUERIES = 4, 12
RANKINGS = (
    "SELECT k.query, k.doc, k.rank, k.rel_score FROM stc.st1_rankings k JOIN st1_runs n ON n.id = k.run"
    " WHERE n.run = %s ORDER BY 1, 3"
)


@databases.world
def filled(conn: psycopg.Connection) -> None:
    """Documents of several words, and three queries of each topic."""
    put(conn, {doc: (f"voice{doc % 5} home{doc % 3}", " ".join(f"voice{n}" for n in range(doc % 7))) for doc in range(1, 60)})
    conn.execute(
        "INSERT INTO st1_topics (topic, text, article) SELECT 'T' || t, 'T', 'voice' || t || ' at home' || t"
        "  FROM generate_series(0, 3) t"
    )
    conn.execute(
        "INSERT INTO stc.st1_queries (query, topic, text) SELECT 'q' || n, t.id, 'voice' || n %% 5 || ' OR home' || n %% 3"
        "  FROM generate_series(1, %s) n JOIN st1_topics t ON t.topic = 'T' || n %% 4",
        [QUERIES],
    )
    build(conn, "portable")


@pytest.fixture(autouse=True)
def one_query_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "_SECONDS", 0.0)


def begin(conn: psycopg.Connection, query_from: str = "query") -> int:
    [[unfinished]] = conn.execute(
        "SELECT unfinished FROM stc.resume_run('mine', 'boolean', 20, NULL, false, NULL, NULL, 'all', %s, 64, false, NULL)",
        [query_from],
    ).fetchall()
    return int(unfinished)


def answer(conn: psycopg.Connection, unfinished: int) -> tuple[int, int, bool]:
    """Search one query. :returns: the queries searched so far, by this call, and whether the run was given up."""
    [row] = conn.execute("SELECT done, taken, stopped FROM stc.search_queries(%s, 0)", [unfinished]).fetchall()
    return row


def others(conn: psycopg.Connection) -> int:
    """Count the other sessions of the database."""
    [[count]] = conn.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        " AND backend_type = 'client backend'"
    ).fetchall()
    return int(count)


def all_ended(conn: psycopg.Connection) -> bool:
    """Whether the other sessions end. A server process may do so a moment after its connection is closed."""
    until = time.monotonic() + 10
    while others(conn):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def meet(conn: psycopg.Connection) -> None:
    """Wait until another session is there."""
    until = time.monotonic() + 20
    while not others(conn):
        assert time.monotonic() < until, "no other session came"


@pytest.mark.usefixtures("dsn")
def test_each_session_takes_queries_that_no_other_is_searching(filled: psycopg.Connection) -> None:
    unfinished = begin(filled)
    with another_session(filled) as other:
        for turn in range(QUERIES // 2):
            with other.transaction():
                assert answer(other, unfinished) == (2 * turn + 1, 1, False), "its own and those committed"
                assert answer(filled, unfinished) == (2 * turn + 1, 1, False), "it does not wait, and takes the next query"
        assert answer(filled, unfinished) == (QUERIES, 0, False)
    run(filled, system="boolean", name="mine", depth=20)
    filled.execute("SELECT make_run('whole', 'boolean', 20)")
    assert filled.execute(RANKINGS, ["mine"]).fetchall() == filled.execute(RANKINGS, ["whole"]).fetchall() != []


@pytest.mark.usefixtures("dsn")
def test_the_last_queries_of_others_are_not_waited_for_and_not_searched_again(filled: psycopg.Connection) -> None:
    unfinished = begin(filled)
    with another_session(filled) as other:
        with other.transaction():
            answer(other, unfinished)
            for _ in range(QUERIES - 1):
                assert answer(filled, unfinished)[1] == 1
            assert answer(filled, unfinished) == (QUERIES - 1, 0, False)
            filled.execute("SET lock_timeout = '100ms'")
            with pytest.raises(psycopg.errors.LockNotAvailable):  # to store the run, the name must not be shared
                filled.execute("SELECT queries, ranked FROM stc.finish_run(%s, NULL, false)", [unfinished])
        assert answer(filled, unfinished) == (QUERIES, 0, False)


@pytest.mark.usefixtures("dsn")
def test_a_rolled_back_batch_is_searched_again(filled: psycopg.Connection) -> None:
    unfinished = begin(filled)
    with another_session(filled) as other, other.transaction(force_rollback=True):
        answer(other, unfinished)
    for turn in range(QUERIES):
        assert answer(filled, unfinished) == (turn + 1, 1, False)


@pytest.mark.usefixtures("dsn")
def test_the_queries_of_a_topic_go_to_one_session_because_they_share_an_article(filled: psycopg.Connection) -> None:
    unfinished = begin(filled, "article")
    with another_session(filled) as other, other.transaction():
        assert answer(other, unfinished) == (1, 1, False)
        for _ in range(QUERIES - QUERIES // TOPICS):
            assert answer(filled, unfinished)[1] == 1
        assert answer(filled, unfinished)[1] == 0, "the other session has the topic of the rest"
        assert [answer(other, unfinished)[1] for _ in range(QUERIES // TOPICS)] == [1] * (QUERIES // TOPICS - 1) + [0]


@pytest.mark.usefixtures("dsn")
@pytest.mark.parametrize("source", [QuerySource(), QuerySource(query_from="article")])
def test_a_run_by_several_sessions_is_the_same(filled: psycopg.Connection, source: QuerySource) -> None:
    seen = []

    def watch(done: int, _: int, __: str) -> None:
        if done == 1:
            meet(filled)
        seen.append((done, others(filled)))

    made = run(filled, system="boolean", name="mine", depth=20, source=source, workers=4, progress=watch)
    filled.execute("SELECT make_run('whole', 'boolean', 20, query_from => %s)", [source.query_from])
    assert filled.execute(RANKINGS, ["mine"]).fetchall() == filled.execute(RANKINGS, ["whole"]).fetchall() != []
    assert filled.execute("SELECT count(DISTINCT query) FROM stc.st1_rankings").fetchone() == (made.queries,)
    assert max(sessions for _, sessions in seen) in {1, 2, 3}
    assert seen[0] == (0, 0)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert unfinished_runs(filled) == []
    assert all_ended(filled)


@pytest.mark.usefixtures("dsn")
def test_an_interruption_ends_all_sessions_and_keeps_what_they_committed(filled: psycopg.Connection) -> None:
    class Stopped(Exception):
        pass

    def stop(done: int, _: int, __: str) -> None:
        if done == 1:
            meet(filled)
        if done >= 4:
            raise Stopped

    filled.execute(  # the queries of the others take a minute each
        sql.SQL(
            "CREATE FUNCTION stc.slow() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN PERFORM pg_sleep(CASE WHEN pg_backend_pid() = {} THEN 0.05 ELSE 60 END); RETURN NEW; END $$;"
            "CREATE TRIGGER slow BEFORE INSERT ON stc.unfinished_rankings FOR EACH ROW EXECUTE FUNCTION stc.slow()"
        ).format(filled.info.backend_pid)
    )
    began = time.monotonic()
    with pytest.raises(Stopped):
        run(filled, system="boolean", name="mine", workers=3, progress=stop)
    assert time.monotonic() - began < 20, "it does not wait for the queries of the others"
    assert all_ended(filled)
    [left] = unfinished_runs(filled)
    assert 4 <= left.done < QUERIES
    filled.execute("DROP FUNCTION stc.slow() CASCADE")
    assert run(filled, system="boolean", name="mine", workers=3).queries == QUERIES


@pytest.mark.usefixtures("dsn")
def test_without_other_sessions_the_run_is_made_by_one(filled: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def refuse(*_: object, **__: object) -> psycopg.Connection:
        tried.append(1)
        raise psycopg.OperationalError("too many connections for role")

    with monkeypatch.context() as patched:
        patched.setattr(psycopg, "connect", refuse)
        assert run(filled, system="boolean", name="mine", workers=3).queries == QUERIES
    assert len(tried) == 2


@pytest.mark.usefixtures("dsn")
def test_another_command_that_searches_the_last_query_is_waited_for_and_then_named(filled: psycopg.Connection) -> None:
    filled.execute("SET lock_timeout = '300ms'")
    with another_session(filled) as other:

        def join(done: int, _: int, __: str) -> None:
            if done == 1:
                other.execute("BEGIN")
                [one] = unfinished_runs(other)
                assert answer(other, one.id)[1] == 1

        with pytest.raises(DatabaseError, match="lock timeout"):
            run(filled, system="boolean", name="mine", depth=20, workers=2, progress=join)
        assert [one.done for one in unfinished_runs(filled)] == [QUERIES - 1]
        other.execute("COMMIT")
    assert run(filled, system="boolean", name="mine", depth=20, workers=2).queries == QUERIES


@pytest.mark.usefixtures("dsn")
def test_another_role_than_the_login_makes_it_alone(filled: psycopg.Connection) -> None:
    filled.execute("SET ROLE stc_organiser")
    seen = []
    made = run(filled, system="boolean", name="mine", workers=3, progress=lambda *_: seen.append(others(filled)))
    assert (made.queries, max(seen)) == (QUERIES, 0)


def test_a_collection_larger_than_memory_has_two_sessions_per_core(filled: psycopg.Connection) -> None:
    assert _session_count(filled, None) == worker_count(None)
    filled.execute("SET effective_cache_size = '1MB'")
    assert _session_count(filled, None) == worker_count(None, per_core=2)
    assert _session_count(filled, 3) == 3


def test_a_role_that_may_not_connect_makes_it_alone(filled: psycopg.Connection) -> None:
    database = sql.Identifier(filled.info.dbname)
    with filled.transaction(force_rollback=True):
        filled.execute(sql.SQL("REVOKE CONNECT ON DATABASE {} FROM PUBLIC, stc_organiser").format(database))
        filled.execute("SET ROLE stc_organiser")
        assert filled.execute("SELECT has_database_privilege(current_database(), 'CONNECT')").fetchone() == (False,)
        assert _session_count(filled, 3) == 1


def test_at_least_one(filled: psycopg.Connection) -> None:
    with pytest.raises(BadArgument, match="0 workers"):
        run(filled, system="boolean", name="mine", workers=0)
