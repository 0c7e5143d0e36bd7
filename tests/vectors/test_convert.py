"""Vectors stored in half precision: conversion both ways, searches, and the precision of a new model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.vectors.convert import convert
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.model import Vectors
from stcollection.vectors.queries import notation
from tests.databases import world
from tests.groups import vectors
from tests.text.documents import clone, found, ids, scans
from tests.vectors.worlds import clustered, put_vectors

pytestmark = pytest.mark.slow

TABLE = clustered(1500, seed=1)
QUERIES = clustered(8, seed=2)
TYPES = """
SELECT DISTINCT format_type(atttypid, atttypmod) FROM pg_attribute
 WHERE attrelid IN ('dblp_v'::regclass, 'dblp_p'::regclass) AND attname LIKE '%\\_v'
"""


@world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    """Store 1,500 title and 600 abstract vectors."""
    put_vectors(conn, title=dict(enumerate(TABLE)), abstract=dict(enumerate(TABLE[:600])))
    return conn


def types(conn: psycopg.Connection) -> list[str]:
    return [name for (name,) in conn.execute(TYPES).fetchall()]


def nearest(query: Vectors, k: int) -> list[int]:
    """Return the k nearest titles by the stored values, with NumPy."""
    halved = TABLE.astype(np.float16).astype(np.float64)
    return [int(doc) for doc in np.argsort(-(halved @ query.astype(np.float16).astype(np.float64)), kind="stable")[:k]]


@pytest.mark.parametrize("kind", ["ivfflat", "hnsw"])
def test_indexes_are_built_again_and_searched(filled: psycopg.Connection, kind: str) -> None:
    index(filled, options=IndexOptions(kind=kind, half=True))
    done = convert(filled, half=True)
    assert (done.model, done.storage, done.converted) == ("minilm", "halfvec", True)
    assert [(one.field, one.kind, one.built, one.rows) for one in done.indexes] == [
        ("abstract", kind, True, 600),
        ("title", kind, True, 1500),
    ]
    assert types(filled) == ["halfvec(384)"]
    before = scans(filled, f"dblp_v_title_{kind}")
    for query in QUERIES:
        rows = found(filled, "knn", notation(query), 10, "title", None, None, 1000)
        assert len({*ids(rows)} & {*nearest(query, 10)}) >= 9
        exact = found(filled, "knn", notation(query), 10, "title", None, None, 0)
        assert ids(exact) == nearest(query, 10)
        np.testing.assert_allclose([row[1] for row in exact], -(TABLE @ query)[ids(exact)], atol=1e-3)
    assert scans(filled, f"dblp_v_title_{kind}") == before + len(QUERIES)


def test_there_and_back(filled: psycopg.Connection) -> None:
    index(filled, fields=["title"])
    convert(filled, half=True)
    again = convert(filled, half=True)
    assert (again.converted, [one.built for one in again.indexes]) == (False, [False])
    back = convert(filled, half=False)
    assert (back.storage, back.converted, [one.built for one in back.indexes]) == ("vector", True, [True])
    assert types(filled) == ["vector(384)"]
    for query in QUERIES:
        rows = found(filled, "knn", notation(query), 5, "title", None, None, 0)
        assert len({*ids(rows)} & {*nearest(query, 5)}) >= 4


def test_an_interrupted_conversion_builds_the_indexes_when_repeated(filled: psycopg.Connection) -> None:
    index(filled, fields=["title"])
    filled.execute("SELECT stc.convert_vectors('minilm', true)")  # and then the command was killed
    rows = filled.execute("SELECT field, stale FROM stc.vector_status() WHERE kind IS NOT NULL").fetchall()
    assert rows == [("title", True)]
    assert ids(found(filled, "knn", notation(QUERIES[0]), 10, "title")) == nearest(QUERIES[0], 10)
    done = convert(filled, half=True)
    assert (done.converted, [(one.field, one.built) for one in done.indexes]) == (False, [("title", True)])


def test_everything_that_reads_vectors_reads_half_precision(filled: psycopg.Connection) -> None:
    convert(filled, half=True)
    one = notation(TABLE[7])
    cosines = filled.execute("SELECT * FROM stc.document_cosines(7, %s::vector)", [one]).fetchall()
    assert cosines == [(field, pytest.approx(1, abs=1e-3)) for field in ("title", "abstract")]
    assert ids(found(filled, "document_neighbours", 7, 3)) == nearest(TABLE[7], 4)[1:]
    assert filled.execute("SELECT d.id FROM dblp_knn_title(qdblp_v_title(7), 1, -0.9) d").fetchall() == [(7,)]
    near = filled.execute("SELECT id FROM dblp_v ORDER BY title_v <#> %s::vector LIMIT 3", [one]).fetchall()
    assert [doc for (doc,) in near] == nearest(TABLE[7], 3)
    neighbours = "SELECT doc FROM stc.near_documents('{7}', 3, -1, effort => %s) ORDER BY place"
    for effort in (0, 1500):  # exact, and as by an index
        assert [doc for (doc,) in filled.execute(neighbours, [effort]).fetchall()] == nearest(TABLE[7], 4)[1:]
    assert ids(found(filled, "dense_search", one, 3, "abstract"))[0] == 7
    assert ids(found(filled, "rocchio_search", one, 3, "title"))[0] == 7
    assert ids(found(filled, "stc.dense_document_search", one, 3))[0] == 7
    assert filled.execute("SELECT count(*) FROM stc.map_sample(50)").fetchone() == (50,)
    put_vectors(filled, title={2000: TABLE[7]})
    assert {*ids(found(filled, "knn", one, 2, "title"))} == {7, 2000}


def test_what_cannot_be_converted(filled: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject):
        convert(filled, model="none", half=True)
    filled.execute("SELECT stc.add_vector_model('wide', 'tests/wide', 2500)")
    with pytest.raises(BadArgument, match="2,500 dimensions"):
        convert(filled, model="wide", half=False)
    filled.execute("SELECT stc.add_vector_model('other', 'tests/other', 8)")
    filled.execute("INSERT INTO stc.vector_indexes (model, field, kind, effort, rows) VALUES ('other', 'title', 'diskann', 100, 1)")
    with pytest.raises(BadArgument, match="diskann"):
        convert(filled, model="other", half=True)
    filled.execute("CREATE VIEW mine AS SELECT title_v FROM dblp_v")
    with pytest.raises(psycopg.Error, match="used by a view"):
        filled.execute("SELECT stc.convert_vectors('minilm', true)")
    assert types(filled) == ["vector(384)"]


def test_the_command(server: Settings, admin: psycopg.Connection, template: str) -> None:
    with clone(server, admin, template, "convert") as conn:
        put_vectors(conn, title=dict(enumerate(TABLE[:50])))
        index(conn, fields=["title"])
        settings = replace(server, db=conn.info.dbname)

        def run(*words: str) -> str:
            done = CliRunner().invoke(vectors, ["convert", *words], obj=settings)
            return f"{done.exit_code} {done.output}"

        assert run("--half").startswith("0 the vectors of minilm are now stored in half precision\ntitle: indexed in ")
        assert run("--half") == "0 the vectors of minilm are already stored in half precision\n"
        assert run("--full").startswith("0 the vectors of minilm are now stored in full precision\ntitle: indexed in ")
        assert "choose --half or --full" in run()
        with pytest.raises(psycopg.Error, match="half is NULL"):
            conn.execute("SELECT stc.convert_vectors('minilm', NULL)")


def test_a_new_model_in_a_large_corpus(conn: psycopg.Connection) -> None:
    """The size of the corpus is the planner's estimate."""
    conn.execute("SELECT stc.add_vector_model('early', 'tests/early', 8)")
    conn.execute("UPDATE pg_class SET reltuples = 1000001 WHERE oid = 'dblp'::regclass")
    conn.execute("SELECT stc.add_vector_model('late', 'tests/late', 8)")
    conn.execute("SELECT stc.add_vector_model('early', 'tests/early', 8)")
    assert types(conn) == ["vector(384)"]
    conn.execute("SELECT stc.add_vector_model('minilm', 'sentence-transformers/all-MiniLM-L6-v2', 384, 256)")
    assert conn.execute("SELECT model, storage FROM stc.vector_models ORDER BY 1").fetchall() == [
        ("early", "vector"),
        ("late", "halfvec"),
        ("minilm", "halfvec"),
    ]
    assert types(conn) == ["halfvec(384)"]


def test_stored_vectors_of_the_default_model_keep_their_precision(filled: psycopg.Connection) -> None:
    filled.execute("UPDATE pg_class SET reltuples = 1000001 WHERE oid = 'dblp'::regclass")
    filled.execute("SELECT stc.add_vector_model('minilm', 'sentence-transformers/all-MiniLM-L6-v2', 384, 256)")
    assert types(filled) == ["vector(384)"]
