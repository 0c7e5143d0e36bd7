"""Judging in separate processes that are killed, interrupted, or run twice."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import psycopg
import pytest

from stcollection.db.settings import Settings
from tests.at_once import background, until
from tests.qrels.llm_server import Answer, Endpoint, by_overlap, endpoint
from tests.qrels.llm_worlds import QUERIES, each_once, environment, rows, stored, world

pytestmark = [pytest.mark.slow, pytest.mark.long]

DOCUMENTS = 50
PAIRS = QUERIES * DOCUMENTS
JUDGE = ("qrels", "llm", "judge", "--edition", "machine", "--rejudge", "people", "--model", "rule", "--concurrency", "4")


@pytest.fixture(autouse=True)
def _larger(conn: psycopg.Connection) -> None:
    world(conn, documents=DOCUMENTS)


def start(settings: Settings, server: Endpoint, *arguments: str) -> subprocess.Popen[str]:
    return background(*JUDGE, *arguments, env=environment(settings, server))


def test_killed_it_goes_on_where_it_was(settings: Settings, conn: psycopg.Connection) -> None:
    with endpoint(lambda asked: Answer(by_overlap(asked).text, delay=0.03)) as server:
        process = start(settings, server)
        until(lambda: len(server.asked) >= PAIRS // 3)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=30)
        # The server may still be committing; the claims end with the session.
        until(lambda: rows(conn, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == [(0,)])
        before, first = stored(conn), server.titles()
        assert 0 < len(before) < PAIRS
        assert each_once(first)

        process = start(settings, server)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        second = server.titles()[len(first) :]
    assert f"{PAIRS:,} pairs, {len(before):,} judged before: {PAIRS - len(before):,} sent" in out
    assert each_once(second)
    assert len(second) == PAIRS - len(before)
    # Only pairs whose answer was not committed are requested twice.
    assert len(set(first) & set(second)) == len(first) - len(before)
    assert set(first) | set(second) == {
        tuple(row)
        for row in rows(conn, "SELECT q.text, btrim(d.title) FROM st1_queries q, dblp_text d WHERE d.id <= %s", DOCUMENTS)
    }
    after = stored(conn)
    assert len(after) == PAIRS
    assert {pair: after[pair] for pair in before} == before
    assert rows(conn, "SELECT count(*), count(DISTINCT (query, doc)) FROM stc_all.llm_answers") == [(PAIRS, PAIRS)]


def test_two_processes_share_the_work(settings: Settings, conn: psycopg.Connection) -> None:
    with endpoint(lambda asked: Answer(by_overlap(asked).text, delay=0.03)) as server:
        both = [start(settings, server), start(settings, server)]
        for process in both:
            _, err = process.communicate(timeout=120)
            assert process.returncode == 0, err
        assert each_once(server.titles())
        assert len(server.asked) == PAIRS
    assert len(stored(conn)) == PAIRS
    assert rows(conn, "SELECT count(*), count(DISTINCT (query, doc)) FROM stc_all.llm_answers") == [(PAIRS, PAIRS)]


def test_interrupted_it_keeps_what_is_in_flight_and_says_how_far_it_came(settings: Settings, conn: psycopg.Connection) -> None:
    with endpoint(lambda asked: Answer(by_overlap(asked).text, delay=0.1)) as server:
        process = start(settings, server)
        until(lambda: len(server.asked) >= 20)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 130
        assert len(server.asked) == len(stored(conn)) < PAIRS
    assert f"{len(server.asked)} judged" in out
    assert f"interrupted: {PAIRS - len(server.asked)} left, 0 of them in flight" in err
    assert "Traceback" not in err


def test_interrupted_twice_it_drops_what_is_in_flight(settings: Settings, conn: psycopg.Connection) -> None:
    with endpoint(lambda asked: Answer(by_overlap(asked).text, delay=0.0 if asked.number < 10 else 60.0)) as server:
        process = start(settings, server)
        until(lambda: server.in_flight == 4 and len(stored(conn)) == 9)
        for _ in range(2):
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.3)
        _, err = process.communicate(timeout=30)
        assert process.returncode == 130
    assert f"interrupted: {PAIRS - 9} left, 4 of them in flight" in err
    assert len(stored(conn)) == 9
