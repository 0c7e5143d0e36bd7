"""stc db warm: the parts it reads, their order, and the limit of memory."""

from __future__ import annotations

from dataclasses import replace

import pytest
from click.testing import CliRunner

from stcollection.db import warm as module
from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.db.warm import PARTS, Warmed, warm
from tests.groups import db


def sizes(settings: Settings, kind: str) -> int:
    with open_session(conninfo(settings)) as conn:
        [[size]] = conn.execute("SELECT sum(bytes)::bigint FROM stc.search_files() WHERE is_table::text ~ %s", [kind]).fetchall()
        return int(size)


def read(done: list[Warmed]) -> int:
    return sum(one.read for one in done)


def test_all_is_read_that_searches_read(handed: Settings) -> None:
    said: list[tuple[int, int | None]] = []
    done = warm(handed, progress=lambda *at: said.append(at))
    assert [one.part for one in done] == list(PARTS)
    assert read(done) == sum(one.bytes for one in done) == sizes(handed, "") > 0
    assert said[-1] == (read(done), read(done))
    with open_session(conninfo(handed)) as conn:
        listed = {name for (name,) in conn.execute("SELECT relation::text FROM stc.search_files()")}
        built = {
            name
            for (name,) in conn.execute(
                "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_am a ON a.oid = c.relam"
                " WHERE a.amname IN ('gin', 'bm25', 'ivfflat', 'hnsw') AND c.relname ~ '^dblp_'"
            )
        }
    assert built <= listed
    assert {"dblp_v", "dblp_text", "dblp_facts", "stc.text_lexemes"} <= listed
    assert not {name for name in listed if "rankings" in name or "qrels" in name}


def test_the_most_useful_comes_first_if_memory_is_small(handed: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {one.part: one.bytes for one in warm(handed)}
    monkeypatch.setattr(module, "_memory", lambda *_: whole["text index"] + whole["filters"] + 100)
    done = {one.part: one.read for one in warm(handed)}
    assert (done["text index"], done["filters"]) == (whole["text index"], whole["filters"])
    assert (done["vector indexes"], done["vectors"]) == (100, 0)


def test_another_server_reads_its_tables(handed: Settings) -> None:
    other = replace(handed, dsn=conninfo(handed))
    assert not other.embedded
    done = warm(other)
    assert [one.part for one in done] == list(PARTS)
    assert read(done) == sizes(handed, "true") < sizes(handed, "")
    assert "SELECT pg_prewarm(relation, 'read') FROM stc.search_files()" in said(other)


def test_one_part(handed: Settings) -> None:
    [one] = warm(handed, parts=["texts"])
    assert one.part == "texts"
    assert one.read == one.bytes > 0
    lines = said(handed, "--part", "vectors", "--part", "texts").splitlines()[2:]
    assert [line.split("  ")[0] for line in lines] == ["vectors", "texts"]


def said(settings: Settings, *more: str) -> str:
    done = CliRunner().invoke(db, ["warm", *more], obj=settings)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_command(handed: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [line.split("  ")[0] for line in said(handed).splitlines()[2:7]] == list(PARTS)
    assert "does not fit" not in said(handed)
    monkeypatch.setattr(module, "_memory", lambda *_: 0)
    assert "the rest does not fit into memory" in said(handed)
