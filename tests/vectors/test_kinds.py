"""Each kind of index in knn: use, recall on 20,000 clustered vectors with and without filters, edge cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
import pytest

from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.model import Vectors
from stcollection.vectors.queries import notation
from tests.at_once import at_once
from tests.text.documents import clone, found, ids, scans
from tests.vectors.worlds import unit

N, NULLS, DIM = 20_000, 300, 96
# kind of index, and what it stores
KINDS = [*[(kind, stored) for kind in ("ivfflat", "hnsw") for stored in ("full", "half", "bits")], ("diskann", "full")]
RNG = np.random.default_rng(11)
CENTRES = RNG.normal(size=(200, DIM))
TABLE = unit((CENTRES[RNG.integers(200, size=N)] + 0.7 * RNG.normal(size=(N, DIM))).astype(np.float32))
QUERIES = unit((CENTRES[RNG.integers(200, size=20)] + 0.7 * RNG.normal(size=(20, DIM))).astype(np.float32))
PLACE = RNG.permutation(N)  # values for filters, independent of the vectors
SETTINGS = (
    "ivfflat.probes", "ivfflat.max_probes", "ivfflat.iterative_scan", "hnsw.ef_search", "hnsw.iterative_scan",
    "hnsw.max_scan_tuples", "hnsw.scan_mem_multiplier", "diskann.query_search_list_size", "diskann.query_rescore",
    "enable_seqscan", "enable_indexscan", "jit",
)  # fmt: skip

pytestmark = pytest.mark.slow  # a minute of building indexes over 20,000 vectors


@dataclass(frozen=True)
class World:
    conn: psycopg.Connection
    dsn: str
    kind: str
    stored: str

    @property
    def name(self) -> str:
        return f"dblp_v_small_title_{self.kind}"

    def knn(self, query: Vectors, k: int, wanted: str | None = None, effort: int | None = None) -> list[int]:
        return ids(found(self.conn, "knn", notation(query), k, "title", "small", wanted, effort))


def options(kind: str, stored: str) -> IndexOptions:
    return IndexOptions(kind=kind, half=stored == "half", bits=stored == "bits")


def exact(query: Vectors, k: int, among: int = N) -> list[int]:
    """Return the k nearest documents that match the filter {"citations": [0, among - 1]}."""
    rows = np.flatnonzero(among > PLACE)
    return [int(row) for row in rows[np.argsort(-(TABLE[rows].astype(np.float64) @ query.astype(np.float64)), kind="stable")[:k]]]


def some(among: int) -> str:
    return f'{{"citations": [0, {among - 1}]}}'


@pytest.fixture(scope="module")
def table(server: Settings, admin: psycopg.Connection, template: str) -> Iterator[psycopg.Connection]:
    """Store vectors of another model; documents from N on have no title vector."""
    with clone(server, admin, template, "kinds") as conn:
        conn.execute("SELECT stc.add_vector_model('small', 'tests/small', %s)", [DIM])
        with conn.cursor() as cursor:
            with cursor.copy("COPY dblp (id, docno, doc) FROM STDIN") as copy:
                for doc in range(N + NULLS):
                    copy.write_row((doc, str(doc), f'{{"n_citation": {PLACE[doc] if doc < N else 0}}}'))
            with cursor.copy("COPY dblp_v_small (id, title_v, abstract_v) FROM STDIN") as copy:
                for doc in range(N + NULLS):
                    copy.write_row((doc, notation(TABLE[doc]) if doc < N else None, None if doc < N else notation(TABLE[0])))
        conn.execute("ANALYZE")
        yield conn


# vectorscale needs half a minute to build its index.
MARKED = [pytest.param(kind, marks=pytest.mark.long) if kind[0] == "diskann" else kind for kind in KINDS]


@pytest.fixture(scope="module", params=MARKED, ids="-".join)
def world(request: pytest.FixtureRequest, table: psycopg.Connection, server: Settings) -> World:
    kind, stored = request.param
    if kind == "diskann":
        vectorscale(table)
    [made] = index(table, model="small", fields=["title"], options=options(kind, stored))
    assert (made.built, made.rows, made.kind, made.half, made.bits) == (True, N, kind, stored == "half", stored == "bits")
    return World(table, conninfo(server, db=table.info.dbname), kind, stored)


def recorded(conn: psycopg.Connection) -> tuple[str, str]:
    [(kind, half, bits)] = conn.execute("SELECT kind, halfvec, bits FROM stc.vector_indexes").fetchall()
    return kind, "half" if half else "bits" if bits else "full"


def vectorscale(conn: psycopg.Connection) -> None:
    if conn.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vectorscale'").fetchone() is None:
        pytest.skip("this server has no vectorscale")


def recall(world: World, k: int, among: int = N, effort: int | None = None) -> float:
    """Return the recall, checking that k documents are returned, or all."""
    right = total = 0
    for query in QUERIES:
        got, want = world.knn(query, k, None if among == N else some(among), effort), exact(query, k, among)
        assert len(got) == len(set(got)) == min(k, among)
        right, total = right + len({*got} & {*want}), total + len(want)
    return right / total


def test_a_kind_takes_the_place_of_the_one_before(world: World) -> None:
    assert world.conn.execute(
        "SELECT indexname FROM pg_indexes WHERE tablename = 'dblp_v_small' ORDER BY indexname <> %s, indexname", [world.name]
    ).fetchall() == [(world.name,), ("dblp_v_small_pkey",), ("dblp_v_small_title_only",)]
    assert recorded(world.conn) == (world.kind, world.stored)
    row = world.conn.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", [world.name]).fetchone()
    assert row is not None
    assert ("halfvec" in row[0]) == (world.stored == "half")
    assert ("bit(96)" in row[0]) == (world.stored == "bits")


@pytest.mark.parametrize(("k", "wanted"), [(1, 0.9), (10, 0.9), (100, 0.9), (1000, 0.7)])
def test_it_is_used_and_finds_nine_of_ten(world: World, k: int, wanted: float) -> None:
    """A thousand are a twentieth of all, more than in some lists. The centres of ivfflat are random, those of bits are coarse."""
    before = scans(world.conn, world.name)
    assert recall(world, k) >= wanted - 0.1 * (world.stored == "bits")
    assert scans(world.conn, world.name) == before + len(QUERIES)


def test_in_a_session_that_has_read_no_index_yet(world: World) -> None:
    with psycopg.connect(world.dsn) as fresh:
        assert ids(found(fresh, "knn", notation(QUERIES[0]), 10, "title", "small")) == world.knn(QUERIES[0], 10)


def test_more_effort_finds_more_and_none_is_exact(world: World) -> None:
    assert recall(world, 100, effort=0) == 1
    low, high = recall(world, 10, effort=1), recall(world, 10, effort=1000)
    assert low < high or low == 1
    assert high >= 0.98


def test_distances_are_exact_and_in_order(world: World) -> None:
    for query in QUERIES:
        rows = found(world.conn, "knn", notation(query), 50, "title", "small")
        np.testing.assert_allclose([row[1] for row in rows], -(TABLE @ query)[ids(rows)], atol=1e-6)
        assert [row[1] for row in rows] == sorted(row[1] for row in rows)
        assert [row[2] for row in rows] == list(range(1, 51))


@pytest.mark.parametrize("share", [0.5, 0.1, 0.01, 0.001, 0.0001])
@pytest.mark.parametrize("k", [10, 100])
def test_a_filter_lets_k_through_wherever_there_are_k(world: World, k: int, share: float) -> None:
    among = int(N * share)
    got = recall(world, k, among)
    assert got >= 0.9
    if among <= 1000:
        assert got == 1  # all of them are examined


def test_a_filter_that_lets_nothing_through(world: World) -> None:
    assert world.knn(QUERIES[0], 10, '{"citations": [900000, null]}') == []
    assert world.knn(QUERIES[0], 10, f'{{"docs": [{N}, {N + 1}]}}') == []  # without a vector


@pytest.mark.parametrize("k", [N - 1, N, 5 * N])
def test_all_there_are(world: World, k: int) -> None:
    """Documents without a vector are never among them."""
    got = world.knn(QUERIES[0], k)
    assert len(got) == len(set(got)) == min(k, N)
    assert max(got) < N
    products = (TABLE @ QUERIES[0])[got]
    if k >= N:
        assert np.all(np.diff(products) <= 1e-6)  # some differ by less than single precision


def test_a_filter_and_all_that_it_lets_through(world: World) -> None:
    """More documents than are scanned exactly, and a larger k than matches."""
    got = world.knn(QUERIES[0], 15_000, some(12_000))
    assert {*got} == {*exact(QUERIES[0], 12_000, 12_000)}
    assert np.all(np.diff((TABLE @ QUERIES[0])[got]) <= 1e-6)


def test_the_session_stays_as_it_was(world: World) -> None:
    def settings() -> list[object]:
        return [world.conn.execute("SELECT current_setting(%s, true)", [name]).fetchone() for name in SETTINGS]

    world.knn(QUERIES[0], 5)
    for change in ("SELECT 1", "SET LOCAL hnsw.ef_search = 7", "SET LOCAL ivfflat.probes = 3", "SET LOCAL enable_seqscan = off"):
        with world.conn.transaction():
            world.conn.execute(change)
            before = settings()
            world.knn(QUERIES[0], 5)
            world.knn(QUERIES[0], 5, some(5000))
            assert settings() == before
            with pytest.raises(psycopg.Error), world.conn.transaction():
                world.knn(QUERIES[0][:3], 5)
            assert settings() == before


def test_searches_at_once_agree(world: World) -> None:
    want = [world.knn(query, 20) for query in QUERIES]
    wrong: list[BaseException | int] = []

    def search(shift: int) -> None:
        try:
            with psycopg.connect(world.dsn) as own:
                for place in np.roll(np.arange(len(QUERIES)), shift):
                    if ids(found(own, "knn", notation(QUERIES[place]), 20, "title", "small")) != want[place]:
                        wrong.append(int(place))
        except BaseException as error:
            wrong.append(error)

    at_once(search, range(4))
    assert wrong == []


def test_a_build_that_is_rolled_back_leaves_the_index(world: World) -> None:
    other = "hnsw" if world.kind == "ivfflat" else "ivfflat"
    with psycopg.connect(world.dsn) as own:
        own.execute("CALL stc.index_vectors('title', 'small', kind => %s)", [other])
        own.rollback()
    assert recall(world, 10) >= (0.8 if world.stored == "bits" else 0.9)  # bits: the centres are random
    assert recorded(world.conn) == (world.kind, world.stored)


def test_rows_that_come_and_go(world: World) -> None:
    """In a transaction that is rolled back, a search sees the transaction's deletes and inserts."""
    with world.conn.transaction(force_rollback=True):
        nearest = world.knn(QUERIES[0], 30)
        world.conn.execute("DELETE FROM dblp_v_small WHERE id = ANY (%s)", [nearest[:10]])
        after = world.knn(QUERIES[0], 20)
        assert not {*after} & {*nearest[:10]}
        assert len({*after} & {*nearest[10:]}) >= 16
        world.conn.execute("UPDATE dblp_v_small SET title_v = %s WHERE id = %s", [notation(QUERIES[0]), N])
        assert world.knn(QUERIES[0], 20)[0] == N


