"""A question that is not answered with yes."""

from __future__ import annotations

import psycopg
import pytest

from tests.acceptance.conftest import Stc

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("answer", [b"n\n", b"", b"\n"])
def test_nothing_is_changed_and_said_so(stc: Stc, conn: psycopg.Connection, answer: bytes) -> None:
    conn.execute("INSERT INTO st1_runs (run) VALUES ('mine')")
    done = stc("runs", "drop", "mine", stdin=answer)
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("stc: nothing was changed")
    assert "interrupted" not in done.stderr
    assert conn.execute("SELECT count(*) FROM st1_runs").fetchone() == (1,)
