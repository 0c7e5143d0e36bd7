"""SIGKILL during embedding with the real model: finished vectors are kept, and the same command continues with the rest."""

from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt
import pytest

from tests.durability.servers import Server, ended, kill, wait_for
from tests.text.documents import put

pytestmark = pytest.mark.slow

TEXTS = {number: (f"Voice assistants at home, part {number}", f"The {number}th assistant listens.") for number in range(1, 161)}
ROWS = 16
COMMAND = ("vectors", "embed", "--rows", str(ROWS))


def embedded(server: Server, db: str) -> int:
    """The number of documents with vectors; a document with only some of its vectors would mean a visible open transaction."""
    with server.connect(db) as conn:
        [[count]] = conn.execute("SELECT count(*) FROM dblp_v WHERE title_v IS NOT NULL AND abstract_v IS NOT NULL").fetchall()
        [[half]] = conn.execute("SELECT count(*) FROM dblp_v WHERE title_v IS NULL OR abstract_v IS NULL").fetchall()
    assert half == 0, "a page is committed as a whole"
    return int(count)


def _wait_for(server: Server, least: int) -> int:
    """Wait for this number of vectors. :returns: the actual number."""
    with server.connect("cut") as conn:

        def count() -> int:
            [[found]] = conn.execute("SELECT count(title_v) FROM dblp_v").fetchall()
            return int(found)

        wait_for(lambda: count() >= least)
        return count()


def vectors(server: Server, db: str) -> dict[int, npt.NDArray[np.float64]]:
    with server.connect(db) as conn:
        rows = conn.execute("SELECT id, title_v::text, abstract_v::text FROM dblp_v").fetchall()
    return {doc: np.array([json.loads(one) for one in both]) for doc, *both in rows}


def test_the_server_then_the_command_killed(own: Server) -> None:
    for db in ("twin", "cut"):
        own.done(db, "db", "create", db)
        with own.connect(db) as conn:
            put(conn, TEXTS)
    own.done("twin", *COMMAND)

    process = own.command("cut", *COMMAND)
    before = _wait_for(own, ROWS)
    own.cut_power()
    end = ended(process)
    first = embedded(own, "cut")
    assert before <= first < len(TEXTS), "killed too late to see"
    assert (end.code, "Traceback" in end.err, "same command again" in end.err) == (5, False, True), end

    process = own.command("cut", *COMMAND)
    _wait_for(own, first + ROWS)
    kill(process)
    ended(process)
    second = embedded(own, "cut")
    assert first + ROWS <= second < len(TEXTS), "killed too late to see"

    end = own.done("cut", *COMMAND)
    assert f"embedded {len(TEXTS) - second:,} documents" in end.out
    want, got = vectors(own, "twin"), vectors(own, "cut")
    assert want.keys() == got.keys() == TEXTS.keys()
    # Texts of a page are encoded together, and the pages differed, so vectors are equal except for rounding.
    assert min(float((want[doc] * got[doc]).sum(axis=1).min()) for doc in want) > 0.9999