def small(conn: psycopg.Connection, kind: str, stored: str, rows: int, dim: int = 8) -> Vectors:
    """Index a number of vectors of a new model; all except the first eight are equal."""
    if kind == "diskann":
        vectorscale(conn)
    conn.execute("SELECT stc.add_vector_model('few', 'tests/few', %s)", [dim])
    vectors = unit(np.eye(dim, dtype=np.float32)[np.minimum(np.arange(rows), 7)] + 0.1)
    conn.cursor().executemany(
        "INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, '{}')", [(doc, f"{doc:04}") for doc in range(rows)]
    )
    conn.cursor().executemany(
        "INSERT INTO dblp_v_few (id, content_v) VALUES (%s, %s)", [(doc, notation(one)) for doc, one in enumerate(vectors)]
    )
    index(conn, model="few", fields=["content"], options=options(kind, stored))
    return vectors


@pytest.mark.parametrize(("kind", "stored"), KINDS)
def test_many_that_are_alike(conn: psycopg.Connection, kind: str, stored: str) -> None:
    """A graph may not reach all of 400 equal vectors."""
    vectors = small(conn, kind, stored, 407)
    query = notation(vectors[7])
    for k in (5, 150, 400, 407, 1000):
        rows = found(conn, "knn", query, k, "content", "few")
        assert len({*ids(rows)}) == min(k, 407)
        assert all(doc >= 7 for doc in ids(rows)[:400])
    assert ids(rows)[:400] == list(range(406, 6, -1))  # docno descending


