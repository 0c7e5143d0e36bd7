"""Models without a maximum length: static embeddings, which read a text whole and have no token for some."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.cli import stc
from stcollection.vectors.batcher import tokens_of
from stcollection.vectors.model import EncoderOptions, load, token_limit
from stcollection.vectors.store import registered
from tests.text.documents import put

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("dsn")]


def test_embedded_by_the_command_with_its_queries(
    conn: psycopg.Connection, static: Path, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder that the user names needs no permission, also for the queries."""
    put(conn, {1: ("voice river", "home " * 5000), 2: ("unknown words", None)})
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('1', 'voice home')")
    monkeypatch.setenv("STC_DSN", dsn)
    for precision in ("fp32", "bf16"):
        done = CliRunner().invoke(
            stc, ["vectors", "embed", "--model", str(static), "--as", precision, "--precision", precision, "--field", "title"]
        )
        assert done.exit_code == 0, done.output
        assert "embedded 1 query" in done.output
        assert registered(conn, precision).max_tokens is None
        titles: dict[int, list[float]] = dict(
            conn.execute(f"SELECT id, title_v::real[] FROM dblp_v_{precision}".encode()).fetchall()
        )
        assert float(np.linalg.norm(titles[1])) == pytest.approx(1, abs=1e-3)
        assert titles[2] == [0.0] * 16
    found = conn.execute("SELECT doc, score FROM dense_search(embed_query('voice home', 'fp32'), 2, 'title', 'fp32')").fetchall()
    assert {doc for doc, _ in found} == {1, 2}
    assert CliRunner().invoke(stc, ["vectors", "models"]).exit_code == 0


def test_texts_are_read_whole_and_their_tokens_counted(static: Path) -> None:
    encoder = load(str(static), options=EncoderOptions(precision="fp32"))
    long, short = encoder.encode(["voice " * 2000 + "river " * 2000, "voice river"])
    np.testing.assert_allclose(long, short, atol=1e-4)
    assert tokens_of(encoder)(["voice river home", "", "voice " * 900]) == [3, 0, 900]


@pytest.mark.parametrize(("limit", "expected"), [(None, None), (float("inf"), None), (10**30, None), (512, 512), (512.0, 512)])
def test_limits(limit: float | None, expected: int | None) -> None:
    class Model:
        max_seq_length = limit

    assert token_limit(Model()) == expected
