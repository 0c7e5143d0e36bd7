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

import httpx
import pytest

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.qrels.pools import PoolRules, make_pool, share_pool
from tests.explore.conftest import serving
from tests.qrels.pooled import put_documents, put_queries, put_run

pytestmark = pytest.mark.slow

POOL, DOCUMENTS, TWICE = "shared", 200, 20
NAMES = [f"assessor{number}" for number in range(30)]
CUT = NAMES[:5]  # the answer to a decision is lost
WINDOWS = NAMES[5:7]  # they judge in two windows at once
_FIELD = re.compile(r'<input type="hidden" name="([a-z]+)" value="([^"]*)">')
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
    """Judge a sheet in one window. :param cut_after: number of decisions after which an answer is lost, once."""
    place = {"pool": POOL, "annotator": work.name}
    async with httpx.AsyncClient(base_url=address, params=place, timeout=_SECONDS) as client:
        await ready.wait()
        shown = fields((await client.get("/judging")).text)
        reply = (await client.post("/judging/kept", json={**shown, "window": window, "queue": []})).json()
        shown = fields(reply["html"]) if "html" in reply else shown  # else the document of the page is free
        while token := shown["token"]:
            decision = f"{window}{len(work.seen):08d}".replace("-", "x")
            assert work.on_screen.setdefault(window, token) == token or token not in work.on_screen.values()
            assert token not in work.pressed
            work.on_screen[window] = token
            work.seen.append(token)
            grade = int(token[1:], 16) % 3
            work.pressed[token] = (grade, decision)
            pressed = {**shown, "key": str(grade), "id": decision, "seconds": "1.5", "window": window, "scripted": "1"}
            if cut_after is not None and len(work.pressed) > cut_after:
                cut_after = None
                await client.post("/judging/press", data=pressed)  # its answer is lost
                kept = {**pressed, **place, "note": None, "seconds": 1.5, "at": 1}
                reply = (await client.post("/judging/kept", json={"window": window, "queue": [kept]})).json()
                assert reply["ids"] == [decision]
            else:
                replies = await asyncio.gather(*(client.post("/judging/press", data=pressed) for _ in range(2)))  # sent twice
                reply = replies[0].json()
                await client.post("/judging/kept", json={**fields(reply["html"]), "window": window, "queue": []})
            assert "error" not in reply, reply
            shown = fields(reply["html"])
        work.on_screen.pop(window, None)


def fields(page: str) -> dict[str, str]:
    """Return the fields of the document in a page."""
    return {name: html.unescape(value) for name, value in _FIELD.findall(page)}
