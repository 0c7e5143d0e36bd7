"""The audit of an index, its stored results and their readers, and the state of indexes."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.vectors.audit import Measured, Status, cheapest, keep, measure, status
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.queries import notation
from tests.groups import vectors
from tests.text.documents import found, ids
from tests.vectors.worlds import clustered, put_vectors

pytestmark = pytest.mark.slow

N = 1200
TABLE = clustered(N, seed=3, clusters=400)  # so that some neighbours are in other lists


@pytest.fixture
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    put_vectors(conn, title=dict(enumerate(TABLE)))
    index(conn, fields=["title"], options=IndexOptions(lists=30, effort=2))
    return conn


def ask(conn: psycopg.Connection, table: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> None:
    """Store vectors as vectors of queries."""
    conn.cursor().executemany(
        "INSERT INTO query_v (model, text, v) VALUES ('minilm', %s, %s)", [(str(n), notation(v)) for n, v in enumerate(table)]
    )


def test_recall_is_the_part_of_the_true_neighbours(filled: psycopg.Connection) -> None:
    """Compare with numpy, for stored queries."""
    queries = clustered(25, seed=8)
    ask(filled, queries)
    measured = measure(filled, field="title", k=10, queries=25, efforts=[1, 4, 30])
    assert [one.effort for one in measured] == [1, 4, 30]
    for one in measured:
        hits = sum(
            len(
                {*ids(found(filled, "knn", notation(query), 10, "title", None, None, one.effort))}
                & {int(doc) for doc in np.argsort(-(TABLE @ query))[:10]}
            )
            for query in queries
        )
        assert one.recall == pytest.approx(hits / 250)
        assert (one.sampled, one.source) == (25, "queries")
        assert 0 < one.ms <= one.ms_p95
    assert measured[0].recall < measured[1].recall <= measured[2].recall == 1


def test_without_enough_queries_documents_are_asked_and_left_out(filled: psycopg.Connection) -> None:
    ask(filled, clustered(5, seed=8))
    first = measure(filled, field="title", k=5, queries=20, efforts=[1, 30])
    assert {one.source for one in first} == {"documents"}
    # With one probe each document finds itself; only other documents count.
    assert first[0].recall < 1
    assert first[-1].recall == 1
    again = measure(filled, field="title", k=5, queries=20, efforts=[1, 30])
    assert [one.recall for one in again] == [one.recall for one in first]
    assert measure(filled, field="title", k=1, queries=5, efforts=[30])[0].source == "queries"


def test_what_is_as_near_is_as_right(conn: psycopg.Connection) -> None:
    put_vectors(conn, title=dict.fromkeys(range(50), TABLE[0]))
    index(conn, fields=["title"], options=IndexOptions(lists=1))
    [one] = measure(conn, field="title", k=5, queries=10)
    assert one.recall == 1


def test_a_seed_draws_another_sample(filled: psycopg.Connection) -> None:
    samples = {
        tuple(one.recall for one in measure(filled, field="title", k=10, queries=15, efforts=[1, 2], seed=seed))
        for seed in range(4)
    }
    assert len(samples) > 1


@pytest.mark.slow
def test_the_grid(filled: psycopg.Connection) -> None:
    """Efforts up to the number of lists, including the stored one; stops when everything is found."""
    efforts = [one.effort for one in measure(filled, field="title", queries=10)]
    assert efforts == [1, 2, 3, 4, 6, 8, 11, 16, 23, 30][: len(efforts)]
    assert [one.recall for one in measure(filled, field="title", queries=10)][-1] == 1
    assert [one.effort for one in measure(filled, field="title", queries=5, efforts=[500, 2, 2])] == [2, 30]
    index(filled, fields=["title"], options=IndexOptions(kind="hnsw", effort=77))
    efforts = [one.effort for one in measure(filled, field="title", queries=10)]
    assert efforts == [10, 14, 20, 28, 40, 60, 77, 80, 100, 150, 200, 300, 400, 600, 800, 1000][: len(efforts)]


def at(*pairs: tuple[int, float]) -> list[Measured]:
    return [Measured(effort, recall, 1.0, 2.0, 10, "queries") for effort, recall in pairs]


def test_the_cheapest_that_is_enough() -> None:
    grid = at((1, 0.5), (2, 0.95), (4, 0.94), (8, 0.99))
    assert cheapest(grid, recall=0.95).effort == 2
    assert cheapest(grid, recall=0.951).effort == 8
    with pytest.raises(StateError, match=r"0\.995.*0\.9900, at 8"):
        cheapest(grid, recall=0.995)
    for wrong in (0.0, 1.5, -1.0):
        with pytest.raises(BadArgument):
            cheapest(grid, recall=wrong)
    with pytest.raises(StateError):
        cheapest([], recall=0.9)


def test_what_is_kept_is_what_searches_take_and_runs_say(filled: psycopg.Connection) -> None:
    query = notation(clustered(1, seed=9)[0])
    keep(filled, Measured(7, 0.96875, 1.0, 2.0, 10, "queries"), field="title", k=10)
    assert filled.execute("SELECT effort, recall, recall_k, audited IS NOT NULL FROM stc.vector_indexes").fetchall() == [
        (7, 0.96875, 10, True)
    ]
    assert found(filled, "knn", query, 20) == found(filled, "knn", query, 20, "title", None, None, 7)
    assert found(filled, "knn", query, 20) != found(filled, "knn", query, 20, "title", None, None, 1)
    [[told]] = filled.execute("SELECT stc.retrieval_indexes('dense-title') -> 'title'").fetchall()
    assert (told["effort"], told["recall"], told["recall_k"]) == (7, 0.96875, 10)
    assert told["audited"]
    # An up-to-date index keeps the result; another effort or a new index is not audited.
    assert [one.effort for one in index(filled, fields=["title"], options=IndexOptions(lists=30))] == [7]
    assert filled.execute("SELECT effort, recall FROM stc.vector_indexes").fetchall() == [(7, 0.96875)]
    index(filled, fields=["title"], options=IndexOptions(lists=30, effort=8))
    assert filled.execute("SELECT effort, recall, recall_k, audited FROM stc.vector_indexes").fetchall() == [(8, None, None, None)]
    keep(filled, Measured(7, 0.96875, 1.0, 2.0, 10, "queries"), field="title", k=10)
    index(filled, fields=["title"], options=IndexOptions(lists=30), rebuild=True)
    assert filled.execute("SELECT effort, recall FROM stc.vector_indexes").fetchall() == [(10, None)]


def refused(state: str, call: Callable[[], object], kind: type[Exception]) -> None:
    with pytest.raises(kind) as error:
        call()
    assert error.value.sqlstate == state  # type: ignore[attr-defined]
    assert error.value.hint  # type: ignore[attr-defined]


def test_what_cannot_be_audited(filled: psycopg.Connection) -> None:
    refused("IR402", lambda: measure(filled, field="abstract"), StateError)
    refused("IR106", lambda: measure(filled, field="venue"), UnknownObject)
    refused("IR105", lambda: measure(filled, field="title", model="none"), UnknownObject)
    refused("IR201", lambda: measure(filled, field="title", k=0), BadArgument)
    refused("IR201", lambda: measure(filled, field="title", queries=0), BadArgument)
    for efforts in ([], [0], [1, 40_000]):
        refused("IR202", lambda efforts=efforts: measure(filled, field="title", efforts=efforts), BadArgument)  # type: ignore[misc]
    refused("IR402", lambda: keep(filled, at((1, 0.9))[0], field="abstract", k=10), StateError)
    refused("IR202", lambda: keep(filled, at((0, 0.9))[0], field="title", k=10), BadArgument)
    filled.execute("DROP INDEX dblp_v_title_ivfflat")
    refused("IR402", lambda: measure(filled, field="title"), StateError)


def of(conn: psycopg.Connection) -> dict[str, Status]:
    return {one.field: one for one in status(conn)}


def test_the_state_of_the_indexes(filled: psycopg.Connection) -> None:
    assert of(filled).keys() == {"title"}
    one = of(filled)["title"]
    assert (one.kind, one.lists, one.effort, one.rows, one.rows_now, one.stale) == ("ivfflat", 30, 2, N, N, False)
    assert one.bytes is not None
    assert one.bytes > N * 384 * 4
    assert "audit --field title" in str(one.advice)
    keep(filled, at((2, 0.9))[0], field="title", k=10)
    assert of(filled)["title"].advice is None


@pytest.mark.slow
def test_an_index_whose_rows_have_grown_is_told(filled: psycopg.Connection) -> None:
    more = clustered(400, seed=6)
    put_vectors(filled, title={N + n: v for n, v in enumerate(more)})
    one = of(filled)["title"]
    assert (one.rows, one.rows_now, one.stale) == (N, N + 400, True)
    assert f"built from {N:,} vectors, now {N + 400:,}; these need 2 lists, not 1" in str(one.advice)
    assert "stc vectors index --field title" in str(one.advice)
    index(filled, fields=["title"])
    assert of(filled)["title"].stale is False
    # hnsw includes them; the audit is older.
    index(filled, fields=["title"], options=IndexOptions(kind="hnsw"))
    put_vectors(filled, title={9000: more[0]})
    assert "not audited since: stc vectors audit --field title" in str(of(filled)["title"].advice)


def test_what_has_no_index_and_one_that_is_gone(filled: psycopg.Connection) -> None:
    put_vectors(filled, abstract={50_000: TABLE[0]})
    abstract = of(filled)["abstract"]
    assert (abstract.kind, abstract.rows, abstract.rows_now, abstract.stale) == (None, None, 1, None)
    assert "stc vectors index --field abstract" in str(abstract.advice)
    filled.execute("DROP INDEX dblp_v_title_ivfflat")
    title = of(filled)["title"]
    assert (title.stale, title.bytes) == (True, None)
    assert "missing or not valid" in str(title.advice)


def test_another_model_is_named(filled: psycopg.Connection) -> None:
    filled.execute("SELECT stc.add_vector_model('other', 'tests/other', 384)")
    assert [one.model for one in status(filled)] == ["minilm"]
    put_vectors(filled, title={1: TABLE[1]}, table="dblp_v_other")
    [_, other] = status(filled)
    assert (other.model, other.rows_now) == ("other", 1)
    assert "--model other" in str(other.advice)


@pytest.mark.slow
def test_by_command(filled: psycopg.Connection, settings: Settings) -> None:
    ask(filled, clustered(20, seed=8))

    def run(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(vectors, arguments, obj=settings)
        return getattr(done.exception, "exit_code", done.exit_code), done.output

    began = time.time()
    code, _ = run("audit", "--field", "title", "--sample", "20", "--recall", "1", "--grid", "1")
    assert code == 4
    code, out = run("audit", "--field", "title", "--sample", "20", "--recall", "0.9", "--dry-run")
    assert code == 0
    assert "recall@10" in out
    assert filled.execute("SELECT effort, audited FROM stc.vector_indexes").fetchall() == [(2, None)]
    code, out = run("audit", "--field", "title", "--sample", "20", "--recall", "0.9")
    [(effort, recall, audited)] = filled.execute(
        "SELECT effort, recall, extract(epoch FROM audited) FROM stc.vector_indexes"
    ).fetchall()
    assert recall >= 0.9
    assert effort > 1
    assert audited >= began - 1
    code, out = run("status")
    assert code == 0
    assert f"{recall:.3f} of 10" in out
    assert run("audit", "--field", "title", "--grid", "1,x")[0] == 2
