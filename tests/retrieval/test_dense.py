"""dense_search and dense_document_search: cosines by hand and by numpy, order, omitted documents, errors, recall."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import psycopg
import pytest

from stcollection.retrieval.run import check_systems
from stcollection.vectors.audit import status as vector_status
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.model import Vectors
from stcollection.vectors.npy import load_npy
from stcollection.vectors.queries import notation
from tests.text.documents import build, found, ids, put, scans
from tests.vectors.worlds import at, clustered, put_vectors, settings, vector

Row = tuple[int, float, int]


def dense(conn: psycopg.Connection, query: Vectors, *arguments: object) -> list[Row]:
    return found(conn, "dense_search", notation(query), *arguments)


@pytest.fixture
def small(conn: psycopg.Connection) -> psycopg.Connection:
    """Cosines with vector(1): titles .9 .6 .3 -.5, abstracts .2 .8; a stub and a document without vectors are decoys."""
    put_vectors(conn, title={1: at(0.9), 2: at(0.6), 3: at(0.3), 4: at(-0.5)}, abstract={1: at(0.2), 3: at(0.8)})
    conn.execute("INSERT INTO dblp (id, docno, doc, stub) VALUES (90, '90', '{}', true), (91, '91', '{}', false)")
    return conn


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("length", [1.0, 20.0, 0.01])
def test_scores_are_cosines(small: psycopg.Connection, length: float, indexed: bool) -> None:
    if indexed:
        index(small)
    rows = dense(small, vector(length))
    assert [(doc, rank) for doc, _, rank in rows] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert [score for _, score, _ in rows] == pytest.approx([0.9, 0.6, 0.3, -0.5], abs=1e-6)
    assert ids(dense(small, vector(length), 2)) == [1, 2]
    rows = dense(small, vector(length), 100, "abstract")
    assert [(doc, rank) for doc, _, rank in rows] == [(3, 1), (1, 2)]
    assert [score for _, score, _ in rows] == pytest.approx([0.8, 0.2], abs=1e-6)


def test_by_name_in_plain_sql(small: psycopg.Connection) -> None:
    [row] = small.execute(
        "SELECT doc, rank FROM dense_search((SELECT title_v FROM dblp_v WHERE id = 2), field => 'abstract', k => 1)"
    ).fetchall()
    assert row == (3, 1)


def test_a_score_of_nothing_in_common_is_zero(conn: psycopg.Connection) -> None:
    put_vectors(conn, title={1: vector(0, 1)})
    [(_, score, _)] = dense(conn, vector(1))
    assert str(score) == "0.0"


def test_it_is_numpys_search(conn: psycopg.Connection) -> None:
    table = clustered(800, seed=8)
    put_vectors(conn, abstract=dict(enumerate(table)))
    for query in clustered(10, seed=9):
        cosines = table.astype(np.float64) @ query.astype(np.float64)
        rows = dense(conn, query, 100, "abstract")
        assert ids(rows) == [int(doc) for doc in np.argsort(-cosines)[:100]]
        np.testing.assert_allclose([score for _, score, _ in rows], np.sort(cosines)[::-1][:100], atol=1e-6)


@pytest.mark.parametrize("function", ["dense_search", "stc.dense_document_search"])
def test_equal_scores_by_docno_descending_as_bytes(conn: psycopg.Connection, function: str) -> None:
    names = ["9", "10", "a", "B", "100"]
    conn.cursor().executemany("INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, '{}')", list(enumerate(names)))
    put_vectors(conn, title=dict.fromkeys(range(len(names)), at(0.5)))
    for k in (5, 3):
        rows = found(conn, function, notation(vector(1)), k)
        assert [names[doc] for doc in ids(rows)] == ["a", "B", "9", "100", "10"][:k]


def test_an_abstract_or_else_the_title(small: psycopg.Connection) -> None:
    rows = found(small, "stc.dense_document_search", notation(vector(3)))
    assert [(doc, rank) for doc, _, rank in rows] == [(3, 1), (2, 2), (1, 3), (4, 4)]
    assert [score for _, score, _ in rows] == pytest.approx([0.8, 0.6, 0.2, -0.5], abs=1e-6)
    assert ids(found(small, "stc.dense_document_search", notation(vector(3)), 2)) == [3, 2]
    index(small)
    assert found(small, "stc.dense_document_search", notation(vector(3))) == rows


def test_titles_are_searched_only_if_a_document_has_no_abstract(conn: psycopg.Connection) -> None:
    """The number of scans shows it: a search of abstracts alone is half the work."""

    def scanned() -> int:
        [[all_scans]] = conn.execute("SELECT seq_scan + idx_scan FROM pg_stat_xact_user_tables WHERE relname = 'dblp_v'").fetchall()
        return int(all_scans)

    put_vectors(conn, title={1: at(0.9), 2: at(0.6)}, abstract={1: at(0.2), 2: at(0.8)})
    for field in ("title", "abstract"):
        index(conn, fields=[field])
    with conn.transaction():
        before = scanned()
        assert ids(found(conn, "stc.dense_document_search", notation(vector(1)))) == [2, 1]
        assert scanned() == before + 2  # is there a title without abstract? the search of abstracts
    put_vectors(conn, title={3: at(0.7)})
    with conn.transaction():
        before = scanned()
        assert ids(found(conn, "stc.dense_document_search", notation(vector(1)))) == [2, 3, 1]
        assert scanned() == before + 3


def test_a_title_far_behind_others_that_have_an_abstract(conn: psycopg.Connection) -> None:
    """The first k titles all belong to documents with an abstract; the nearest title without one counts all the same."""
    put_vectors(conn, title={**{doc: at(0.9) for doc in range(1, 6)}, 6: at(0.5)}, abstract={doc: at(0.1) for doc in range(1, 6)})
    assert ids(found(conn, "stc.dense_document_search", notation(vector(1)), 2))[0] == 6
    index(conn)
    assert ids(found(conn, "stc.dense_document_search", notation(vector(1)), 2))[0] == 6


@pytest.mark.long
@pytest.mark.parametrize("kind", ["ivfflat", "hnsw"])
def test_many_titles_without_abstract_have_their_own_index(conn: psycopg.Connection, kind: str) -> None:
    table = clustered(11_000, seed=8)
    put_vectors(
        conn, title=dict(enumerate(table[:10_500])), abstract={doc: table[doc] for doc in (*range(300), *range(10_500, 11_000))}
    )
    own = f"dblp_v_title_only_{kind}"
    query = notation(clustered(1, seed=9)[0])
    exact = found(conn, "stc.dense_document_search", query, 50)
    index(conn, options=IndexOptions(kind=kind, effort=1000 if kind == "hnsw" else 200))
    assert conn.execute("SELECT rows, kind FROM stc.vector_indexes WHERE field = 'title_only'").fetchall() == [(10_200, kind)]
    conn.execute("UPDATE stc.vector_indexes SET effort = 1000 WHERE field = 'title_only'")
    every = scans(conn, f"dblp_v_title_{kind}")
    before = scans(conn, own)
    assert found(conn, "stc.dense_document_search", query, 50) == exact
    assert (scans(conn, own), scans(conn, f"dblp_v_title_{kind}")) == (before + 1, every)
    status = {one.field: one for one in vector_status(conn)}
    assert (status["title_only"].rows_now, status["title_only"].stale) == (10_200, False)
    # Without it, the index of all titles or a scan finds them.
    conn.execute(f"DROP INDEX {own}")
    assert found(conn, "stc.dense_document_search", query, 50) == exact
    lacking = {one.field: one for one in vector_status(conn)}["title_only"]
    assert lacking.stale
    assert f"stc vectors index --field title_only --kind {kind}" in str(lacking.advice)
    assert [one.built for one in index(conn, fields=["title_only"], options=IndexOptions(kind=kind))] == [True]
    # A build after most of them have an abstract removes it.
    conn.execute("UPDATE dblp_v SET abstract_v = title_v WHERE id BETWEEN 300 AND 9999")
    index(conn, fields=["abstract"], options=IndexOptions(kind=kind))
    assert conn.execute("SELECT field FROM stc.vector_indexes ORDER BY field").fetchall() == [("abstract",), ("title",)]


@pytest.mark.parametrize("field", ["title", "abstract"])
def test_a_corpus_of_one_field(conn: psycopg.Connection, field: str) -> None:
    put_vectors(conn, **{field: {1: at(0.9), 2: at(0.6)}})  # type: ignore[arg-type]
    assert ids(found(conn, "stc.dense_document_search", notation(vector(1)))) == [1, 2]


@pytest.mark.parametrize("system", ["dense-title", "rocchio-title"])
def test_the_check_before_a_search_does_not_read_all_vectors(conn: psycopg.Connection, system: str) -> None:
    table = np.random.default_rng(3).standard_normal((300, 384)).astype(np.float32)
    put(conn, dict.fromkeys(range(1, 301), ("a", None)))
    put_vectors(conn, title=dict(enumerate(table, start=1)))
    index(conn, fields=["title"])
    build(conn, "portable")

    def read() -> int:
        [[tuples]] = conn.execute(
            "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'dblp_v'"
        ).fetchall()
        return int(tuples)

    with conn.transaction():
        before = read()
        check_systems(conn, [system])
        assert 0 < read() - before < 20


def test_errors_say_what_to_do(small: psycopg.Connection) -> None:
    def refused(state: str, *arguments: object, function: str = "dense_search") -> str:
        with pytest.raises(psycopg.Error) as error:
            found(small, function, *arguments)
        assert error.value.sqlstate == state
        assert error.value.diag.message_hint
        return str(error.value)

    one = notation(vector(1))
    for function in ("dense_search", "stc.dense_document_search"):
        refused("IR201", one, 0, function=function)
        refused("IR202", None, 5, function=function)
        refused("IR403", "[1,2,3]", 5, function=function)
    assert "-3" in refused("IR201", one, -3)
    assert "3 dimensions" in refused("IR403", "[1,2,3]")
    assert "venue" in refused("IR106", one, 5, "venue")
    assert "no-such" in refused("IR105", one, 5, "title", "no-such")
    refused("IR202", one, 5, "title", None, None, -1)
    small.execute("UPDATE dblp_v SET abstract_v = NULL")
    assert "no abstract vectors of minilm" in refused("IR405", one, 5, "abstract")
    small.execute("TRUNCATE dblp_v")
    refused("IR405", one, 5)
    refused("IR405", one, 5, function="stc.dense_document_search")


@pytest.mark.slow
def test_recall_on_real_vectors(conn: psycopg.Connection, data: Path, tmp_path: Path) -> None:
    """ACM-CR: default lists and probes find nine of ten true neighbours, and the session's settings do not change."""
    folder = data / "acm-cr"
    table = np.load(folder / "abstract_v.f16.npy", mmap_mode="r")[::4]
    names = np.load(folder / "abstract_ids.npy")[::4]
    np.save(tmp_path / "v.npy", table)
    np.save(tmp_path / "ids.npy", names)
    conn.execute("INSERT INTO dblp (id, docno, doc) SELECT id, id::text, '{}' FROM unnest(%s::bigint[]) id", [names.tolist()])
    assert load_npy(conn, vectors=tmp_path / "v.npy", ids=tmp_path / "ids.npy", field="abstract").stored == len(table)
    [made] = index(conn)
    assert (made.lists, made.effort) == (24, 10)
    stored = table.astype(np.float32)
    stored /= np.linalg.norm(stored, axis=1, keepdims=True)
    queries = np.random.default_rng(1).choice(len(stored), 30, replace=False)
    exact = stored[queries] @ stored.T
    before, used = settings(conn), scans(conn, "dblp_v_abstract_ivfflat")
    some = every = 0
    for place, row in enumerate(queries):
        true = {int(names[doc]) for doc in np.argsort(-exact[place])[:10]}
        some += len(true & {*ids(dense(conn, stored[row], 10, "abstract"))})
        every += len(true & {*ids(dense(conn, stored[row], 10, "abstract", None, None, made.lists))})
    assert settings(conn) == before
    assert scans(conn, "dblp_v_abstract_ivfflat") == used + 60
    assert every >= 299  # of 300; ties at the cut may be resolved differently
    assert some >= 270
