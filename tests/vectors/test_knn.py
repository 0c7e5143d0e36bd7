"""knn compared with numpy, with and without an index, and the published functions as in the paper."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import psycopg
import pytest

from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.model import Vectors
from stcollection.vectors.queries import notation
from tests.databases import world
from tests.text.documents import build, found, ids, scans
from tests.vectors.worlds import at, clustered, put_vectors, settings, unit, vector

pytestmark = pytest.mark.slow

N = 800
TABLE = clustered(N, seed=4)
QUERIES = unit(TABLE[:20] + 0.05 * clustered(20, seed=5))


def exact(query: Vectors, k: int, table: Vectors = TABLE) -> list[int]:
    return [int(row) for row in np.argsort(-(table.astype(np.float64) @ query.astype(np.float64)), kind="stable")[:k]]


def knn(conn: psycopg.Connection, query: Vectors, *arguments: object) -> list[tuple[int, float, int]]:
    return found(conn, "knn", notation(query), *arguments)


@world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    """Store random title vectors; decoys are abstracts, and opposite title vectors of another model."""
    turned = np.roll(TABLE, 1, axis=1)
    put_vectors(conn, title=dict(enumerate(TABLE)), abstract=dict(enumerate(turned[:200])))
    conn.execute("SELECT stc.add_vector_model('decoy', 'tests/decoy', 384)")
    put_vectors(conn, title=dict(enumerate(turned)), table="dblp_v_decoy")
    conn.execute("ANALYZE")
    return conn


def test_without_an_index_it_is_exact(filled: psycopg.Connection) -> None:
    for query in QUERIES:
        rows = knn(filled, query, 50)
        assert ids(rows) == exact(query, 50)
        np.testing.assert_allclose([row[1] for row in rows], -(TABLE @ query)[ids(rows)], atol=1e-6)
        assert [row[2] for row in rows] == list(range(1, 51))


def test_whether_a_field_has_vectors_is_estimated_in_a_large_table(filled: psycopg.Connection) -> None:
    def missing(*, estimate: bool) -> dict[str, bool]:
        statement = (
            "SELECT f, stc.vectors_missing(stc.vector_model(), f, %s) FROM unnest('{title,abstract,content,passage}'::text[]) f"
        )
        return dict(filled.execute(statement, [estimate]).fetchall())

    known = {"title": False, "abstract": False, "content": True, "passage": True}
    assert missing(estimate=True) == missing(estimate=False) == known
    filled.execute("UPDATE pg_class SET reltuples = 200000 WHERE oid = 'dblp_v'::regclass")
    assert missing(estimate=True) == known
    counted = "SELECT field, rows_now FROM stc.vector_status(%s) WHERE model = 'minilm'"
    assert filled.execute(counted, [True]).fetchall() == [("title", 200_000), ("abstract", 50_000)]
    assert filled.execute(counted, [False]).fetchall() == [("title", N), ("abstract", 200)]
    filled.execute("UPDATE dblp_v SET content_v = title_v WHERE id = 1")  # after ANALYZE
    assert (missing(estimate=True)["content"], missing(estimate=False)["content"]) == (True, False)
    index(filled, fields=["title"], options=IndexOptions(lists=5))
    filled.execute("INSERT INTO stc.vector_indexes (model, field, kind, effort, rows) VALUES ('minilm', 'content', 'hnsw', 9, 1)")
    assert missing(estimate=True)["content"] is False
    filled.execute("UPDATE dblp_v SET content_v = NULL")
    assert missing(estimate=True)["content"] is False
    filled.execute("UPDATE pg_class SET reltuples = 800 WHERE oid = 'dblp_v'::regclass")  # a small table is read
    assert missing(estimate=True)["content"] is True
    filled.execute("UPDATE dblp_v SET content_v = title_v WHERE id = 1")
    filled.execute("UPDATE pg_class SET reltuples = 200000 WHERE oid = 'dblp_v'::regclass")
    filled.execute("DELETE FROM pg_statistic WHERE starelid = 'dblp_v'::regclass")
    filled.execute("DELETE FROM stc.vector_indexes WHERE field = 'content'")
    assert missing(estimate=True)["content"] is False


@pytest.mark.usefixtures("dsn")
def test_fields_and_models_are_told_apart(filled: psycopg.Connection) -> None:
    turned = np.roll(TABLE, 1, axis=1)
    query = turned[7]
    assert ids(knn(filled, query, 10, "abstract")) == exact(query, 10, turned[:200])
    assert ids(knn(filled, query, 10, "title", "decoy")) == exact(query, 10, turned)
    assert ids(knn(filled, query, 10, "title", "minilm")) == exact(query, 10)
    index(filled, model="decoy", options=IndexOptions(lists=5, effort=5))
    before = scans(filled, "dblp_v_decoy_title_ivfflat")
    assert ids(knn(filled, query, 10, "title", "decoy")) == exact(query, 10, turned)
    assert scans(filled, "dblp_v_decoy_title_ivfflat") == before + 1


@pytest.mark.usefixtures("dsn")
def test_an_index_is_used_with_the_recorded_probes(filled: psycopg.Connection) -> None:
    index(filled, fields=["title"], options=IndexOptions(lists=10, effort=4))
    bare = f"SELECT id FROM dblp_v ORDER BY title_v <#> '{notation(QUERIES[0])}' LIMIT 20"
    plan = filled.execute(f"EXPLAIN {bare}").fetchall()
    assert any("Index Scan using dblp_v_title_ivfflat" in line for (line,) in plan)
    for probes in (None, 1, 2):
        filled.execute(f"SET ivfflat.probes = {probes or 4}")
        for query in QUERIES:
            before = scans(filled, "dblp_v_title_ivfflat")
            rows = knn(filled, query, 20, "title", None, None, probes)
            assert scans(filled, "dblp_v_title_ivfflat") == before + 1
            peer = filled.execute(f"SELECT id FROM dblp_v ORDER BY title_v <#> '{notation(query)}' LIMIT 20").fetchall()
            assert ids(rows) == [row[0] for row in peer]


@pytest.mark.slow
def test_recall(filled: psycopg.Connection) -> None:
    index(filled, fields=["title"], options=IndexOptions(lists=100, effort=30))

    def recall(probes: int | None) -> float:
        hits = [len({*ids(knn(filled, query, 10, "title", None, None, probes))} & {*exact(query, 10)}) for query in QUERIES]
        return sum(hits) / (10 * len(QUERIES))

    assert recall(100) == 1
    assert recall(None) >= 0.9
    assert recall(1) < recall(None)


@pytest.mark.parametrize("k", [300, N, 5 * N])
def test_k_documents_come_back_if_there_are_k(filled: psycopg.Connection, k: int) -> None:
    index(filled, fields=["title"], options=IndexOptions(lists=30, effort=1))
    rows = knn(filled, QUERIES[0], k)
    assert len(rows) == min(k, N)
    assert [row[2] for row in rows] == list(range(1, len(rows) + 1))
    assert [row[1] for row in rows] == sorted(row[1] for row in rows)
    if k >= N:
        assert ids(rows) == exact(QUERIES[0], k)
    # A limit of the session has no effect either.
    filled.execute("SET ivfflat.max_probes = 1")
    assert len(knn(filled, QUERIES[0], k)) == min(k, N)


@pytest.mark.usefixtures("dsn")
@pytest.mark.parametrize("indexed", [False, True])
def test_the_session_stays_as_it_was(filled: psycopg.Connection, indexed: bool) -> None:
    if indexed:
        index(filled, options=IndexOptions(lists=30, effort=3))
    filled.execute("SET ivfflat.probes = 7")
    for change in (
        "SELECT 1",
        "SET LOCAL ivfflat.probes = 2",
        "SET LOCAL enable_seqscan = off",
        "SET LOCAL ivfflat.iterative_scan = off",
    ):
        with filled.transaction():
            filled.execute(change)
            before = settings(filled)
            knn(filled, QUERIES[0], 5)
            assert settings(filled) == before
            filled.execute("SELECT * FROM dblp_knn_title(qdblp_v_title(5), 10, -0.1)")
            assert settings(filled) == before
            with pytest.raises(psycopg.Error), filled.transaction():
                knn(filled, vector(1)[:5], 5)
            assert settings(filled) == before
    assert settings(filled)["ivfflat.probes"] == "7"


def calls(conn: psycopg.Connection) -> int:
    """Return the number of queries parsed that are not yet in pg_stat_user_functions; needs track_functions."""
    row = conn.execute("SELECT calls FROM pg_stat_xact_user_functions WHERE funcname = 'read_query'").fetchone()
    return 0 if row is None else int(row[0])


def reads(conn: psycopg.Connection, table: str) -> tuple[int, int]:
    """Return the numbers of scans of a table without an index, and of all its scans, in this session."""
    row = conn.execute(
        "SELECT pg_stat_get_xact_numscans(oid), (SELECT sum(pg_stat_get_xact_numscans(i.indexrelid)) FROM pg_index i"
        " WHERE i.indrelid = c.oid) FROM pg_class c WHERE c.relname = %s",
        [table],
    ).fetchone()
    assert row is not None
    return int(row[0]), int(row[0] + (row[1] or 0))


@world
def told(conn: psycopg.Connection) -> psycopg.Connection:
    """Store title vectors of documents with years and texts: "voice" in all but every tenth, "rare" in every hundredth."""
    conn.execute(
        "INSERT INTO dblp (id, docno, doc) SELECT n, n, jsonb_build_object('year', 2000 + n % 2, 'n_citation', n)"
        f"  FROM generate_series(0, {2 * N} - 1) n"
    )
    conn.execute(
        "INSERT INTO dblp_text (id, title) SELECT id, concat(CASE WHEN id % 10 > 0 THEN 'voice ' END,"
        " CASE WHEN id % 100 = 0 THEN 'rare' END) FROM dblp"
    )
    put_vectors(conn, title=dict(enumerate(clustered(2 * N, seed=6))))
    build(conn, "portable")
    conn.execute("ANALYZE")
    return conn


FILTERS = {
    '{"year": 2001}': "d.year = 2001",
    '{"citations": [null, 30]}': "d.n_citation <= 30",
    '{"text": "voice"}': "d.id IN (SELECT id FROM dblp_text WHERE tsv @@ 'voic')",
    '{"text": "rare"}': "d.id IN (SELECT id FROM dblp_text WHERE tsv @@ 'rare')",
    '{"docs": [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144]}': "d.id IN (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)",
}


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("wanted", FILTERS)
def test_a_filter_returns_what_a_plain_statement_returns(told: psycopg.Connection, wanted: str, indexed: bool) -> None:
    if indexed:
        index(told, fields=["title"], options=IndexOptions(lists=20, effort=20))
    for query in QUERIES[:5]:
        plain = told.execute(
            f"SELECT v.id FROM dblp_v v JOIN dblp_facts d ON d.id = v.id WHERE {FILTERS[wanted]}"
            f" ORDER BY (v.title_v <#> '{notation(query)}') + 0 LIMIT 25"
        ).fetchall()
        assert ids(knn(told, query, 25, "title", None, wanted)) == [doc for (doc,) in plain]


def test_without_an_index_a_filter_is_one_join(told: psycopg.Connection) -> None:
    with told.transaction():
        before = reads(told, "dblp_facts")
        knn(told, QUERIES[0], 10, "title", None, '{"year": 2001}')
        assert reads(told, "dblp_facts")[1] <= before[1] + 5  # the planner reads the ends of indexes; not one a document


@pytest.mark.parametrize("indexed", [False, True])
def test_the_text_of_a_filter_is_parsed_once_and_not_for_each_row(told: psycopg.Connection, indexed: bool) -> None:
    if indexed:
        index(told, fields=["title"], options=IndexOptions(lists=20, effort=4))
    with told.transaction():
        told.execute("SET LOCAL track_functions = 'all'")
        before = calls(told)
        assert len(knn(told, QUERIES[0], 10, "title", None, '{"text": "voice"}')) == 10
        assert calls(told) - before <= 2  # one for each statement


def test_a_wide_filter_is_looked_up_for_the_rows_that_the_index_returns(told: psycopg.Connection) -> None:
    """And not computed for all documents first: the sequential scan stops early, and no other follows."""
    index(told, fields=["title"], options=IndexOptions(lists=20, effort=4))
    with told.transaction():
        before = reads(told, "dblp_text")
        knn(told, QUERIES[0], 10, "title", None, '{"text": "voice"}')
        alone, every = reads(told, "dblp_text")
        assert alone - before[0] <= 1  # filter_docs
        assert every - before[1] <= 100


def test_a_list_of_the_matching_documents_returns_what_looking_them_up_returns(told: psycopg.Connection) -> None:
    """Both search the index: more documents match than are compared without it."""
    index(told, fields=["title"], options=IndexOptions(lists=20, effort=4))
    wanted = '{"text": "voice"}'
    [listed] = told.execute("SELECT filter_docs(%s)", [wanted]).fetchone() or [[]]
    for query in QUERIES[:5]:
        before = scans(told, "dblp_v_title_ivfflat")
        looked_up = knn(told, query, 25, "title", None, wanted)
        by_list = found(told, "stc.knn_among", notation(query), 25, "title", None, wanted, None, listed)
        assert by_list == looked_up
        assert scans(told, "dblp_v_title_ivfflat") == before + 2
    odd = [doc for doc in listed if doc % 2]
    assert {doc % 2 for doc in ids(found(told, "stc.knn_among", notation(QUERIES[0]), 25, "title", None, wanted, None, odd))} == {1}


def ties(conn: psycopg.Connection, docnos: list[str]) -> None:
    conn.cursor().executemany(
        "INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, '{}')", [(doc, docno) for doc, docno in enumerate(docnos)]
    )
    put_vectors(conn, title=dict.fromkeys(range(len(docnos)), at(0.5)) | {len(docnos): at(0.9), len(docnos) + 1: at(0.1)})


@pytest.mark.parametrize("indexed", [False, True])
def test_equal_distances_by_docno_descending_as_bytes(conn: psycopg.Connection, indexed: bool) -> None:
    names = ["9", "10", "a", "B", "é", "100"]
    ties(conn, names)
    if indexed:
        index(conn)
    rows = knn(conn, vector(1), 10)
    assert ids(rows)[0] == len(names)
    assert ids(rows)[-1] == len(names) + 1
    assert [names[doc] for doc in ids(rows)[1:-1]] == sorted(names, key=str.encode, reverse=True)
    # Also at the cut.
    assert [names[doc] for doc in ids(knn(conn, vector(1), 3))[1:]] == ["é", "a"]


def test_unusual_queries(filled: psycopg.Connection) -> None:
    def refused(state: str, *arguments: object) -> None:
        with pytest.raises(psycopg.Error) as error:
            found(filled, "knn", *arguments)
        assert error.value.sqlstate == state
        assert error.value.diag.message_hint

    one = notation(vector(1))
    refused("IR201", one, 0)
    refused("IR201", one, None)
    refused("IR202", None, 5)
    refused("IR202", one, 5, "title", None, None, -1)
    refused("IR403", "[1,2,3]", 5)
    refused("IR106", one, 5, "venue")
    refused("IR106", one, 5, None)
    refused("IR105", one, 5, "title", "no-such")
    assert len(knn(filled, vector(0), 5)) == 5


def test_an_index_that_was_dropped_by_hand_is_not_missed(filled: psycopg.Connection) -> None:
    index(filled, fields=["title"], options=IndexOptions(lists=30, effort=1))
    filled.execute("DROP INDEX dblp_v_title_ivfflat")
    assert ids(knn(filled, QUERIES[0], 20)) == exact(QUERIES[0], 20)


# The published functions: appendix A of the paper.


def nearest(conn: psycopg.Connection, query: str, nb: object, sc: float | None) -> list[int]:
    return [row[0] for row in conn.execute(f"SELECT * FROM dblp_knn_title({query}, %s, %s)", [nb, sc]).fetchall()]


@world
def titles(conn: psycopg.Connection) -> psycopg.Connection:
    put_vectors(conn, title={1: vector(1), 2: at(0.95), 3: at(0.9), 4: at(0.85), 5: at(0.75), 6: at(-0.5)}, abstract={7: vector(1)})
    return conn


def test_as_a_reader_of_the_paper_would_call_it(titles: psycopg.Connection) -> None:
    assert titles.execute("SELECT * FROM dblp_knn_title(qdblp_v_title(1), 10, -0.8)").fetchall() == [(1,), (2,), (3,), (4,)]
    assert titles.execute("SELECT id FROM dblp_knn_title(qdblp_v_title(1), 2, -0.8)").fetchall() == [(1,), (2,)]
    assert titles.execute("SELECT id FROM dblp_knn_title(qdblp_v_title(1), 10, -0.92)").fetchall() == [(1,), (2,)]
    assert titles.execute("SELECT count(*) FROM dblp_knn_title(qdblp_v_title(1), 100, 1)").fetchone() == (6,)
    rows = titles.execute(
        "SELECT d.id, n.id FROM dblp_v d, LATERAL dblp_knn_title(qdblp_v_title(d.id), 1, -0.8) n ORDER BY 1"
    ).fetchall()
    assert rows == [(doc, doc) for doc in range(1, 7)]


def test_the_threshold_is_an_inner_product(titles: psycopg.Connection) -> None:
    half = notation(vector(0.5))
    assert nearest(titles, f"'{half}'", 10, -0.449) == [1, 2, 3]


def test_its_arguments(titles: psycopg.Connection) -> None:
    assert nearest(titles, "qdblp_v_title(1)", Decimal("2.0"), -0.8) == [1, 2]
    assert nearest(titles, "qdblp_v_title(1)", 10**12, -0.8) == [1, 2, 3, 4]
    assert nearest(titles, "qdblp_v_title(7)", 10, 1) == []
    assert nearest(titles, "qdblp_v_title(12345)", 10, 1) == []
    with pytest.raises(psycopg.Error) as error:
        nearest(titles, "qdblp_v_title(1)", 0, -0.8)
    assert error.value.sqlstate == "IR201"


def test_the_published_signature(conn: psycopg.Connection) -> None:
    rows = conn.execute(
        "SELECT pg_get_function_arguments(oid), pg_get_function_result(oid) FROM pg_proc"
        " WHERE proname IN ('dblp_knn_title', 'qdblp_v_title') ORDER BY proname"
    ).fetchall()
    assert rows == [
        ("v_query vector, nb numeric, sc double precision", "TABLE(id bigint)"),
        ("doc bigint", "vector"),
    ]


def test_they_are_numpys_neighbours(filled: psycopg.Connection) -> None:
    for doc in range(20):
        assert nearest(filled, f"qdblp_v_title({doc})", 15, 1) == exact(TABLE[doc], 15)


def test_a_document_whose_text_changes_loses_its_vectors(conn: psycopg.Connection) -> None:
    put_vectors(conn, title={1: vector(1), 2: vector(0, 1)})
    for doc, title in ((1, "one"), (2, "two")):
        conn.execute(
            "INSERT INTO dblp_text (id, title) VALUES (%s, %s) ON CONFLICT (id) DO UPDATE SET title = %s", [doc, title, title]
        )
    conn.execute("SELECT stc.add_vector_model('minilm', 'a model', 384)")
    conn.execute("UPDATE dblp_text SET title = 'one'")
    assert conn.execute("SELECT id FROM dblp_v ORDER BY id").fetchall() == [(1,)]
