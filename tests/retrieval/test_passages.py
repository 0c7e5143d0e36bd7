"""passage_search: documents by max, mean or best three of their passages, by hand and by numpy, with and without an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import psycopg
import pytest

from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.model import Vectors
from stcollection.vectors.queries import notation
from tests import databases
from tests.text.documents import found, ids, scans
from tests.vectors.worlds import at, clustered, settings, unit, vector

pytestmark = pytest.mark.slow

Row = tuple[int, float, int]
AGGREGATES = ("max", "mean", "top3")


def put_passages(conn: psycopg.Connection, passages: Mapping[int, Sequence[Vectors]], *, table: str = "dblp_p") -> None:
    """Store documents with vectors of their passages; passage 2 of document 7 has the text "7.2"."""
    rows = [(doc, place, one) for doc, several in passages.items() for place, one in enumerate(several, 1)]
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
            [(doc, str(doc), f'{{"n_citation": {doc}}}') for doc in passages],
        )
        with cursor.copy("COPY dblp_passages (doc, position, text) FROM STDIN") as copy:
            for doc, place, _ in rows:
                copy.write_row((doc, place, f"{doc}.{place}"))
        names = {(doc, place): one for one, doc, place in cursor.execute("SELECT id, doc, position FROM dblp_passages").fetchall()}
        with cursor.copy(f"COPY {table} (id, passage_v) FROM STDIN") as copy:
            for doc, place, one in rows:
                copy.write_row((names[doc, place], notation(one)))
    conn.execute("ANALYZE")


def search(conn: psycopg.Connection, query: Vectors, *arguments: object) -> list[Row]:
    return found(conn, "passage_search", notation(query), *arguments)


SMALL = {1: [0.9, 0.1, 0.1, 0.1], 2: [0.7, 0.7, 0.7], 3: [0.8, 0.8], 4: [-0.5], 5: [0.85, 0.8, 0.6, -0.9]}
BY_HAND = {
    "max": [(1, 0.9), (5, 0.85), (3, 0.8), (2, 0.7), (4, -0.5)],
    "mean": [(3, 0.8), (2, 0.7), (5, 0.3375), (1, 0.3), (4, -0.5)],
    "top3": [(3, 0.8), (5, 0.75), (2, 0.7), (1, 1.1 / 3), (4, -0.5)],
}


@databases.world
def small(conn: psycopg.Connection) -> psycopg.Connection:
    """Store SMALL by cosines; decoys are a stub, a document without passages and one whose passage has no vector."""
    put_passages(conn, {doc: [at(cosine) for cosine in cosines] for doc, cosines in SMALL.items()})
    conn.execute(
        "INSERT INTO dblp (id, docno, doc, stub) VALUES (90, '90', '{}', true), (91, '91', '{}', false), (92, '92', '{}', false)"
    )
    conn.execute("INSERT INTO dblp_passages (doc, position, text) VALUES (92, 1, 'without')")
    return conn


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("length", [1.0, 20.0])
@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_by_hand(small: psycopg.Connection, aggregate: str, length: float, indexed: bool) -> None:
    if indexed:
        index(small, fields=["passage"])
    for k in (1, 3, 5, 100):
        rows = search(small, vector(length), k, aggregate)
        assert [(doc, rank) for doc, _, rank in rows] == [(doc, n) for n, (doc, _) in enumerate(BY_HAND[aggregate][:k], 1)]
        assert [score for _, score, _ in rows] == pytest.approx([score for _, score in BY_HAND[aggregate][:k]], abs=1e-6)
    assert search(small, vector(length)) == search(small, vector(length), 100, "max")


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_equal_scores_by_docno_descending_as_bytes_also_at_the_cut(conn: psycopg.Connection, aggregate: str, indexed: bool) -> None:
    put_passages(conn, {doc: [at(0.5)] for doc in (9, 10, 100, 11)})
    if indexed:
        index(conn, fields=["passage"])
    for k in (1, 2, 4):
        assert ids(search(conn, vector(1), k, aggregate)) == [9, 11, 100, 10][:k]


N = 600
RNG = np.random.default_rng(21)
OF = np.repeat(np.arange(N), RNG.integers(1, 12, size=N))
TOPICS = clustered(N, seed=22)
TABLE = unit(TOPICS[OF] + 0.6 * clustered(len(OF), seed=23))
QUERIES = unit(TOPICS[:15] + 0.6 * clustered(15, seed=24))


def numpys(query: Vectors, aggregate: str, among: int = N) -> list[tuple[int, float]]:
    cosines = TABLE.astype(np.float64) @ query.astype(np.float64)
    scores = {}
    for doc in range(among):
        own = np.sort(cosines[doc == OF])[::-1]
        scores[doc] = float({"max": own[0], "mean": own.mean(), "top3": own[:3].mean()}[aggregate])
    return sorted(scores.items(), key=lambda one: -one[1])


@databases.world
def world(conn: psycopg.Connection) -> psycopg.Connection:
    """Store documents of 1 to 11 passages; a decoy model has the opposite vectors."""
    put_passages(conn, {doc: list(TABLE[doc == OF]) for doc in range(N)})
    conn.execute("SELECT stc.add_vector_model('minilm', 'tests/model', 384), stc.add_vector_model('decoy', 'tests/decoy', 384)")
    conn.execute("INSERT INTO dblp_p_decoy (id, passage_v) SELECT id, passage_v FROM dblp_p WHERE id % 2 = 0")
    return conn


@pytest.mark.slow
@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_without_an_index_it_is_numpys_search(world: psycopg.Connection, aggregate: str) -> None:
    for query in QUERIES:
        rows, want = search(world, query, 50, aggregate), numpys(query, aggregate)
        assert ids(rows) == [doc for doc, _ in want[:50]]
        np.testing.assert_allclose([score for _, score, _ in rows], [score for _, score in want[:50]], atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ivfflat", "hnsw"])
@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_by_an_index(world: psycopg.Connection, aggregate: str, kind: str) -> None:
    index(world, fields=["passage"], options=IndexOptions(kind=kind))
    hits = 0
    for query in QUERIES:
        before = scans(world, f"dblp_p_passage_{kind}")
        rows, want = search(world, query, 10, aggregate), numpys(query, aggregate)
        assert scans(world, f"dblp_p_passage_{kind}") > before
        assert [rank for _, _, rank in rows] == list(range(1, 11))
        scores = dict(want)
        np.testing.assert_allclose([score for _, score, _ in rows], [scores[doc] for doc in ids(rows)], atol=1e-6)
        assert [score for _, score, _ in rows] == sorted((score for _, score, _ in rows), reverse=True)
        hits += len({*ids(rows)} & {doc for doc, _ in want[:10]})
        # Exact on request.
        assert ids(search(world, query, 10, aggregate, None, None, 0)) == [doc for doc, _ in want[:10]]
    assert hits >= 135
    for k in (200, N, 5 * N):
        rows = search(world, QUERIES[0], k, aggregate)
        assert len({*ids(rows)}) == min(k, N)
    assert ids(rows) == [doc for doc, _ in numpys(QUERIES[0], aggregate)]


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_a_filter_is_of_documents(world: psycopg.Connection, aggregate: str, indexed: bool) -> None:
    if indexed:
        index(world, fields=["passage"])
    for among in (400, 30, 3):
        rows = search(world, QUERIES[0], 10, aggregate, None, f'{{"citations": [null, {among - 1}]}}')
        assert ids(rows) == [doc for doc, _ in numpys(QUERIES[0], aggregate, among)[:10]]
    assert search(world, QUERIES[0], 10, aggregate, None, '{"citations": [90000, null]}') == []


def test_a_document_of_many_passages_does_not_fill_the_list(conn: psycopg.Connection) -> None:
    """One document has 500 passages that rank before the first of the next document."""
    put_passages(
        conn, {1: [at(0.9 - place / 10_000) for place in range(500)], **{doc: [at(0.5, axis=doc)] for doc in range(2, 14)}}
    )
    index(conn, fields=["passage"], options=IndexOptions(kind="hnsw"))
    for aggregate in AGGREGATES:
        rows = search(conn, vector(1), 10, aggregate)
        assert len(rows) == 10
        assert rows[0][0] == 1


def test_another_model(world: psycopg.Connection) -> None:
    rows = search(world, QUERIES[0], N, "max", "decoy")
    assert 0 < len(rows) < N
    assert max(score for _, score, _ in rows) <= numpys(QUERIES[0], "max")[0][1] + 1e-6


def test_vectors_that_are_stored_in_half_precision(conn: psycopg.Connection) -> None:
    conn.execute("SELECT stc.add_vector_model('wide', 'tests/wide', 2500)")
    wide = unit(np.eye(6, 2500, dtype=np.float32) + 0.2 * np.eye(6, 2500, 1, dtype=np.float32))
    put_passages(conn, {doc: [wide[doc]] for doc in range(6)}, table="dblp_p_wide")
    for made in (False, True):
        if made:
            index(conn, model="wide", fields=["passage"], options=IndexOptions(kind="hnsw"))
        for aggregate in AGGREGATES:
            rows = search(conn, wide[3], 2, aggregate, "wide")
            assert rows[0][0] == 3
            assert rows[0][1] == pytest.approx(1, abs=1e-3)
    assert conn.execute("SELECT passage FROM passage_snippet(3, %s, model => 'wide')", [notation(wide[3])]).fetchall() == [("3.1",)]


def test_the_passage_to_show(small: psycopg.Connection) -> None:
    one = notation(vector(3))
    [row] = small.execute("SELECT place, passage, score FROM passage_snippet(5, %s)", [one]).fetchall()
    assert row == (1, "5.1", pytest.approx(0.85, abs=1e-6))
    rows = small.execute("SELECT place FROM passage_snippet(5, %s, 3)", [one]).fetchall()
    assert rows == [(1,), (2,), (3,)]
    assert small.execute("SELECT place FROM passage_snippet(3, %s)", [one]).fetchall() == [(1,)]  # the first of equal ones
    for doc in (92, 12345):
        assert small.execute("SELECT * FROM passage_snippet(%s, %s)", [doc, one]).fetchall() == []
    texts = small.execute(
        "SELECT p.passage FROM passage_search(%(v)s, 2) s, LATERAL passage_snippet(s.doc, %(v)s) p", {"v": one}
    ).fetchall()
    assert sorted(texts) == [("1.1",), ("5.1",)]


def test_errors_say_what_to_do(small: psycopg.Connection) -> None:
    def refused(state: str, *arguments: object, function: str = "passage_search") -> str:
        with pytest.raises(psycopg.Error) as error:
            found(small, function, *arguments)
        assert error.value.sqlstate == state
        assert error.value.diag.message_hint
        return str(error.value)

    one = notation(vector(1))
    for _ in range(2):
        assert "median" in refused("IR202", one, 5, "median")
        refused("IR202", one, 5, None)
        refused("IR201", one, 0)
        refused("IR202", None, 5)
        refused("IR403", "[1,2,3]", 5)
        refused("IR105", one, 5, "max", "no-such")
        refused("IR202", one, 5, "max", None, '{"colour": 1}')
        refused("IR201", 1, one, 0, function="passage_snippet")
        refused("IR202", 1, None, function="passage_snippet")
        refused("IR403", 1, "[1,2]", function="passage_snippet")
        index(small, fields=["passage"])
    refused("IR202", one, 5, "max", None, None, -1)
    small.execute("DELETE FROM dblp_p")
    assert "no passage has a vector of minilm" in refused("IR405", one)
    small.execute("DELETE FROM dblp_passages")
    assert "there are no passages" in refused("IR405", one)


@pytest.mark.parametrize("indexed", [False, True])
def test_the_session_stays_as_it_was(small: psycopg.Connection, indexed: bool) -> None:
    if indexed:
        index(small, fields=["passage"])
    with small.transaction():
        small.execute("SET LOCAL ivfflat.probes = 2")
        before = settings(small)
        search(small, vector(1), 3, "top3")
        assert settings(small) == before
