"""A command loses its connection: session terminated, network cut or silent, server stopped or missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from stcollection.db.collections import create
from stcollection.db.connection import address, conninfo
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.settings import Settings
from tests.at_once import until
from tests.databases import world
from tests.durability import rivals
from tests.durability.commands import COMMANDS, more
from tests.durability.proxy import Proxy
from tests.durability.rivals import AGAIN, Command, contents, end, held, held_up, here, others, same

stocked = world(rivals.stocked)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_session_that_is_ended(
    name: str, settings: Settings, stocked: psycopg.Connection, ids: list[int], twin: str, tmp_path: Path
) -> None:
    table, arguments = COMMANDS[name]
    words = arguments(tmp_path, ids)
    before = contents(stocked)
    with held(stocked, table):
        command = Command(settings, tmp_path, *words)
        held_up(stocked, command)
        end(stocked)
        command.refused("terminating connection due to administrator command", AGAIN)
    until(lambda: others(stocked) == 0)
    now = contents(stocked)
    if name == "corpus load":  # its start is recorded in the provenance
        assert [row for row in now["files"] if "more.json" not in row] == before["files"]
        now["files"] = before["files"]
    assert now == before
    for dsn in (conninfo(settings), twin):
        here(dsn, *words)
    same(stocked, twin)
    assert contents(stocked) != before


@pytest.mark.slow
@pytest.mark.parametrize("name", ["corpus load", "runs import"])
def test_a_network_that_is_cut(
    name: str, settings: Settings, stocked: psycopg.Connection, ids: list[int], twin: str, tmp_path: Path
) -> None:
    table, arguments = COMMANDS[name]
    words = arguments(tmp_path, ids)
    before = contents(stocked)
    with Proxy(conninfo(settings)) as proxy:
        through = replace(settings, dsn=proxy.dsn)
        with held(stocked, table):
            command = Command(through, tmp_path, *words)
            held_up(stocked, command)
            proxy.cut()
            command.refused("", AGAIN)
        until(lambda: others(stocked) == 0)  # the server rolls back its open transaction
        now = contents(stocked)
        assert {**now, "files": []} == {**before, "files": []}
        for dsn in (proxy.dsn, twin):
            here(dsn, *words)
    same(stocked, twin)


@pytest.mark.slow
def test_a_network_that_falls_silent(settings: Settings, stocked: psycopg.Connection, ids: list[int], tmp_path: Path) -> None:
    table, arguments = COMMANDS["runs import"]
    words = arguments(tmp_path, ids)
    before = contents(stocked)
    with Proxy(conninfo(settings)) as proxy:
        through = replace(settings, dsn=proxy.dsn)
        with held(stocked, table):
            command = Command(through, tmp_path, *words)
            held_up(stocked, command)
            proxy.stall()  # and the late answer is lost
        until(lambda: "the server has not answered for" in command.err)
        assert command.process.poll() is None
        command.interrupt()
        command.ends(130)
    until(lambda: others(stocked) == 0)
    assert contents(stocked) == before


def test_a_cut_cable_is_noticed(settings: Settings) -> None:
    """Loopback has no cable, so check the keepalive settings of the connection."""
    told = conninfo_to_dict(address(replace(settings, dsn="host=db.example")))
    assert (told["connect_timeout"], told["keepalives_idle"], told["tcp_user_timeout"]) == ("10", "30", "60000")
    mine = conninfo_to_dict(address(replace(settings, dsn="host=db.example connect_timeout=3 tcp_user_timeout=9")))
    assert (mine["connect_timeout"], mine["keepalives_idle"], mine["tcp_user_timeout"]) == ("3", "30", "9")


def test_a_server_that_is_silent_from_the_beginning(settings: Settings, tmp_path: Path) -> None:
    with Proxy(conninfo(settings)) as proxy:
        proxy.stall()
        command = Command(replace(settings, dsn=proxy.dsn), tmp_path, "corpus", "status", PGCONNECT_TIMEOUT="2")
        command.refused("timeout", "'stc db status' shows")


def test_a_server_that_is_not_there(settings: Settings, tmp_path: Path) -> None:
    with Proxy(conninfo(settings)) as proxy:
        nobody = proxy.dsn
    Command(replace(settings, dsn=nobody), tmp_path, "corpus", "status").refused("refused", "'stc db status' shows")


def test_a_server_that_is_just_starting_is_waited_for(settings: Settings, tmp_path: Path) -> None:
    with Proxy(conninfo(settings)) as proxy:
        proxy.starting = 5  # the server's answer during recovery from a crash
        Command(replace(settings, dsn=proxy.dsn), tmp_path, "corpus", "status").ends()
        assert proxy.callers > 5


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """A collection on a server that may be stopped."""
    settings = Settings(db="mine", home=tmp_path_factory.mktemp("own"), dsn=None)
    create(settings)
    yield settings
    EmbeddedServer(settings.home).stop()


@pytest.mark.slow
def test_a_server_that_is_stopped(own: Settings, tmp_path: Path) -> None:
    words: list[str | Path] = ["corpus", "load", more(tmp_path)]
    with psycopg.connect(conninfo(own), autocommit=True) as conn, held(conn, "dblp_text"):
        command = Command(own, tmp_path, *words)
        held_up(conn, command)
        Command(own, tmp_path, "db", "stop").ends()
        command.refused("terminating connection due to administrator command", AGAIN)
    status = Command(own, tmp_path, "db", "status").ends()
    assert "embedded, stopped" in status.out
    Command(own, tmp_path, *words).ends()  # this also starts the server
    twin = replace(own, db="twin")
    create(twin)
    here(conninfo(twin), *words)
    with psycopg.connect(conninfo(own), autocommit=True) as conn:
        same(conn, conninfo(twin))
        assert len(contents(conn)["documents"]) == 60


@pytest.mark.slow
def test_commands_that_begin_while_the_server_is_stopped_start_it_again(own: Settings, tmp_path: Path) -> None:
    stop = Command(own, tmp_path, "db", "stop")
    begun = [Command(own, tmp_path, "corpus", "status") for _ in range(2)]
    stop.ends()
    for one in begun:
        code = one.process.wait(timeout=120)
        assert code == 0 or (code == 5 and ("stc db status" in one.err or "Run the same command again" in one.err)), one.err
    Command(own, tmp_path, "corpus", "status").ends()