def test_many_vectors_are_indexed_in_half_precision(conn: psycopg.Connection) -> None:
    [(few, many)] = conn.execute("SELECT stc.half_precision(1000000), stc.half_precision(1000001)").fetchall()
    assert (few, many) == (False, True)


def test_a_rebuilt_index_keeps_its_precision(conn: psycopg.Connection) -> None:
    small(conn, "hnsw", "half", 20)

    def made(rebuild: bool = False, **options: Any) -> tuple[bool, str]:
        [one] = index(conn, model="few", fields=["content"], options=IndexOptions(**options), rebuild=rebuild)
        assert recorded(conn) == (one.kind, "half" if one.half else "bits" if one.bits else "full")
        return one.built, recorded(conn)[1]

    assert made(kind="hnsw") == (False, "half")
    assert made(kind="hnsw", rebuild=True) == (True, "half")
    assert made(kind="hnsw", half=False) == (True, "full")
    assert made(kind="hnsw", bits=True) == (True, "bits")
    assert made(kind="hnsw") == (False, "bits")
    assert made(kind="hnsw", half=True) == (True, "half")
    assert made(kind="ivfflat") == (True, "full")
    conn.execute("CREATE OR REPLACE FUNCTION stc.half_precision(rows bigint) RETURNS boolean RETURN rows > 19")
    assert made(kind="ivfflat") == (False, "full")
    assert made(kind="hnsw") == (True, "half")
    assert made(kind="ivfflat", bits=True) == (True, "bits")
    assert made(kind="ivfflat", preset="published") == (True, "full")


