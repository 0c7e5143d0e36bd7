"""Thirty assessors judge one shared pool at the same time: nobody gets another's document, and each decision is stored once."""

from __future__ import annotations

import asyncio
import html
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection

from benchmarks.page import page_socket, update
from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.qrels.pools import PoolRules, make_pool, share_pool
from tests.explore.conftest import serving
from tests.qrels.pooled import put_documents, put_queries, put_run

pytestmark = pytest.mark.slow

POOL, DOCUMENTS, TWICE = "shared", 200, 20
NAMES = [f"assessor{number}" for number in range(30)]
CUT = NAMES[:5]  # they lose the connection while a decision is on its way
WINDOWS = NAMES[5:7]  # they judge in two windows at once
_DATA = re.compile(r' data-([a-z]+)="([^"]*)"')
_SECONDS = 60


@dataclass
class Work:
    """What one assessor saw and pressed.

    :ivar on_screen: token in each window. :ivar pressed: grade and id of the decision, by token.
    """

    name: str
    on_screen: dict[str, str] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    pressed: dict[str, tuple[int, str]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def own(empty: Settings) -> Settings:
    docs = [f"d{number}" for number in range(DOCUMENTS)]
    with open_session(conninfo(empty), autocommit=True) as conn:
        put_documents(conn, {doc: (f"Title of {doc}", f"Words of {doc}.") for doc in docs})
        put_queries(conn, {f"q{number}": f"query {number}" for number in range(10)})
        put_run(conn, "r", {f"q{number}": docs[20 * number : 20 * number + 20] for number in range(10)})
        make_pool(conn, POOL, rules=PoolRules(depth=20))
        share_pool(conn, POOL, annotators=NAMES, overlap=Decimal(TWICE) / DOCUMENTS)
    return empty


def test_thirty_assessors_at_once(own: Settings, tmp_path: Path) -> None:
    audit = tmp_path / "audit.jsonl"
    work = [Work(name) for name in NAMES]
    for address in serving(own, "--audit", str(audit)):
        asyncio.run(judged_by_all(address, work))
    with open_session(conninfo(own), autocommit=True) as conn:
        rows = conn.execute(
            "SELECT a.annotator, s.token, a.rel, a.decision, a.seconds FROM stc_all.qrels_assessments a,"
            " LATERAL stc.pool_share(%s, a.annotator) s WHERE s.query = a.query AND s.doc = a.doc",
            [POOL],
        ).fetchall()

    # Every document was shown to one assessor, and those of the overlap to two.
    readers = Counter(token for one in work for token in set(one.seen))
    assert Counter(readers.values()) == {1: DOCUMENTS - TWICE, 2: TWICE}
    assert max(len(one.pressed) for one in work) - min(len(one.pressed) for one in work) <= 2

    # Every decision is one row, as it was pressed, and was stored once.
    stored = {(annotator, token): (rel, decision) for annotator, token, rel, decision, _ in rows}
    assert len(rows) == len(stored) == DOCUMENTS + TWICE
    assert stored == {(one.name, token): pressed for one in work for token, pressed in one.pressed.items()}
    assert {seconds for *_, seconds in rows} == {1.5}
    assert Counter(json.loads(line)["annotator"] for line in audit.read_text().splitlines()) == {
        one.name: len(one.pressed) for one in work
    }


async def judged_by_all(address: str, work: list[Work]) -> None:
    """Judge the pool to its end, all at the same time."""
    windows = [(one, f"{one.name}-{number}") for one in work for number in range(2 if one.name in WINDOWS else 1)]
    ready = asyncio.Barrier(len(windows))
    async with asyncio.TaskGroup() as group:
        for one, window in windows:
            group.create_task(assessor(address, one, window, ready=ready, cut_after=2 if one.name in CUT else None))


async def assessor(address: str, work: Work, window: str, *, ready: asyncio.Barrier, cut_after: int | None) -> None:
    """Judge a sheet in one window. :param cut_after: number of decisions after which the connection is lost, once."""
    resumed: dict[str, Any] = {"window": window, "queue": []}
    while True:
        async with page_socket(address, {"tab": "judging"}, shown=("judging-sheet", "judging-status")) as socket:
            await update(socket, {"judging-resume": resumed})
            if "pool" not in resumed:
                await opened(socket)
                await ready.wait()  # all pages are open
                await update(socket, {"judging-begin": {"pool": POOL, "annotator": work.name}})
            while paper := await sheet(socket):
                token, decision = paper["token"], f"{window}{len(work.seen):08d}".replace("-", "x")
                assert work.on_screen.setdefault(window, token) == token or token not in work.on_screen.values()
                assert token not in work.pressed
                work.on_screen[window] = token
                work.seen.append(token)
                grade = int(token[1:], 16) % 3
                pressed = {**paper, "key": str(grade), "id": decision, "seconds": 1.5, "note": ""}
                work.pressed[token] = (grade, decision)
                # Twice, as with an impatient finger: the second is about a document that is no longer shown.
                await update(socket, {"judging-press": pressed})
                await update(socket, {"judging-press": pressed})
                if cut_after is not None and len(work.pressed) > cut_after:
                    break
            else:
                work.on_screen.pop(window, None)
                return
        cut_after = None
        kept = {**pressed, "annotator": work.name, "note": None, "at": 1, "seen": paper["seen"]}
        resumed = {"window": window, "pool": POOL, "annotator": work.name, "query": "", "queue": [kept]}


async def opened(socket: ClientConnection) -> None:
    """Wait until the tab is drawn."""
    while "judging-status" not in (await message(socket)).get("values", {}):
        pass


async def sheet(socket: ClientConnection) -> dict[str, str] | None:
    """Wait for the next document; returns what identifies it, or None if nothing is left."""
    while True:
        drawn = (await message(socket)).get("values", {}).get("judging-sheet")
        if drawn:
            assert "alert" not in drawn["html"], drawn["html"]
            found = {name: html.unescape(value) for name, value in _DATA.findall(drawn["html"])}
            return {name: found.get(name, "") for name in ("pool", "query", "token", "serial", "seen")} if found["token"] else None


async def message(socket: ClientConnection) -> dict[str, Any]:
    received: dict[str, Any] = json.loads(await asyncio.wait_for(socket.recv(), _SECONDS))
    assert not received.get("errors"), received["errors"]
    return received
