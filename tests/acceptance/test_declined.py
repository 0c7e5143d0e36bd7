"""A question that is not answered with yes."""

from __future__ import annotations

import psycopg
import pytest

from tests.acceptance.conftest import Stc

pytestmark = pytest.mark.slow


NOTHING, NOBODY = "stc: nothing was changed", "     --yes skips the prompt."


@pytest.mark.parametrize(("answer", "code", "said"), [(b"n\n", 0, NOTHING), (b"\n", 0, NOTHING), (b"", 1, NOBODY)])
def test_nothing_is_changed_and_said_so(stc: Stc, conn: psycopg.Connection, answer: bytes, code: int, said: str) -> None:
    conn.execute("INSERT INTO st1_runs (run) VALUES ('mine')")
    done = stc("runs", "drop", "mine", stdin=answer)
    assert done.returncode == code
    assert done.stderr.rstrip().endswith(said)
    assert "interrupted" not in done.stderr
    assert conn.execute("SELECT count(*) FROM st1_runs").fetchone() == (1,)
