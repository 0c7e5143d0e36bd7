"""rocchio_vector and rocchio_search: by hand and by numpy, pseudo and judged feedback, missing vectors, filters, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest

from stcollection.errors import BadArgument, StcError, UnknownObject, from_postgres
from stcollection.vectors.index import index
from stcollection.vectors.model import Vectors
from stcollection.vectors.queries import notation
from tests.text.documents import Row, ids
from tests.vectors.worlds import at, clustered, put_vectors, unit, vector

pytestmark = pytest.mark.slow


def moved(conn: psycopg.Connection, query: Vectors | None, **options: object) -> Vectors:
    [(value,)] = call(conn, "stc.rocchio_vector", query, "::text", **options)
    return np.array(str(value).strip("[]").split(","), dtype=np.float32)


def length_1(one: np.ndarray[Any, np.dtype[Any]]) -> Vectors:
    return unit(one.astype(np.float32))


def search(conn: psycopg.Connection, query: Vectors | None, **options: object) -> list[Row]:
    return call(conn, "rocchio_search", query, "", **options)  # type: ignore[return-value]


def call(conn: psycopg.Connection, function: str, query: Vectors | None, cast: str, **options: object) -> list[tuple[object, ...]]:
    given = "".join(f", {name} => %s" for name in options)
    what = f"{function}(%s{given}){cast}" if cast else f"* FROM {function}(%s{given})"
    try:
        return conn.execute(f"SELECT {what}", [None if query is None else notation(query), *options.values()]).fetchall()
    except psycopg.Error as error:
        raise from_postgres(error) from error


@pytest.fixture
def small(conn: psycopg.Connection) -> psycopg.Connection:
    """Cosines with vector(1) of abstracts: .9 .8 .1 along the second axis, .5 along the third; 5 has a title only; 90 is a stub."""
    put_vectors(conn, abstract={1: at(0.9), 2: at(0.8), 3: at(0.1), 4: at(0.5, 2)}, title={5: at(0.95), 1: at(0.2)})
    conn.execute("INSERT INTO dblp (id, docno, doc, stub) VALUES (90, '90', '{}', true)")
    return conn


def test_the_formula_by_hand(small: psycopg.Connection) -> None:
    got = moved(small, vector(2), fb_docs=2, alpha=1, beta=0.5)
    expected = length_1(vector(1) + 0.5 * (at(0.9) + at(0.8)) / 2)
    np.testing.assert_allclose(got, expected, atol=1e-6)
    rows = search(small, vector(2), fb_docs=2, alpha=1, beta=0.5)
    cosines = {doc: float(expected @ one) for doc, one in {1: at(0.9), 2: at(0.8), 3: at(0.1), 4: at(0.5, 2)}.items()}
    assert {doc: score for doc, score, _ in rows} == pytest.approx(cosines, abs=1e-6)
    assert ids(rows) == sorted(cosines, key=cosines.__getitem__, reverse=True)
    assert [rank for _, _, rank in rows] == [1, 2, 3, 4]
    assert 5 not in ids(rows)


def test_judged_feedback_by_hand(small: psycopg.Connection) -> None:
    got = moved(small, vector(1), relevant=[3, 4], nonrelevant=[1], alpha=0.5, beta=1, gamma=0.25)
    expected = length_1(0.5 * vector(1) + (at(0.1) + at(0.5, 2)) / 2 - 0.25 * at(0.9))
    np.testing.assert_allclose(got, expected, atol=1e-6)
    assert ids(search(small, vector(1), k=1, relevant=[3], alpha=0.1, beta=1)) == [3]
    only = moved(small, vector(1), nonrelevant=[1], gamma=0.5)
    np.testing.assert_allclose(only, length_1(vector(1) - 0.5 * at(0.9)), atol=1e-6)


def test_the_defaults_are_those_documented(small: psycopg.Connection) -> None:
    expected = length_1(vector(1) + 0.75 * (at(0.9) + at(0.8) + at(0.5, 2)) / 3)
    np.testing.assert_allclose(moved(small, vector(1)), expected, atol=1e-6)
    expected = length_1(vector(1) + 0.75 * at(0.9) - 0.15 * at(0.1))
    np.testing.assert_allclose(moved(small, vector(1), relevant=[1], nonrelevant=[3]), expected, atol=1e-6)


@pytest.mark.parametrize(
    "judged", [{"relevant": []}, {"nonrelevant": []}, {"relevant": [5, 90]}, {"relevant": [], "nonrelevant": [5]}]
)
def test_no_judged_vector_leaves_the_query_as_it_is(small: psycopg.Connection, judged: dict[str, object]) -> None:
    np.testing.assert_allclose(moved(small, vector(3), **judged), vector(1), atol=1e-6)
    [(plain,)] = small.execute(
        "SELECT array_agg(doc ORDER BY rank) FROM dense_search(%s, field => 'abstract')", [notation(vector(1))]
    )
    assert ids(search(small, vector(3), **judged)) == plain


def test_a_document_without_the_vector_is_not_counted_in_the_mean(small: psycopg.Connection) -> None:
    np.testing.assert_allclose(moved(small, vector(1), relevant=[1, 5, 90]), moved(small, vector(1), relevant=[1]), atol=1e-6)


def test_another_field(small: psycopg.Connection) -> None:
    rows = search(small, vector(1), field="title", fb_docs=1)
    assert ids(rows) == [5, 1]
    expected = length_1(vector(1) + 0.75 * at(0.95))
    assert [score for _, score, _ in rows] == pytest.approx([float(expected @ at(0.95)), float(expected @ at(0.2))], abs=1e-6)


def test_vectors_of_any_length_count_alike(conn: psycopg.Connection) -> None:
    put_vectors(conn, abstract={1: at(0.9), 2: 7 * at(0.2, 2)})
    expected = length_1(vector(1) + 0.75 * (at(0.9) + at(0.2, 2)) / 2)
    np.testing.assert_allclose(moved(conn, vector(9), relevant=[1, 2]), expected, atol=1e-6)


@pytest.mark.parametrize("indexed", [False, True])
def test_it_is_numpys_rocchio(conn: psycopg.Connection, indexed: bool) -> None:
    table = clustered(800, seed=8)
    put_vectors(conn, abstract=dict(enumerate(table)))
    if indexed:
        index(conn, fields=["abstract"])
    exact = table.astype(np.float64)
    for query in clustered(10, seed=9):
        first = np.argsort(-(exact @ query))[:5]
        expected = length_1(query + 0.6 * exact[first].mean(axis=0))
        np.testing.assert_allclose(moved(conn, query, fb_docs=5, beta=0.6, effort=0), expected, atol=1e-5)
        rows = search(conn, query, k=50, fb_docs=5, beta=0.6, effort=0)
        cosines = exact @ expected
        np.testing.assert_allclose([score for _, score, _ in rows], np.sort(cosines)[::-1][:50], atol=1e-5)
        np.testing.assert_allclose(cosines[ids(rows)], np.sort(cosines)[::-1][:50], atol=1e-5)


def test_a_filter_holds_for_feedback_and_for_what_is_found(small: psycopg.Connection) -> None:
    only = '{"docs": [2, 3, 4]}'
    expected = length_1(vector(1) + 0.75 * at(0.8))
    np.testing.assert_allclose(moved(small, vector(1), fb_docs=1, filter=only), expected, atol=1e-6)
    assert sorted(ids(search(small, vector(1), fb_docs=1, filter=only))) == [2, 3, 4]
    assert len(search(small, vector(1), k=2, filter=only)) == 2


@pytest.mark.parametrize(
    ("query", "options", "sqlstate", "said"),
    [
        (vector(1), {"k": 0}, "IR201", "k is 0"),
        (vector(1), {"fb_docs": 0}, "IR201", "fb_docs is 0"),
        (vector(1), {"fb_docs": None}, "IR201", "fb_docs is NULL"),
        (vector(1), {"alpha": -1}, "IR202", "-1"),
        (vector(1), {"beta": None}, "IR202", "NULL"),
        (vector(1), {"gamma": float("nan")}, "IR202", "NaN"),
        (vector(1), {"beta": float("inf")}, "IR202", "Infinity"),
        (None, {}, "IR202", "NULL"),
        (vector(1), {"relevant": [1, 404]}, "IR104", "no document 404"),
        (vector(1), {"nonrelevant": [404]}, "IR104", "no document 404"),
        (vector(1), {"relevant": [1, None]}, "IR104", "no document NULL"),
        (vector(1), {"model": "nomic"}, "IR105", "nomic"),
        (vector(1), {"field": "body"}, "IR106", "body"),
        (vector(1), {"field": "passage"}, "IR106", "passage is not a field"),
        (np.ones(3, dtype=np.float32), {}, "IR403", "3 dimensions"),
        (vector(1), {"field": "content"}, "IR405", "no content vectors"),
        (vector(1), {"filter": '{"colour": 1}'}, "IR202", "colour"),
    ],
)
def test_errors(small: psycopg.Connection, query: Vectors | None, options: dict[str, object], sqlstate: str, said: str) -> None:
    with pytest.raises(StcError, match=said) as error:
        search(small, query, **options)
    assert error.value.sqlstate == sqlstate
    assert error.value.hint
    assert isinstance(
        error.value, (BadArgument if sqlstate.startswith("IR2") else UnknownObject if sqlstate.startswith("IR1") else StcError)
    )
