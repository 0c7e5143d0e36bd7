"""The base of the server-rendered views, without a browser and without a database."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.testclient import TestClient

from stcollection.errors import DatabaseError
from stcollection.explore import assets, templates
from stcollection.explore.faults import error_text
from stcollection.explore.navigation import HOME, entries, path
from stcollection.explore.search.asking import JudgedResults
from stcollection.explore.views import GoneError, paths, plain, views, while_connected


def requested(receive: Callable[[], Awaitable[dict[str, str]]]) -> Request:
    return Request({"type": "http", "method": "GET", "path": "/", "headers": []}, receive)


def test_a_view_is_a_folder_that_names_itself() -> None:
    names = ["home", "search", "leaderboard", "judging", "upload", "coverage", "map", "collection", "tables", "log", "style"]
    assert sorted(view.name for view in views()) == sorted(names)
    assert paths() == {f"/{name}" for name in names}
    listed = entries((view.name, view.title) for view in views())
    assert [entry.name for entry in listed] == names
    assert [entry.href for entry in listed[:3]] == ["/", "/search", "/leaderboard"]
    assert entries([("own", "Own study")])[-1].href == path("own") == "/own"
    assert path(HOME) == "/"


def test_work_ends_when_its_reader_has_gone() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def gone() -> dict[str, str]:
        await asyncio.sleep(0.01)
        return {"type": "http.disconnect"}

    async def waits() -> dict[str, str]:
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    async def number() -> int:
        return 7

    async def stopped() -> None:
        with pytest.raises(GoneError):
            await while_connected(requested(gone), work())
        await asyncio.sleep(0)
        assert await while_connected(requested(waits), number()) == 7

    asyncio.run(stopped())
    assert ended == ["cancelled"]


def test_static_files_are_named_by_their_content_and_kept() -> None:
    client = TestClient(Starlette(routes=[assets.route()]))
    address = assets.address("page.css")
    plain_file = client.get(address, headers={"accept-encoding": "identity"})
    packed = client.get(address)
    assert plain_file.content == packed.content == (assets.FOLDER / "page.css").read_bytes()
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) == len(gzip.compress(packed.content, mtime=0))
    assert packed.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert client.get(f"{assets.PATH}/page.css").status_code == 404


def test_a_record_has_the_names_of_its_fields() -> None:
    made = plain({"judged": [JudgedResults("train", "q1", 2, "human")], "made": datetime(2026, 1, 2, tzinfo=UTC)})
    assert made["judged"] == [{"edition": "train", "query": "q1", "rel": 2, "origin": "human"}]
    assert made["made"] == "2026-01-02T00:00:00+00:00"


def test_texts_are_escaped_and_marked() -> None:
    assert templates.marked("a \ue000<b>\ue001 & c") == "a <mark>&lt;b&gt;</mark> &amp; c"
    assert templates.decoded("R&amp;D &lt;x&gt;") == "R&D <x>"
    assert templates.venue_name("Proceedings of the 20th ACM &amp; IEEE Forum") == "20th ACM & IEEE Forum"
    assert [templates.venue_name(name) for name in ("Proceedings of the ", "TOIS", None)] == ["Proceedings of the ", "TOIS", None]
    assert templates.woven("Run {command}.", command=templates.code("<stc>")) == "Run <code>&lt;stc&gt;</code>."


def test_a_missing_right_is_not_told_as_a_table() -> None:
    text = error_text(DatabaseError("permission denied for table qrels", sqlstate="42501"))
    assert "table" not in text.message
    assert "administrator" in (text.hint or "")
