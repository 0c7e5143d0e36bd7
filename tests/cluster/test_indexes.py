"""Vector indexes on shards, and what searches read from the workers: index scan, sort and limit run there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import psycopg
import pytest
from psycopg.types.json import Jsonb

from stcollection.db import distribution
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.queries import notation
from tests.cluster.conftest import NewDatabase
from tests.cluster.servers import Cluster
from tests.vectors.worlds import clustered

_K = 10
_VECTORS = [notation(vector) for vector in clustered(12, seed=3, clusters=4)]


@pytest.fixture(scope="module")
def settings(filled_collection: NewDatabase) -> Settings:
    """A collection on three workers, in three shards."""
    made = filled_collection()
    with connect(made, autocommit=True) as conn:
        conn.execute("CALL stc.index_vectors('title', kind => 'ivfflat', lists => 8, effort => 2)")
        _ALONE.extend(_recall(conn, effort) for effort in (1, 2))
    distribution.distribute(made, shards=3)
    return made


_ALONE: list[float] = []


@pytest.fixture
def conn(settings: Settings) -> Iterator[psycopg.Connection]:
    with connect(settings, autocommit=True) as conn:
        yield conn


def _found(conn: psycopg.Connection, vector: str, effort: int, wanted: str | None = None) -> list[int]:
    statement = "SELECT doc FROM knn(%s::vector, %s, 'title', filter => %s, effort => %s) ORDER BY rank"
    return [doc for (doc,) in conn.execute(statement, [vector, _K, wanted, effort])]


def _recall(conn: psycopg.Connection, effort: int) -> float:
    shares = [len({*_found(conn, v, effort)} & {*_found(conn, v, 0)}) / _K for v in _VECTORS]
    return float(np.mean(shares))


@pytest.mark.parametrize(("kind", "options", "every"), [("ivfflat", "lists => 8", 8), ("hnsw", "m => 16", 200)])
def test_each_shard_has_an_index_and_searches_use_it(conn: psycopg.Connection, kind: str, options: str, every: int) -> None:
    conn.execute(f"CALL stc.index_vectors('title', kind => '{kind}', {options})".encode())
    counted = f"SELECT count(*) FROM pg_indexes WHERE tablename ~ '^dblp_v_[0-9]+$' AND indexdef LIKE '% USING {kind} %'"
    rows = conn.execute("SELECT result FROM run_command_on_workers(%s)", [counted]).fetchall()
    assert [row for (row,) in rows] == ["1"] * 3
    assert _recall(conn, every) == 1
    if kind == "ivfflat":
        # Fewer lists find less, so the effort reaches the workers; one server with the same number of lists finds no more, except
        # by chance: the centres are random.
        assert _ALONE[0] - 0.1 <= _recall(conn, 1) < 1
        assert _ALONE[1] - 0.1 <= _recall(conn, 2)
    # The documents 10 and 20 have equal vectors; docno decides, also where it cuts the list, and with a filter.
    [(tied,)] = conn.execute("SELECT title_v::text FROM dblp_v WHERE id = 10").fetchall()
    for few in (None, '{"docs": [10, 20, 30]}'):
        statement = "SELECT doc FROM knn(%s::vector, 1, 'title', filter => %s, effort => %s)"
        assert conn.execute(statement, [tied, few, every]).fetchall() == [(20,)]
    wanted = '{"year": [2004, 2016]}'
    assert {*_found(conn, _VECTORS[0], every, wanted)} == {*_found(conn, _VECTORS[0], 0, wanted)}
    assert conn.execute("SELECT stale FROM stc.vector_status() WHERE field = 'title'").fetchone() == (False,)


def test_half_precision(conn: psycopg.Connection) -> None:
    conn.execute("CALL stc.index_vectors('abstract', kind => 'hnsw', half => true)")
    statement = "SELECT doc, rank FROM dense_search(%s::vector, 10, 'abstract', effort => %s)"
    assert conn.execute(statement, [_VECTORS[1], 200]).fetchall() == conn.execute(statement, [_VECTORS[1], 0]).fetchall()


@pytest.mark.parametrize("half", [True, False])
def test_vectors_stored_in_half_precision(filled_collection: NewDatabase, half: bool) -> None:
    """Converted vectors, those stored afterwards, and their index: as on one server."""
    incoming = (
        "INSERT INTO pg_temp.incoming_vectors SELECT id, %s, %s::vector FROM {} WHERE id IN (SELECT id FROM {} ORDER BY id LIMIT 5)"
    )

    def found(at: Settings) -> list[object]:
        with connect(at, autocommit=True) as conn:
            conn.execute("SELECT stc.convert_vectors('minilm', %s)", [half])
            for store, field, table in (
                ("vectors('minilm', true)", "title", "dblp"),
                ("passage_vectors('minilm')", "passage", "dblp_passages"),
            ):
                with conn.transaction():
                    if field == "passage":
                        conn.execute("DELETE FROM dblp_p WHERE id IN (SELECT id FROM dblp_passages ORDER BY id LIMIT 5)")
                    conn.execute("SELECT stc.stage_vectors()")
                    conn.execute(incoming.format(table, table).encode(), [field, _VECTORS[2]])
                    conn.execute(f"SELECT stc.store_{store}".encode())
            conn.execute("CALL stc.index_vectors('title', effort => 1000)")
            types = conn.execute("SELECT DISTINCT pg_typeof(title_v)::text FROM dblp_v WHERE title_v IS NOT NULL").fetchall()
            titles = "SELECT doc, round(distance::numeric, 5) FROM knn(%s::vector, 20, 'title') ORDER BY rank"
            passages = "SELECT doc, round(score::numeric, 5) FROM passage_search(%s::vector, 20) ORDER BY rank"
            return [types, *(conn.execute(one, [_VECTORS[2]]).fetchall() for one in (titles, passages))]

    made = filled_collection()
    alone = found(made)
    assert alone[0] == [("halfvec" if half else "vector",)]
    spread = filled_collection()
    distribution.distribute(spread, shards=3)
    assert found(spread) == alone


def test_diskann_refuses(conn: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error) as error:
        conn.execute("CALL stc.index_vectors('title', kind => 'diskann')")
    assert error.value.sqlstate == "IR415"


def test_sparse_vectors(filled_collection: NewDatabase) -> None:
    """Sparse searches find the same as on one server, exactly and by hnsw; an index of impacts is for one server."""
    made = filled_collection()
    with connect(made, autocommit=True) as conn:
        conn.execute("SELECT stc.add_vector_model('splade', 'splade', 40, storage => 'sparsevec')")
        with conn.transaction():
            conn.execute("SELECT stc.stage_vectors(true)")
            conn.execute(
                "INSERT INTO pg_temp.incoming_vectors SELECT id, 'content', format('{%s:%s,%s:%s}/40', 1 + id % 7, 1 + id % 3,"
                " 8 + id % 11, 1 + id % 5)::sparsevec FROM dblp WHERE NOT stub"
            )
            conn.execute("SELECT stc.store_vectors('splade')")
        conn.execute("CALL stc.index_vectors('content', 'splade')")
        assert conn.execute("SELECT kind FROM stc.vector_indexes WHERE model = 'splade'").fetchone() == ("impact",)

    def found(at: Settings, effort: int | None) -> list[object]:
        search = "SELECT doc, score, rank FROM stc.sparse_search('[1,1.5,3,1,9,2]', 20, 'splade', %s, effort => %s) ORDER BY rank"
        with connect(at, autocommit=True) as conn:
            return [conn.execute(search, [wanted, effort]).fetchall() for wanted in (None, '{"year": [2004, 2016]}')]

    alone = found(made, 0)
    assert found(made, None) == alone
    distribution.distribute(made, shards=3)
    assert found(made, None) == alone
    with connect(made, autocommit=True) as conn:
        with pytest.raises(psycopg.Error) as error:
            conn.execute("CALL stc.index_vectors('content', 'splade', kind => 'impact')")
        assert error.value.sqlstate == "IR415"
        conn.execute("CALL stc.index_vectors('content', 'splade')")
        assert conn.execute("SELECT kind FROM stc.vector_indexes WHERE model = 'splade'").fetchone() == ("hnsw",)
    assert found(made, 200) == alone


@contextmanager
def _asked_at_once(conn: psycopg.Connection) -> Iterator[None]:
    """Let searches ask each shard for k rows, as without the documents by which its index is asked."""
    with conn.transaction(force_rollback=True):
        conn.execute("UPDATE stc.vector_indexes SET anchors = NULL")
        yield


@pytest.mark.parametrize("kind", ["ivfflat", "hnsw"])
@pytest.mark.parametrize("wanted", [None, '{"year": [2004, 2016]}'])
def test_two_rounds_find_what_k_rows_of_each_shard_have(conn: psycopg.Connection, kind: str, wanted: str | None) -> None:
    conn.execute(f"CALL stc.index_vectors('title', kind => '{kind}', effort => 100)".encode())  # all lists
    statement = "SELECT doc, distance, rank FROM knn(%s::vector, %s, 'title', filter => %s) ORDER BY rank"
    cases = [(vector, k, wanted) for vector in _VECTORS for k in (1, 12, 30, 100, 300)]
    found = [conn.execute(statement, case).fetchall() for case in cases]
    with _asked_at_once(conn):
        assert [conn.execute(statement, case).fetchall() for case in cases] == found


def test_a_shard_with_most_of_the_nearest_is_asked_again(conn: psycopg.Connection) -> None:
    """One shard has the nearest 30; two thirds of them are more than a shard returns at first."""
    conn.execute("CALL stc.index_vectors('title', kind => 'ivfflat', lists => 3, effort => 1)")
    docs = [doc for (doc,) in conn.execute("SELECT id FROM dblp_v ORDER BY id")]
    shards = "SELECT get_shard_id_for_distribution_column('dblp_v', %s)"
    (first,) = conn.execute(shards, [docs[0]]).fetchone() or (None,)
    together = [doc for doc in docs if conn.execute(shards, [doc]).fetchone() == (first,)][:30]
    statement = "SELECT doc FROM knn(%s::vector, 30, 'title') ORDER BY rank"
    sent: list[str] = []
    conn.add_notice_handler(lambda notice: sent.append(notice.message_primary or ""))
    with conn.transaction(force_rollback=True):
        conn.execute("UPDATE dblp_v SET title_v = %s::vector WHERE id = ANY (%s)", [_VECTORS[0], together])
        conn.execute("SET LOCAL citus.log_remote_commands = on")
        conn.execute("SET LOCAL client_min_messages = notice")
        found = {doc for (doc,) in conn.execute(statement, [_VECTORS[0]])}
        conn.execute("SET LOCAL citus.log_remote_commands = off")
    assert found == set(together)
    asked = [text for text in sent if "knn_shard" in text]
    assert len(asked) == 4, asked  # three shards, and one of them again


def test_an_id_of_a_shard_that_was_removed(conn: psycopg.Connection) -> None:
    conn.execute("CALL stc.index_vectors('title', kind => 'ivfflat', lists => 3)")
    [(anchors,)] = conn.execute("SELECT anchors FROM stc.vector_indexes WHERE field = 'title'").fetchall()
    assert len(anchors) == 3
    statement = "SELECT doc FROM knn(%s::vector, 250, 'title', effort => %s)"
    with conn.transaction(force_rollback=True):
        conn.execute("DELETE FROM dblp_v WHERE id = %s", anchors[:1])
        found = conn.execute(statement, [_VECTORS[0], 3]).fetchall()
        assert len(found) == 239
        assert {*found} == {*conn.execute(statement, [_VECTORS[0], 0]).fetchall()}


@pytest.mark.parametrize(("field", "table"), [("title", "dblp_v"), ("passage", "dblp_p")])
def test_the_function_of_a_shard_reads_its_index(cluster: Cluster, settings: Settings, field: str, table: str) -> None:
    """Each search of a worker scans the index once, fetches no more rows than it was asked for, and reads no table as a whole."""
    read = 0
    with connect(settings, autocommit=True) as conn:
        conn.execute(f"CALL stc.index_vectors('{field}', lists => 12)".encode())
        asked = "SELECT * FROM stc.knn_shard(%s::regclass, NULL, %s::vector, %s)"
    search = {"column": "passage_v" if field == "passage" else "title_v", "rows": "true", "kind": "ivfflat", "effort": 1}
    search |= {"order": f"v.{search['column']} <#> $2", "compared": "$2", "k": 5, "fetched": 5, "ties": False}
    for node in (1, 2, 3):
        with psycopg.connect(cluster.dsn(settings.db, node=node), autocommit=True) as worker:
            worker.execute("SET citus.override_table_visibility = off")
            worker.execute("SET search_path = public")
            names = worker.execute(
                f"SELECT c.oid::regclass::text FROM pg_class c WHERE c.relname ~ '^{table}_[0-9]+$' AND c.relkind = 'r'".encode()
            ).fetchall()
            for (name,) in names:
                with worker.transaction():
                    row = worker.execute(asked, [name, _VECTORS[0], Jsonb(search)]).fetchone()
                    used = worker.execute(
                        "SELECT seq_scan, idx_scan, idx_tup_fetch FROM pg_stat_xact_all_tables WHERE relid = %s::regclass", [name]
                    ).fetchone()
                assert row is not None
                assert len(row[0]) == 5
                assert row[1] == sorted(row[1])
                assert used is not None
                assert used[0] == 0
                assert used[1] == 1
                assert used[2] <= 6
                read += 1
    assert read == 3


def _sent(conn: psycopg.Connection, statement: str, parameters: list[str]) -> list[str]:
    """Return the statements that a function sends to workers, without their settings and transactions."""
    sent: list[str] = []
    conn.add_notice_handler(lambda notice: sent.append(notice.message_primary or ""))
    with conn.transaction(force_rollback=True):
        # Functions that hide notices would hide these, too.
        conn.execute("SET LOCAL citus.enable_ddl_propagation = off")
        conn.execute("ALTER FUNCTION boolean_search(text, integer, jsonb, integer) RESET client_min_messages")
        conn.execute("ALTER FUNCTION stc.bm25_portable(text, integer, boolean, bigint[], jsonb) RESET client_min_messages")
        conn.execute("SET LOCAL citus.log_remote_commands = on")
        conn.execute(statement.encode(), parameters)
    return [text for text in sent if text.startswith("issuing SELECT") and "public.dblp" in text]


@pytest.mark.parametrize(
    ("statement", "vectors", "first"),
    [
        ("SELECT * FROM boolean_search('voice', 5)", 0, "ORDER BY ((ts_rank"),
        ("SELECT * FROM bm25_search('voice privacy', 5, engine => 'portable')", 0, "ORDER BY (stc.bm25_score("),
        ("SELECT * FROM dense_search(%s::vector, 5, 'title', effort => 0)", 1, "ORDER BY ((title_v OPERATOR"),
        ("""SELECT * FROM dense_search(%s::vector, 5, 'title', filter => '{"year": [2004, 2016]}', effort => 0)""", 1,
         "ORDER BY ((v.title_v OPERATOR"),
    ],
)  # fmt: skip
def test_the_shards_sort_and_return_k_rows(conn: psycopg.Connection, statement: str, vectors: int, first: str) -> None:
    """Documents are sorted and cut on the workers; what follows reads documents by id."""
    conn.execute("CALL stc.index_vectors('title', kind => 'ivfflat')")
    sent = _sent(conn, statement, _VECTORS[:vectors])
    assert sent
    assert first in sent[0]
    assert all(text.rstrip().endswith("ROWS WITH TIES") or "LIMIT '5'" in text for text in sent if first in text)
    by_id = (") ANY (", "read_intermediate_result")
    assert [text for text in sent if first not in text and not any(words in text for words in by_id)] == []


def test_many_documents_have_vectors_in_half_precision(conn: psycopg.Connection) -> None:
    """The coordinator's own table of documents is empty; those of the shards count."""
    statement = "SELECT storage FROM stc.add_vector_model('many', 'org/many', 3)"
    with conn.transaction(force_rollback=True):
        conn.execute("CREATE OR REPLACE FUNCTION stc.half_precision(rows bigint) RETURNS boolean RETURN rows >= 240")
        assert conn.execute(statement).fetchall() == [("halfvec",)]
        conn.execute("SELECT stc.drop_vector_model('many')")
        conn.execute("CREATE OR REPLACE FUNCTION stc.half_precision(rows bigint) RETURNS boolean RETURN rows > 240")
        assert conn.execute(statement).fetchall() == [("vector",)]


def test_documents_that_match_a_filter_are_counted_if_a_sample_has_few(conn: psycopg.Connection) -> None:
    condition = "SELECT stc.filter_matched(%s, stc.filter_condition(%s), 300000)"
    for wanted, counted in (("[2005, 2012]", "year BETWEEN 2005 AND 2012"), ("[1800, 1801]", "false")):
        found = conn.execute(condition, [f'{{"year": {wanted}}}'] * 2).fetchall()
        assert found == conn.execute(f"SELECT count(*) FROM dblp_facts WHERE {counted}".encode()).fetchall()
