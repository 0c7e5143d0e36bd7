"""How many rows the workers send for each search: shards sort and cut, so that few documents reach the coordinator."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pytest

from stcollection.db import distribution
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from tests.cluster.conftest import NewDatabase
from tests.cluster.servers import Cluster
from tools.proxy import RowCounter, proxy

_SHARDS = 6
_K = 5


@pytest.fixture(scope="module")
def settings(filled_collection: NewDatabase) -> Settings:
    """A distributed collection."""
    made = filled_collection()
    distribution.distribute(made, shards=_SHARDS)
    return made


@pytest.fixture(scope="module")
def sent(cluster: Cluster, settings: Settings) -> Iterator[Callable[[str], int]]:
    """Returns the number of rows that the workers send for a statement."""
    counter = RowCounter()
    with contextlib.ExitStack() as stack:
        conn = stack.enter_context(connect(settings, autocommit=True))
        conn.execute("CALL stc.index_vectors('title', lists => 12)")
        for port in cluster.ports[1:]:
            moved = stack.enter_context(proxy(port, counter))
            conn.execute("SELECT citus_update_node(nodeid, nodename, %s) FROM pg_dist_node WHERE nodeport = %s", [moved, port])
        conn.close()
        conn = stack.enter_context(connect(settings, autocommit=True))

        def count(statement: str) -> int:
            for _ in range(2):  # the first opens connections
                counter.reset()
                conn.execute(statement.encode())
            return counter.rows

        yield count


def test_the_proxy_counts_rows(sent: Callable[[str], int]) -> None:
    assert 240 <= sent("SELECT id FROM dblp") <= 242  # Citus may ask workers about themselves meanwhile
    assert _SHARDS <= sent("SELECT count(*) FROM dblp") <= _SHARDS + 2
    assert sent("SELECT 1") <= 2


_ASKED = "qdblp_v_title(10)"


@pytest.mark.parametrize(
    "search",
    [
        f"boolean_search('voice', {_K})",
        f"system_search('voice privacy', 'conjunctive', {_K})",
        f"boolean_search('voice assistant privacy home model learning', {_K})",
        f"bm25_search('voice', {_K})",
        f"bm25_search('voice privacy river', {_K})",
        f"stc.search_page('voice privacy', 'bm25', {_K})",
        f"dense_search({_ASKED}, {_K}, effort => 0)",
        f"dense_search({_ASKED}, {_K})",
        f"dense_search({_ASKED}, {_K}, 'abstract')",
        f"document_neighbours(10, {_K})",
        f"""dense_search({_ASKED}, {_K}, filter => '{{"year": [2005, 2012]}}')""",  # few documents match: exact
        f"""dense_search({_ASKED}, {_K}, filter => '{{"year": [2005, 2012]}}', effort => 0)""",
        f"""bm25_search('voice privacy', {_K}, '{{"year": [2005, 2012]}}')""",
    ],
)
def test_each_shard_sends_k_documents(sent: Callable[[str], int], search: str) -> None:
    """At most k of each shard, some with equal scores, and the names of documents; not a row for each of 240 documents."""
    assert _K <= sent(f"SELECT * FROM {search}") <= 2 * _SHARDS * _K


@pytest.mark.parametrize(
    ("search", "most"),
    [
        (f"rocchio_search({_ASKED}, {_K})", 3 * _SHARDS * _K),  # two searches
        (f"rm3_search('voice privacy', {_K})", 5 * _SHARDS * _K),  # two searches, and the words of ten documents
        (f"""bm25_search('voice', {_K}, '{{"text": "privacy"}}')""", 240),  # the ids of documents that match
        # The nearest passages, 4 k of each shard, their documents, and the passages of k documents
        (f"passage_search({_ASKED}, {_K})", 4 * _SHARDS * _K + 4 * _K * 2 + 4 * _SHARDS),
    ],
)
def test_searches_that_send_more(sent: Callable[[str], int], search: str, most: int) -> None:
    """What docs/howto/cluster.md states."""
    assert 2 * _SHARDS * _K < sent(f"SELECT * FROM {search}") <= most


def test_shards_read_the_inverted_index(settings: Settings) -> None:
    with connect(settings, autocommit=True) as conn, conn.transaction():
        conn.execute("""SELECT stc.set_everywhere('{"enable_seqscan": "off"}')""")
        plan = "\n".join(
            line
            for (line,) in conn.execute(
                "EXPLAIN SELECT t.id, ts_rank(t.tsv, 'voic') AS value FROM dblp_text t WHERE t.tsv @@ 'voic'"
                " ORDER BY value DESC FETCH FIRST 5 ROWS WITH TIES"
            )
        )
    shard = plan[plan.index("Tasks Shown: One of 6") :]
    assert "Bitmap Index Scan on dblp_text_tsv_gin_" in shard
    assert "->  Limit" in shard
    assert "Sort Key" in shard
