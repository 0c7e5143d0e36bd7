"""Readability and vectors by two actors of Ray: the rows of the plain commands, also if an actor is killed."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np
import psutil
import psycopg
import pytest
from click.testing import CliRunner

from stcollection import demo
from stcollection.cli.vectors.embedding import embed_command as command
from stcollection.complexity.compute import compute
from stcollection.corpus.load import load
from stcollection.db.pool import LOCAL, RayActors
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.vectors import embed_actors
from stcollection.vectors.embed import embed
from stcollection.vectors.model import Embedder, EncoderOptions
from tests.acceptance.conftest import environment
from tests.in_process import in_new_words

pytestmark = [
    pytest.mark.long,
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="the extra ray is not installed"),
]
TWO = RayActors(address=LOCAL, count=2)
SINGLE = EncoderOptions(precision="fp32")


@pytest.fixture
def corpus(conn: psycopg.Connection, dsn: str) -> psycopg.Connection:
    load(dsn, [str(demo.CORPUS)])
    return conn


def vectors(conn: psycopg.Connection) -> dict[int, list[Any]]:
    rows = conn.execute("SELECT id, title_v::real[], abstract_v::real[] FROM dblp_v ORDER BY id").fetchall()
    assert len(rows) == len({row[0] for row in rows})
    return {row[0]: [np.array(one, dtype=np.float32) for one in row[1:] if one is not None] for row in rows}


def same(a: dict[int, list[Any]], b: dict[int, list[Any]]) -> bool:
    return a.keys() == b.keys() and all(
        len(a[key]) == len(b[key]) and all(float(x @ y) > 1 - 1e-6 for x, y in zip(a[key], b[key], strict=True)) for key in a
    )


@contextmanager
def typed(settings: Settings, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Run a command in another process, with two actors; it has to succeed."""
    command = [sys.executable, "-m", "stcollection", *in_new_words(words), "--ray", LOCAL, "--actors", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(settings)) as running:
        yield running
        out, err = running.communicate(timeout=300)
        assert running.returncode == 0, out + err


def test_actors_store_what_the_command_stores_though_one_is_killed(
    corpus: psycopg.Connection, settings: Settings, dsn: str
) -> None:
    with psycopg.connect(dsn, autocommit=True) as own:
        plain = embed(own, options=SINGLE, rows=16)
        wanted = vectors(corpus)
        corpus.execute("TRUNCATE dblp_v")
        with typed(settings, "vectors", "embed", "--precision", "fp32", "--rows", "16") as running:
            while running.poll() is None and own.execute("SELECT count(*) FROM dblp_v").fetchone() == (0,):
                time.sleep(0.02)
            children = psutil.Process(running.pid).children(recursive=True)
            victims = [one for one in children if one.name().startswith("ray::Actor")]
            assert victims, "no actor was left to kill"
            victims[0].kill()
        assert same(vectors(corpus), wanted)
        assert (plain.documents, len(wanted)) == (216, 216)
        assert embed(own, options=SINGLE, actors=TWO).documents == 0  # without starting Ray
    with psycopg.connect(dsn) as own:  # as the command connects, not in autocommit mode
        assert embed(own, options=SINGLE, actors=TWO).documents == 0
        assert own.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


def test_readability_by_actors(corpus: psycopg.Connection, settings: Settings, dsn: str) -> None:
    query = "SELECT m FROM st1_complexity_metrics m ORDER BY id"
    assert compute(dsn, workers=1).documents == 198
    wanted = corpus.execute(query).fetchall()
    corpus.execute("TRUNCATE stc.st1_complexity_metrics")
    with typed(settings, "complexity", "compute", "--rows", "16"):
        pass
    assert corpus.execute(query).fetchall() == wanted
    assert compute(dsn, actors=TWO).documents == 0  # without starting Ray


def test_texts_are_counted_before_a_model_is_stored(corpus: psycopg.Connection) -> None:
    assert embed_actors._lacking(corpus, "new", ()) == {"documents": 216, "title": 216, "abstract": 198, "content": 216}
    assert embed_actors._lacking(corpus, "new", ["abstract"]) == {"documents": 198, "abstract": 198}


def test_what_actors_cannot_do(conn: psycopg.Connection, dsn: str, model: Embedder) -> None:
    with pytest.raises(BadArgument, match="workers or actors, not both"):
        compute(dsn, workers=2, actors=TWO)
    with pytest.raises(BadArgument, match="a model in memory"):
        embed(conn, model=model, actors=TWO)
    done = CliRunner().invoke(command, ["--actors", "2"])
    assert done.exit_code == 2
    assert "--actors needs --ray" in done.output
