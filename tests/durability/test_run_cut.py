"""SIGKILL while a run is made: searched queries are kept, nobody sees half of the run, and the same command continues."""

from __future__ import annotations

import psycopg
import pytest

from tests.durability.life import SEARCHED
from tests.durability.servers import Server, ended, kill, wait_for
from tests.text.documents import put

pytestmark = pytest.mark.slow

WORDS = [f"w{number}" for number in range(60)]
COMMAND = ("retrieval", "run", "boolean", "--name", "made")
ROWS = (
    "SELECT q.query, k.doc, k.rank, k.rel_score, n.params FROM stc.st1_rankings k JOIN st1_queries q ON q.id = k.query"
    " JOIN st1_runs n ON n.id = k.run ORDER BY q.query, k.rank"
)


def fill(conn: psycopg.Connection) -> None:
    put(conn, {doc: (WORDS[doc % 60], " ".join(WORDS[(doc * step) % 60] for step in range(1, 40))) for doc in range(1, 12_001)})
    conn.execute("CALL stc.index_text(engine => 'portable')")
    conn.execute("UPDATE stc.text_index SET built = '2020-01-01'")  # is part of a run's parameters
    conn.cursor().executemany(
        "INSERT INTO st1_queries (query, text) VALUES (%s, %s)",
        [(f"q{n}", " ".join(WORDS[(n + step) % 60] for step in range(0, 60, 2))) for n in range(SEARCHED)],
    )


def searched(server: Server) -> int:
    with server.connect("made_in_parts") as conn:
        [[count]] = conn.execute("SELECT count(*) FROM stc.unfinished_rankings").fetchall()
        if count < SEARCHED:
            seen = conn.execute("SELECT (SELECT count(*) FROM st1_runs), (SELECT count(*) FROM stc.st1_rankings)").fetchone()
            assert seen == (0, 0)
    return int(count)


def test_the_server_then_the_command_killed(own: Server) -> None:
    for db in ("made_at_once", "made_in_parts"):
        own.done(db, "db", "create", db)
        with own.connect(db) as conn:
            fill(conn)
    own.done("made_at_once", *COMMAND)

    process = own.command("made_in_parts", *COMMAND)
    wait_for(lambda: searched(own) > 0)
    own.cut_power()
    end = ended(process)
    first = searched(own)
    assert 0 < first < SEARCHED, "killed too late to see"
    assert (end.code, "Traceback" in end.err, "same command again" in end.err) == (5, False, True), end

    process = own.command("made_in_parts", *COMMAND)
    wait_for(lambda: searched(own) > first)
    kill(process)
    ended(process)
    second = searched(own)
    assert first < second < SEARCHED, "killed too late to see"

    end = own.done("made_in_parts", *COMMAND)
    assert "made: continuing after " in end.err
    with own.connect("made_at_once") as twin, own.connect("made_in_parts") as cut:
        assert cut.execute(ROWS).fetchall() == twin.execute(ROWS).fetchall()
        assert cut.execute("SELECT count(*) FROM stc.unfinished_runs").fetchone() == (0,)
        assert cut.execute("SELECT count(DISTINCT query) FROM stc.st1_rankings").fetchone() == (SEARCHED,)
    for db in ("made_at_once", "made_in_parts"):
        own.done(db, "db", "drop", db, "--yes")
