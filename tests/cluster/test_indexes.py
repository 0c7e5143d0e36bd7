"""Vector indexes on shards, and what searches read from the workers: index scan, sort and limit run there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import psycopg
import pytest

from stcollection.db import distribution
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.queries import notation
from tests.cluster.conftest import NewDatabase
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
        # Fewer lists find less, so the effort reaches the workers; one server with the same number of lists finds less still.
        assert _ALONE[0] <= _recall(conn, 1) < 1
        assert _ALONE[1] <= _recall(conn, 2)
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


def test_diskann_refuses(conn: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error) as error:
        conn.execute("CALL stc.index_vectors('title', kind => 'diskann')")
    assert error.value.sqlstate == "IR415"


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
        ("SELECT * FROM dense_search(%s::vector, 5, 'title')", 1, "ORDER BY (title_v OPERATOR"),
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
