"""Dense runs by one pass over all vectors: equal to SQL's exact search, interrupted, refused, and chosen where they are cheaper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

from stcollection.db.sessions import pinned
from stcollection.errors import BadArgument
from stcollection.retrieval import batches
from stcollection.retrieval import exact as one_pass
from stcollection.retrieval.exact import IndexCost, is_cheaper
from stcollection.retrieval.run import run
from stcollection.runs.unfinished import unfinished_runs
from stcollection.vectors import exact as vectors
from stcollection.vectors.convert import convert
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.model import Vectors
from stcollection.vectors.queries import replace_vectors
from stcollection.vectors.store import register
from tests import databases
from tests.vectors.worlds import BagOfWords, at, clustered, put_vectors, unit

pytestmark = pytest.mark.slow

N = 1500
QUERIES = 23


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "ROWS", 100)
    monkeypatch.setattr(vectors, "_PAGES", 8)


def put_queries(conn: psycopg.Connection, table: Vectors) -> None:
    register(conn, BagOfWords())
    names = [f"q{number}" for number in range(len(table))]
    conn.cursor().executemany("INSERT INTO st1_queries (query, text) VALUES (%s, %s)", [(name, f"text {name}") for name in names])
    replace_vectors(conn, "minilm", [f"text {name}" for name in names], table)


@databases.world
def world(conn: psycopg.Connection) -> None:
    """Every fourth abstract has twins, some of which rank next to the last document; titles have other lengths; some have none."""
    table = clustered(N, seed=1)
    table[::4] = table[0::16].repeat(4, axis=0)[: len(table[::4])]
    lengths = np.random.default_rng(2).uniform(0.1, 30, size=N).astype(np.float32)
    titles = clustered(N, seed=3) * lengths[:, None]
    put_vectors(conn, abstract=dict(enumerate(table)), title={doc: titles[doc] for doc in range(N) if doc % 3})
    put_queries(conn, np.concatenate([clustered(QUERIES - 3, seed=4), 7 * table[:3]]))
    conn.execute("VACUUM (ANALYZE) dblp, dblp_v")


def expected(conn: psycopg.Connection, field: str, depth: int) -> list[tuple[object, ...]]:
    """Return the rows that SQL's exact search stores."""
    return conn.execute(
        "SELECT q.query, s.doc, row_number() OVER (PARTITION BY q.id ORDER BY stc.trec_score(s.score) DESC, d.docno DESC), s.score"
        "  FROM st1_queries q CROSS JOIN dense_search(embed_query(q.text), %(k)s, %(field)s, effort => 0) s"
        "  JOIN dblp d ON d.id = s.doc ORDER BY q.query, 3",
        {"k": depth, "field": field},
    ).fetchall()


def stored(conn: psycopg.Connection, name: str) -> list[tuple[object, ...]]:
    return conn.execute(
        "SELECT q.query, r.doc, r.rank, r.rel_score FROM stc.st1_rankings r JOIN st1_runs n ON n.id = r.run"
        " JOIN st1_queries q ON q.id = r.query WHERE n.run = %s ORDER BY q.query, r.rank",
        [name],
    ).fetchall()


@pytest.mark.parametrize(
    ("field", "depth", "half"),
    [("abstract", 1, False), ("abstract", 300, False), ("abstract", 300, True), ("title", 10, True), ("title", 2 * N, False)],
)
@pytest.mark.usefixtures("dsn")
def test_it_stores_the_rows_of_sqls_exact_search(world: psycopg.Connection, field: str, depth: int, half: bool) -> None:
    convert(world, half=half)
    index(world, options=IndexOptions(lists=50))
    done = run(world, system=f"dense-{field}", name="mine", depth=depth, exact=True, model=BagOfWords(), workers=2)
    rows = stored(world, "mine")
    assert rows == expected(world, field, depth)
    assert done.exact
    assert done.ranked == len(rows) > 0
    [(params, method)] = world.execute(
        "SELECT params, metadata #> '{method,retrieval,0}' FROM st1_runs WHERE run = 'mine'"
    ).fetchall()
    assert (params["search"], params["indexes"], method["search"]) == ("exact", {field: None}, "exact")


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.usefixtures("dsn")
def test_real_vectors(conn: psycopg.Connection, data: Path, half: bool) -> None:
    table = np.load(data / "acm-cr" / "abstract_v.f16.npy", mmap_mode="r")[:4000].astype(np.float32)
    put_vectors(conn, abstract=dict(enumerate(unit(table))))
    rng = np.random.default_rng(5)
    put_queries(conn, unit(table[rng.integers(4000, size=20)] + rng.normal(scale=0.02, size=(20, 384)).astype(np.float32)))
    convert(conn, half=half)
    assert run(conn, system="dense-abstract", name="mine", depth=300, exact=True, model=BagOfWords(), workers=2).exact
    rows = stored(conn, "mine")
    assert len(rows) == 6000
    assert rows == expected(conn, "abstract", 300)