@pytest.mark.parametrize(("kind", "stored"), KINDS)
def test_a_table_that_was_emptied(conn: psycopg.Connection, kind: str, stored: str) -> None:
    small(conn, kind, stored, 20)
    conn.execute("DELETE FROM dblp_v_few")
    assert found(conn, "knn", notation(np.ones(8, dtype=np.float32)), 5, "content", "few") == []
    conn.execute("VACUUM dblp_v_few")
    assert found(conn, "knn", notation(np.ones(8, dtype=np.float32)), 5, "content", "few") == []
    conn.execute("INSERT INTO dblp_v_few (id, content_v) VALUES (3, %s)", [notation(np.ones(8, dtype=np.float32))])
    assert ids(found(conn, "knn", notation(np.ones(8, dtype=np.float32)), 5, "content", "few")) == [3]


@pytest.mark.parametrize("kind", ["ivfflat", "hnsw"])
def test_vectors_that_are_stored_in_half_precision(conn: psycopg.Connection, kind: str) -> None:
    """Vectors above 2,000 dimensions."""
    vectors = small(conn, kind, "full", 60, dim=2500)
    assert conn.execute("SELECT storage FROM stc.vector_models WHERE model = 'few'").fetchone() == ("halfvec",)
    before = scans(conn, f"dblp_v_few_content_{kind}")
    rows = found(conn, "knn", notation(vectors[2]), 5, "content", "few")
    assert rows[0][0] == 2
    assert rows[0][1] == pytest.approx(-1, abs=1e-3)
    assert scans(conn, f"dblp_v_few_content_{kind}") == before + 1
    assert ids(found(conn, "knn", notation(vectors[2]), 5, "content", "few", None, 0)) == ids(rows)
    with pytest.raises(BadArgument, match="stored as halfvec"):
        index(conn, model="few", fields=["content"], options=IndexOptions(kind="diskann"))


def test_names_that_postgresql_would_cut(conn: psycopg.Connection) -> None:
    """Index two fields of a model with the longest short name, and rebuild each."""
    model = "a" * 40
    conn.execute("SELECT stc.add_vector_model(%s, 'tests/long', 8)", [model])
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}')")
    one = notation(np.ones(8, dtype=np.float32))
    conn.execute(f"INSERT INTO dblp_v_{model} (id, title_v, abstract_v, content_v) VALUES (1, %(v)s, %(v)s, %(v)s)", {"v": one})
    for kind in ("ivfflat", "hnsw"):
        for _ in range(2):
            made = index(conn, model=model, fields=["title", "abstract", "content"], options=IndexOptions(kind=kind), rebuild=True)
            assert [each.built for each in made] == [True] * 3
        names = [
            row[0] for row in conn.execute("SELECT indexname FROM pg_indexes WHERE tablename LIKE 'dblp\\_v\\_aaa%'").fetchall()
        ]
        assert len(names) == 5
        assert sum(name.endswith("_title_only") for name in names) == 1
        assert sum(name.endswith(kind) for name in names) == 3
        for field in ("title", "abstract", "content"):
            [name] = [name for name in names if name.endswith(f"{field}_{kind}")]
            before = scans(conn, name)
            assert ids(found(conn, "knn", one, 5, field, model)) == [1]
            assert scans(conn, name) == before + 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "annoy"}, {"kind": "hnsw", "lists": 5}, {"kind": "hnsw", "m": 1}, {"kind": "hnsw", "m": 50, "ef_construction": 60},
        {"kind": "hnsw", "effort": 1001}, {"kind": "ivfflat", "m": 5}, {"kind": "diskann", "half": True},
        {"kind": "diskann", "bits": True}, {"kind": "hnsw", "half": True, "bits": True},
        {"kind": "diskann", "effort": 10_001}, {"kind": "diskann", "lists": 5}, {"kind": "hnsw", "preset": "published"},
    ],
)  # fmt: skip
def test_parameters_of_another_kind(table: psycopg.Connection, wrong: dict[str, object]) -> None:
    with pytest.raises(BadArgument) as error:
        index(table, model="small", fields=["title"], options=IndexOptions(**wrong))  # type: ignore[arg-type]
    assert error.value.hint
