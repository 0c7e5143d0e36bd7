"""The plans of searches on the shards: each statement that a worker gets is explained there, with the rows that it returns.

Searches by an index of vectors or of pg_textsearch call a function on each shard: test_indexes.py, test_shard_indexes.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import psycopg
import pytest

from stcollection.db import distribution
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from tests.cluster.conftest import NewDatabase
from tests.cluster.servers import Cluster

_SHARDS = 6
_K = 5
_ASKED = "qdblp_v_title(10)"


@dataclass(frozen=True)
class ShardPlan:
    """A statement on a shard.

    :param nodes: kinds of its nodes, of scans with their index. :param rows: rows that it returns.
    :param limit: of the statement. :param more: number of rows after the first ``limit`` whose score, the last column, is not
        that of the last of these.
    """

    statement: str
    nodes: tuple[str, ...]
    rows: int
    limit: int
    more: int


@pytest.fixture(scope="module")
def settings(filled_collection: NewDatabase) -> Settings:
    made = filled_collection()
    distribution.distribute(made, shards=_SHARDS)
    with connect(made, autocommit=True) as conn:
        conn.execute("CALL stc.index_vectors('title', lists => 12)")
    return made


@pytest.fixture(scope="module")
def plans(cluster: Cluster, settings: Settings) -> Iterator[Callable[[str], list[ShardPlan]]]:
    """Returns the plans of the statements that the workers get for a search and that read shards."""
    workers = {str(port): psycopg.connect(cluster.dsn(settings.db, node=i)) for i, port in enumerate(cluster.ports) if i}

    def of(search: str) -> list[ShardPlan]:
        sent: list[tuple[str, str]] = []

        def hear(one: psycopg.errors.Diagnostic) -> None:
            text = one.message_primary or ""
            port = re.search(r":(\d+) connectionId", one.message_detail or "")
            # A statement with a parameter looks up one document on its shard.
            if port and text.startswith("issuing ") and re.search(r"_1\d{5}\b", text) and "SELECT" in text and "$1" not in text:
                sent.append((port[1], text.removeprefix("issuing ")))

        with connect(settings, autocommit=True) as conn:
            conn.add_notice_handler(hear)
            conn.execute("SET client_min_messages = notice")
            with conn.transaction(force_rollback=True):
                # Search functions suppress notices, with which Citus reports what it sends.
                conn.execute("UPDATE pg_proc SET proconfig = array_remove(proconfig, 'client_min_messages=warning')")
                conn.execute("""SELECT stc.set_everywhere('{"enable_seqscan": "off"}')""")  # shards of 40 documents
                conn.execute("SET LOCAL citus.log_remote_commands = on")
                conn.execute(f"SELECT * FROM {search}".encode())
        return [_explained(workers[port], statement) for port, statement in sent]

    yield of
    for worker in workers.values():
        worker.close()


def _explained(worker: psycopg.Connection, statement: str) -> ShardPlan:
    with worker.transaction(force_rollback=True):
        worker.execute("SET LOCAL enable_seqscan = off")
        worker.execute("SET LOCAL search_path = stc, public")
        row = worker.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}".encode()).fetchone()
        returned = [one[-1] for one in worker.execute(statement.encode()).fetchall()]
    assert row is not None
    found = row[0] if isinstance(row[0], list) else json.loads(row[0])
    plan = found[0]["Plan"]
    assert plan["Actual Rows"] == len(returned)
    found_limit = re.search(r"(?:FETCH FIRST|LIMIT) \(*'?(\d+)", statement)
    limit = int(found_limit[1]) if found_limit else 0
    more = sum(one != returned[limit - 1] for one in returned[limit:]) if limit else 0
    return ShardPlan(statement, tuple(_nodes(plan)), len(returned), limit, more)


def _nodes(plan: dict[str, object]) -> Iterator[str]:
    yield f"{plan['Node Type']} {plan.get('Index Name', '')}".strip()
    children = plan.get("Plans", [])
    assert isinstance(children, list)
    for child in children:
        yield from _nodes(child)


_SORTED = [
    (f"boolean_search('voice', {_K})", "Bitmap Index Scan dblp_text_tsv_gin"),
    (f"system_search('voice privacy', 'conjunctive', {_K})", "Bitmap Index Scan dblp_text_tsv_gin"),
    (f"bm25_search('voice privacy', {_K})", "Bitmap Index Scan dblp_text_tsv_gin"),
    (f"rm3_search('voice privacy', {_K})", "Bitmap Index Scan dblp_text_tsv_gin"),
    (f"dense_search({_ASKED}, {_K}, effort => 0)", None),
    (f"dense_search({_ASKED}, {_K}, 'abstract')", None),
    (f"""boolean_search('voice', {_K}, '{{"year": [2005, 2012]}}')""", "Index Scan dblp_facts_year"),
    (f"""dense_search({_ASKED}, {_K}, filter => '{{"year": [2005, 2012]}}')""", "Index Scan dblp_facts"),
    (f"""dense_search({_ASKED}, {_K}, 'abstract', filter => '{{"year": [2005, 2012]}}')""", "Index Scan dblp_facts"),
    (f"""bm25_search('voice', {_K}, '{{"year": [2005, 2012]}}')""", "Index Scan dblp_facts"),
    (f"rocchio_search({_ASKED}, {_K})", None),
    (
        f"hybrid_search('voice', {_K}, {_ASKED}, rankers => '{{boolean,title}}', depth => {_K})",
        "Bitmap Index Scan dblp_text_tsv_gin",
    ),
]


@pytest.mark.parametrize(("search", "index"), _SORTED)
def test_shards_sort_and_cut(plans: Callable[[str], list[ShardPlan]], search: str, index: str | None) -> None:
    """Every shard sorts and returns at most k rows, and those that equal the last one; it reads the index where there is one."""
    found = plans(search)
    ranked = [one for one in found if "ORDER BY" in one.statement and one.limit]
    assert len(ranked) >= _SHARDS, [one.statement for one in found]
    for one in ranked:
        assert "Limit" in one.nodes, one
        assert any(node.startswith(("Sort", "Incremental Sort", "Index Scan dblp_")) for node in one.nodes), one
        assert one.limit <= (10 if search.startswith("rm3") else _K), one  # feedback of RM3: ten documents
        assert one.more == 0, one
    if index is not None:
        assert any(node.startswith(index) for one in ranked for node in one.nodes), ranked[0]
    for one in found:  # no statement fetches a whole shard
        assert one.rows <= _K or "WHERE" in one.statement, one