class Stopped(Exception):
    """An interruption."""


def stop_at(number: int) -> Callable[[int, int, str], None]:
    def progress(done: int, total: int, note: str) -> None:
        if done >= number:
            raise Stopped(note)

    return progress


@pytest.mark.usefixtures("dsn")
def test_an_interrupted_run_continues(world: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_QUERIES", 5)
    monkeypatch.setattr(one_pass, "_STORED", 1)
    with pytest.raises(Stopped):
        run(world, system="dense-abstract", name="mine", depth=50, exact=True, model=BagOfWords(), progress=stop_at(7))
    [unfinished] = unfinished_runs(world)
    assert unfinished.done == 7
    notes: list[tuple[int, str]] = []
    run(
        world,
        system="dense-abstract",
        name="mine",
        depth=50,
        exact=True,
        model=BagOfWords(),
        progress=lambda done, _, note: notes.append((done, note)),
    )
    assert notes[0] == (7, f"mine: continuing after 7 of {QUERIES} queries")
    assert stored(world, "mine") == expected(world, "abstract", 50)
    assert unfinished_runs(world) == []


@pytest.mark.usefixtures("dsn")
def test_rankings_of_the_index_are_not_mixed_with_exact_ones(world: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "_SECONDS", 0.0)
    index(world, options=IndexOptions(lists=50))
    with pytest.raises(Stopped):
        run(world, system="dense-abstract", name="mine", depth=50, exact=False, model=BagOfWords(), progress=stop_at(3))
    with pytest.raises(Stopped, match="searching all queries again, because the parameters changed"):
        run(world, system="dense-abstract", name="mine", depth=50, exact=True, model=BagOfWords(), progress=stop_at(0))


@pytest.mark.usefixtures("dsn")
def test_vectors_that_change_meanwhile(world: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_pass, "_STORED", 1)
    changed: list[int] = []

    def change(done: int, total: int, note: str) -> None:
        if done == 4 and not changed:
            put_vectors(world, abstract=dict(enumerate(clustered(500, seed=9), N)))
            changed.append(done)

    run(world, system="dense-abstract", name="mine", depth=50, exact=True, model=BagOfWords(), progress=change)
    assert changed
    assert stored(world, "mine") == expected(world, "abstract", 50)


@pytest.mark.usefixtures("dsn")
def test_too_many_equally_near_documents(conn: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_SPARE", 100)
    put_vectors(conn, abstract=dict.fromkeys(range(N), at(0.5)))
    put_queries(conn, clustered(2, seed=1))
    done = run(conn, system="dense-abstract", name="mine", depth=10, exact=True, model=BagOfWords())
    assert not done.exact
    assert stored(conn, "mine") == expected(conn, "abstract", 10)


@pytest.mark.parametrize(
    ("system", "more", "message"),
    [
        ("rocchio-title", {}, "rocchio-title is not searched in one pass"),
        ("dense-abstract", {"filter": {"year": [2015, None]}}, "a search with a filter is not one pass"),
    ],
)
def test_other_searches_are_refused(world: psycopg.Connection, system: str, more: dict[str, Any], message: str) -> None:
    with pytest.raises(BadArgument, match=message) as error:
        run(world, system=system, name="mine", exact=True, model=BagOfWords(), **more)
    assert error.value.hint is not None
    assert "dense-title, dense-abstract, dense-content" in error.value.hint


def test_who_chooses(world: psycopg.Connection, dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def exact(**more: Any) -> bool:
        return run(world, system="dense-abstract", name="mine", depth=5, model=BagOfWords(), replace=True, **more).exact

    assert exact()  # no index
    with psycopg.connect(pinned(dsn)) as other:  # not in autocommit mode, as that of the command line
        assert run(other, system="dense-abstract", name="mine", depth=5, model=BagOfWords(), replace=True).exact
    index(world, fields=["abstract"], options=IndexOptions(lists=50))
    monkeypatch.setattr(one_pass, "is_cheaper", lambda *_, **__: True)
    assert exact()
    assert not exact(exact=False)
    index(world, fields=["abstract"], options=IndexOptions(lists=50, effort=3))  # chosen by the user
    assert not exact()
    assert exact(exact=True)
    monkeypatch.setattr(one_pass, "is_cheaper", lambda *_, **__: False)
    index(world, fields=["abstract"], options=IndexOptions(lists=50, effort=10))
    assert not exact()


def test_the_choice_depends_on_queries_and_size() -> None:
    small, large = IndexCost("ivfflat", 10, 96), IndexCost("ivfflat", 47, 2228)
    assert [is_cheaper(queries, 96_448, index=small, depth=1000) for queries in (1, 20, 176, 536)] == [False, False, True, True]
    assert [is_cheaper(queries, 4_963_185, index=large, depth=1000) for queries in (20, 100, 176)] == [False, False, True]
    assert not is_cheaper(176, 4_963_185, index=IndexCost("hnsw", 100, None), depth=1000)
