"""One file, loaded by one worker, by two, or killed and resumed: the same ids, and the same runs down to the last tied document."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from stcollection.corpus import load as loader
from stcollection.corpus.load import load
from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from stcollection.io.corpus import chunks
from stcollection.retrieval import SPARSE
from stcollection.retrieval.run import run
from stcollection.vectors.embed import embed
from stcollection.vectors.passages import cut_passages, embed_passages
from tests.corpus.conftest import Load, Write, one
from tests.corpus.test_interruption import gate, loading, wait_for
from tests.databases import Databases
from tests.text.documents import build
from tests.vectors.worlds import BagOfWords, SparseWords

pytestmark = pytest.mark.slow

WORDS = ["voice", "graph", "privacy", "network", "sensor", "query", "index", "model"]
COUNT = 3000
DEPTH = 40  # far fewer than the documents with the same score
SYSTEMS = ("boolean", "bm25", "rm3", "dense-title", "dense-content", "dense-passage", "rocchio-title", "hybrid")
Prepare = Callable[[str, Path], None]


def content(count: int = COUNT) -> str:
    """Return documents of few words, so that nearly all scores are tied, with unordered docnos that are not numbers."""
    drawn = random.Random(17)
    docnos = [f"{drawn.choice('aAbBzZ')}{number}" for number in drawn.sample(range(10 * count), count)]
    rows = (
        {"id": docno, "title": " ".join(drawn.sample(WORDS, 2)), "abstract": f"{drawn.choice(WORDS)}.", "padding": "x" * 900}
        for docno in docnos
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def file(write: Write, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file of 3 MB in a hundred chunks."""
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 2**15)
    return write("tied.jsonl", content())


@contextmanager
def collection(server: Settings, databases: Databases, template: str) -> Iterator[str]:
    """Create a second collection; return its connection string."""
    name = databases.take(template)
    yield conninfo(replace(server, db=name))
    databases.give_back(name)


def one_worker(dsn: str, file: Path) -> None:
    load(dsn, [str(file)], workers=1)


def two_workers(dsn: str, file: Path) -> None:
    load(dsn, [str(file)], workers=2)


def killed_and_resumed(dsn: str, file: Path) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        with loading(dsn, file, workers=2) as process, gate(conn, dsn, after=20):
            wait_for(lambda: int(one(conn, "SELECT count(*) FROM stc.corpus_chunks")) >= 20)
            process.kill()
            process.wait()
        assert 0 < one(conn, "SELECT count(*) FROM dblp") < COUNT
    load(dsn, [str(file)], workers=2)


def later_chunk_first(dsn: str, file: Path) -> None:
    """Store every second chunk first and then the others, as two workers may do."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        load(dsn, [str(file)], workers=1)
        for table in ("dblp_text", "dblp_facts", "dblp"):
            conn.execute(
                f"DELETE FROM {table} t WHERE EXISTS (SELECT FROM dblp d JOIN stc.corpus_chunks k ON k.xmin = d.xmin"
                " WHERE d.id = t.id AND k.chunk % 2 = 0)"
            )
        conn.execute("DELETE FROM stc.corpus_chunks WHERE chunk % 2 = 0")
        conn.execute("UPDATE stc.corpus_files SET state = 'loading', finished = NULL")
        assert 0 < one(conn, "SELECT count(*) FROM dblp") < COUNT
    load(dsn, [str(file)], workers=1)


def runs(dsn: str) -> dict[str, list[tuple[object, ...]]]:
    """Return the ranking of every system by name."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        build(conn)
        embed(conn, model=BagOfWords(), fields=["title", "content"])
        cut_passages(conn)
        embed_passages(conn, model=BagOfWords())
        embed(conn, model=SparseWords())
        conn.cursor().executemany(
            "INSERT INTO st1_queries (query, text) VALUES (%s, %s)",
            [(f"q{number}", text) for number, text in enumerate([*WORDS[:3], "voice graph", "privacy of voice networks"])],
        )
        for system in SYSTEMS:
            run(conn, system=system, name=system, depth=DEPTH, model=SparseWords() if system in SPARSE else BagOfWords())
        rows = conn.execute("SELECT run, query, docno, rank, rel_score::real FROM rankings ORDER BY run, query, rank").fetchall()
    return {system: [row[1:] for row in rows if row[0] == system] for system in SYSTEMS}


@pytest.mark.long
@pytest.mark.slow
def test_runs_do_not_depend_on_how_the_file_was_loaded(server: Settings, databases: Databases, template: str, file: Path) -> None:
    expected = None
    for way in (one_worker, two_workers, killed_and_resumed, later_chunk_first):
        with collection(server, databases, template) as dsn:
            way(dsn, file)
            found = runs(dsn)
        expected = expected or found
        for system in SYSTEMS:
            assert found[system] == expected[system], (way.__name__, system)
            assert len(found[system]) > DEPTH, system


def docnos(conn: psycopg.Connection) -> list[str]:
    return [docno for (docno,) in conn.execute("SELECT docno FROM dblp ORDER BY id")]


@pytest.mark.parametrize("way", [two_workers, later_chunk_first])
def test_ids_follow_the_order_of_the_file(dsn: str, conn: psycopg.Connection, file: Path, way: Prepare) -> None:
    way(dsn, file)
    assert docnos(conn) == [json.loads(line)["id"] for line in file.read_text().splitlines()]


def test_ids_of_a_second_file_come_after_those_of_the_first(
    conn: psycopg.Connection, write: Write, load_file: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 2**10)
    monkeypatch.setattr(loader, "SMALL_BYTES", 0)
    lines = content(80).splitlines(keepends=True)
    load_file(write("z.jsonl", "".join(lines[:40])), workers=2)
    load_file(write("a.jsonl.gz", gzip.compress("".join(lines[40:]).encode())), workers=2)
    assert docnos(conn) == [json.loads(line)["id"] for line in lines]


def test_an_id_that_is_taken_costs_no_document(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    load_file(write("a.jsonl", '{"id": "a", "title": "voice"}\n'))
    [taken] = conn.execute("SELECT id FROM dblp").fetchone() or (0,)
    numeric = taken + 2**38  # the first id of the next file
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, '{}')", [numeric, str(numeric)])
    load_file(write("b.jsonl", '{"id": "b", "title": "graph"}\n{"id": "c", "title": "model"}\n'))
    assert sorted(docnos(conn)) == sorted(["a", "b", "c", str(numeric)])
