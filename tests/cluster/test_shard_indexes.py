"""BM25 by pg_textsearch's index on each shard: scores and order of one server, also where the shards differ from each other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

import stcollection
from stcollection.db import distribution
from stcollection.db.collections import create, create_distributed
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import StateError
from stcollection.topics.load import load as load_topics
from tests.cluster.conftest import _OPTIONS, NewDatabase
from tests.cluster.servers import Cluster
from tests.homes import home_folder

_SHARDS = 3
_ENGINE = "SELECT engine FROM stc.text_index"


@dataclass
class Skewed:
    """A collection on one server and on shards that differ: one shard has most documents with a word.

    :param sent: statements that the workers got since it was cleared.
    """

    one: psycopg.Connection
    spread: psycopg.Connection
    settings: Settings
    sent: list[str] = field(default_factory=list)

    def asked(self, search: str) -> tuple[list[tuple[int, float, int]], list[tuple[int, float, int]], int]:
        """Return the rows of both, and how many statements read the index of a shard."""
        alone = self.one.execute(search.encode()).fetchall()
        self.sent.clear()
        found = self.spread.execute(search.encode()).fetchall()
        return alone, found, sum("stc.bm25_shard(" in text for text in self.sent)


def _same(alone: list[tuple[int, float, int]], found: list[tuple[int, float, int]]) -> None:
    assert [doc for doc, _, _ in found] == [doc for doc, _, _ in alone]
    assert [score for _, score, _ in found] == pytest.approx([score for _, score, _ in alone], rel=1e-6)
    assert [rank for _, _, rank in found] == list(range(1, len(found) + 1))


def _texts(shard: Callable[[int], int]) -> Iterator[tuple[int, str]]:
    """3,000 documents. The shard 0 has 'privacy' in every document, others in few; 'voice' and 'lake'
    are everywhere, 'river' in one shard; documents with 'voice' have equal scores."""
    for doc in range(1, 3001):
        words = ["text", "filler" * (doc % 3 + 1)] + ["padding"] * (doc % 40)
        if shard(doc) == 0 or doc % 50 == 0:
            words += ["privacy"] * (1 + doc % 7)
        if doc % 4 == 0:
            words += ["voice"] * (1 + doc % 5)
        if doc % 60 == 7:
            words += ["lake"] * (doc // 60 % 12 + 1)
        if shard(doc) == 1 and doc % 2:
            words += ["river"] * (doc % 3 + 1)
        yield doc, " ".join(words)


@pytest.fixture(scope="module")
def skewed(new_database: NewDatabase) -> Iterator[Skewed]:
    alone, spread = new_database(), new_database()
    create(alone, exist_ok=True)
    create_distributed(spread, shards=_SHARDS)
    with connect(alone, autocommit=True) as one, connect(spread, autocommit=True) as many:
        first = many.execute("SELECT min(shardid) FROM pg_dist_shard WHERE logicalrelid = 'dblp'::regclass").fetchone()
        assert first is not None
        shards: dict[int, int] = dict(
            many.execute(
                "SELECT d, get_shard_id_for_distribution_column('dblp', d) - %s FROM generate_series(1, 3000) d", [first[0]]
            ).fetchall()
        )
        for conn in (one, many):
            with conn.cursor() as cursor:
                with cursor.copy("COPY dblp (id, docno, doc) FROM STDIN") as copy:
                    for doc, _ in _texts(shards.__getitem__):
                        copy.write_row((doc, f"d{doc:04}", json.dumps({"year": 2000 + doc % 20})))
                if conn is one:  # its trigger has made the rows
                    cursor.execute("DELETE FROM dblp_text")
                    cursor.execute("DELETE FROM dblp_facts")
                with cursor.copy("COPY dblp_text (id, title) FROM STDIN") as copy:
                    for doc, text in _texts(shards.__getitem__):
                        copy.write_row((doc, text))
                with cursor.copy("COPY dblp_facts (id, year) FROM STDIN") as copy:
                    for doc in shards:
                        copy.write_row((doc, 2000 + doc % 20))
            conn.execute("CALL stc.index_text()")
            assert conn.execute(_ENGINE).fetchone() == ("pg_textsearch",)
        found = Skewed(one, many, spread)
        many.add_notice_handler(
            lambda one: found.sent.append(one.message_primary or "") if (one.message_primary or "").startswith("issuing") else None
        )
        many.execute("SET citus.log_remote_commands = on")
        yield found


def test_the_index_of_each_shard_returns_a_few_documents(skewed: Skewed) -> None:
    alone, found, reads = skewed.asked("SELECT * FROM bm25_search('lake', 5)")
    _same(alone, found)
    assert reads == _SHARDS
    rows = skewed.spread.execute(_PROBE.format(depth=12, above="NULL").encode()).fetchall()
    assert [(depth, docs) for depth, docs, _ in rows] == [(12, 12)] * _SHARDS
    assert all(bound > 0 for _, _, bound in rows)


_PROBE = """
SELECT f.depth, cardinality(f.docs), f.bound
  FROM stc.text_index x
 CROSS JOIN LATERAL (
    SELECT a.anchor, x.lengths[a.place] AS lengths FROM unnest(x.anchors) WITH ORDINALITY a (anchor, place)) n
 CROSS JOIN LATERAL (SELECT * FROM stc_probe(n.anchor, n.lengths, {depth}, {above})) f
"""


@pytest.fixture(scope="module", autouse=True)
def probe(skewed: Skewed) -> None:
    """A function that asks the index of one shard."""
    skewed.spread.execute("SET citus.enable_ddl_propagation = off")
    skewed.spread.execute(
        """
        CREATE FUNCTION stc_probe(anchor bigint, lengths text, first integer, above double precision)
        RETURNS TABLE (depth bigint, docs bigint[], bound double precision) LANGUAGE plpgsql AS $$
        BEGIN
            RETURN QUERY EXECUTE 'SELECT f.depth, f.docs, f.bound FROM dblp_text t CROSS JOIN LATERAL stc.bm25_shard(
                t.tableoid, $2, NULL, ''voice'', ''{voic}'', ''{1}'', ''{1}'', $3) f WHERE t.id = $1'
                USING anchor, lengths, jsonb_build_object('k', 1000, 'depth', stc_probe.first, 'rows', 1000, 'fixed', 0.3,
                                                          'token', 0.05, 'above', stc_probe.above);
        END $$"""
    )
    skewed.spread.execute("RESET citus.enable_ddl_propagation")


def test_shards_that_could_have_others_are_read_again(skewed: Skewed) -> None:
    """'privacy' is in all documents of one shard, so its idf there is almost 0, and its bound says little."""
    alone, found, reads = skewed.asked("SELECT * FROM bm25_search('privacy voice', 60)")
    _same(alone, found)
    assert _SHARDS < reads <= 2 * _SHARDS


def test_a_bound_that_does_not_help_scores_all_documents_with_a_word(skewed: Skewed) -> None:
    deep = skewed.spread.execute(_PROBE.format(depth=12, above="0.000001").encode()).fetchall()
    assert [depth for depth, _, _ in deep] == [None] * _SHARDS
    assert sum(docs for _, docs, _ in deep) == 750
    assert {bound for _, _, bound in deep} == {0}
    alone, found, reads = skewed.asked("SELECT * FROM bm25_search('privacy', 400)")
    _same(alone, found)
    assert reads == _SHARDS + 1  # two shards have returned all their documents


@pytest.mark.parametrize(
    "query", ["voice", "lake", "river", "privacy voice river", "voice voice privacy", "text", "absent", "river absent"]
)
@pytest.mark.parametrize("k", [1, 10, 100])
def test_ties_and_words_of_one_shard(skewed: Skewed, query: str, k: int) -> None:
    alone, found, *_ = skewed.asked(f"SELECT * FROM bm25_search('{query}', {k})")
    _same(alone, found)
    [[portable]] = skewed.spread.execute(
        "SELECT array_agg(doc ORDER BY rank) FROM bm25_search(%s, %s, engine => 'portable')", [query, k]
    ).fetchall()
    assert (portable or []) == [doc for doc, _, _ in found]


@pytest.mark.parametrize(
    "wanted", ['{"year": [2003, null]}', '{"year": 2004}', '{"text": "river"}', '{"docnos": ["d0004", "d0008"]}']
)
def test_filters_and_feedback(skewed: Skewed, wanted: str) -> None:
    alone, found, *_ = skewed.asked(f"SELECT * FROM bm25_search('voice privacy', 20, '{wanted}')")
    _same(alone, found)
    alone, found, *_ = skewed.asked(f"SELECT * FROM rm3_search('voice privacy', 20, '{wanted}')")
    _same(alone, found)


def test_a_filter_that_many_documents_match_is_checked_on_the_shards(skewed: Skewed) -> None:
    alone, found, reads = skewed.asked("""SELECT * FROM bm25_search('voice privacy', 20, '{"year": [2001, null]}')""")
    _same(alone, found)
    assert reads >= _SHARDS
    assert any("dblp_facts" in text for text in skewed.sent if "stc.bm25_shard(" in text)


def test_feedback_uses_the_indexes_twice(skewed: Skewed) -> None:
    alone, found, reads = skewed.asked("SELECT * FROM rm3_search('voice privacy', 20)")
    _same(alone, found)
    assert reads >= 2 * _SHARDS


def test_the_plan_of_a_shard_reads_its_index_with_a_limit(cluster: Cluster, skewed: Skewed) -> None:
    """The worker prints the plans of the function's statements."""
    read = 0
    for node in (1, 2, 3):
        with psycopg.connect(cluster.dsn(skewed.settings.db, node=node), autocommit=True) as worker:
            worker.execute("SET citus.override_table_visibility = off")
            names = worker.execute(
                "SELECT c.oid::regclass::text, stc.shard_index(c.oid)::oid, stc.shard_index(c.oid)::text FROM pg_class c"
                " WHERE c.relname ~ '^dblp_text_[0-9]+$' AND c.relkind = 'r'"
            ).fetchall()
            lengths = worker.execute("SELECT oid::regclass::text FROM pg_class WHERE relname ~ '^text_lengths_[0-9]+$'").fetchall()
            heard: list[str] = []
            worker.add_notice_handler(_listener(heard))
            worker.execute("SET client_min_messages = log")
            for name, oid, index in names:
                heard.clear()
                worker.execute("SET debug_print_plan = on")
                worker.execute(
                    "SELECT * FROM stc.bm25_shard(%s::regclass, %s, NULL, 'voice', '{voic}', '{1}', '{1}', %s)",
                    [name, lengths[0][0], '{"k": 5, "depth": 7, "rows": 1000, "fixed": 0.3, "token": 0.05}'],
                )
                worker.execute("SET debug_print_plan = off")
                assert index.startswith("dblp_text_bm25_")
                plans = [re.search(r"\{LIMIT\b.*?\{INDEXSCAN\b.*?:indexid (\d+)", text, re.DOTALL) for text in heard]
                assert str(oid) in [plan[1] for plan in plans if plan], heard
                read += 1
    assert read == _SHARDS


def _listener(heard: list[str]) -> Callable[[psycopg.errors.Diagnostic], None]:
    return lambda one: heard.append(f"{one.message_primary} {one.message_detail}")


def test_documents_of_a_transaction_that_was_rolled_back_are_noticed(skewed: Skewed) -> None:
    """They change the counts of the index on their shard."""
    before = skewed.asked("SELECT * FROM bm25_search('voice', 5)")[0]
    with skewed.spread.transaction(force_rollback=True):
        skewed.spread.execute("INSERT INTO dblp (id, docno, doc) VALUES (9001, 'd9001', '{}')")
        skewed.spread.execute("INSERT INTO dblp_text (id, title) VALUES (9001, 'voice of nobody')")
    heard: list[str] = []
    skewed.spread.add_notice_handler(_listener(heard))
    _, found, *_ = skewed.asked("SELECT * FROM bm25_search('voice', 5)")
    _same(before, found)
    assert any("are not those of the last build" in text for text in heard)
    with pytest.raises(psycopg.Error) as error:
        skewed.spread.execute("SELECT * FROM bm25_search('voice', 5, engine => 'pg_textsearch')")
    assert error.value.sqlstate == "IR401"
    assert skewed.spread.execute("SELECT sound FROM stc.text_status()").fetchone() == (False,)
    skewed.spread.execute("CALL stc.index_text()")
    assert skewed.spread.execute("SELECT sound FROM stc.text_status()").fetchone() == (True,)
    skewed.spread.execute("SELECT * FROM bm25_search('voice', 5, engine => 'pg_textsearch')")


def test_rows_that_were_updated_in_place_are_found(new_database: NewDatabase) -> None:
    """pg_textsearch 1.0 does not find them after a build, on shards either: their rows are moved, and the next build finds them."""
    settings = new_database()
    create_distributed(settings, shards=_SHARDS)
    with stcollection.open(settings.db, dsn=settings.dsn, home=settings.home) as collection:
        conn = collection.connection
        conn.execute("INSERT INTO dblp (id, docno, doc) SELECT d, 'd' || d, '{}' FROM generate_series(1, 60) d")
        conn.execute("INSERT INTO dblp_text (id, title) SELECT d, 'voice ' || d FROM generate_series(1, 60) d")
        conn.execute("UPDATE dblp_text SET title = title")
        heard: list[str] = []
        conn.add_notice_handler(_listener(heard))
        conn.execute("CALL stc.index_text()")
        assert any(text.startswith("the new BM25 index does not find 60 of 60 documents") for text in heard), heard
        assert conn.execute("SELECT stale, sound FROM stc.text_status()").fetchone() == (True, False)
        collection.text.index()
        _check_found(conn)
        conn.execute("UPDATE dblp_text SET title = title WHERE id % 2 = 0")
        conn.execute("DELETE FROM dblp_text WHERE id % 3 = 0")
        assert collection.text.index().documents == 40
        _check_found(conn)


def _check_found(conn: psycopg.Connection) -> None:
    """Check that the indexes were verified, and that they find the documents that the other engine finds."""
    noted = "SELECT obj_description('dblp_text_bm25'::regclass)"
    assert conn.execute(noted).fetchone() == ("every document found",)
    assert conn.execute("SELECT lost, sound FROM stc.text_status(verify => true)").fetchone() == (0, True)
    search = b"SELECT array_agg(doc ORDER BY doc) FROM bm25_search('voice', 100, engine => %s)"
    found = [conn.execute(search, [engine]).fetchone() for engine in ("pg_textsearch", "portable")]
    assert found[0] == found[1] == conn.execute("SELECT array_agg(id ORDER BY id) FROM dblp_text").fetchone()


def test_back_to_one_server(filled_collection: NewDatabase) -> None:
    settings = filled_collection()
    search = b"SELECT * FROM bm25_search('voice privacy', 20)"
    with connect(settings, autocommit=True) as conn:
        before = conn.execute(search).fetchall()
    distribution.distribute(settings, shards=4)
    with connect(settings, autocommit=True) as conn:
        assert conn.execute("SHOW citus.max_cached_conns_per_worker").fetchone() == ("2",)
        conn.execute("CALL stc.index_text()")
        _same(before, conn.execute(search).fetchall())
    distribution.undistribute(settings)
    with connect(settings, autocommit=True) as conn:
        assert conn.execute("SHOW citus.max_cached_conns_per_worker").fetchone() == ("1",)
        assert conn.execute("SELECT engine, anchors FROM stc.text_index").fetchone() == ("portable", None)
        _same(before, conn.execute(search).fetchall())
        conn.execute("CALL stc.index_text()")
        assert conn.execute(_ENGINE).fetchone() == ("pg_textsearch",)
        _same(before, conn.execute(search).fetchall())


@pytest.mark.parametrize(
    ("documents", "queries"), [("cranfield/cran.all.1400", "cranfield/cran.qry"), ("cacm/cacm.all", "cacm/query.text")]
)
def test_real_queries(documents: str, queries: str, data: Path, new_database: NewDatabase) -> None:
    """Cranfield and CACM with all their queries, to the depth of a run."""
    alone, spread = new_database(), new_database()
    create(alone, exist_ok=True)
    create_distributed(spread, shards=6)
    found: list[dict[tuple[str, int], list[tuple[list[str], float, int]]]] = []
    for settings in (alone, spread):
        with stcollection.open(settings.db, dsn=settings.dsn, home=settings.home) as collection:
            conn = collection.connection
            collection.corpus.load(data / documents)
            assert collection.text.index().engine == "pg_textsearch"
            load_topics(conn, [data / queries], on_duplicate="first")
            texts = [text for (text,) in conn.execute("SELECT text FROM st1_queries ORDER BY id")]
            found.append(
                {
                    (text, k): conn.execute(
                        "SELECT stc.docnos(ARRAY[s.doc]), s.score, s.rank FROM bm25_search(%s, %s) s", [text, k]
                    ).fetchall()
                    for text in texts
                    for k in (10, 100)
                }
            )
    assert len(found[0]) > 100
    for key, alone_rows in found[0].items():
        rows = found[1][key]
        assert [score for _, score, _ in rows] == pytest.approx([score for _, score, _ in alone_rows], rel=1e-6), key
        # Documents whose scores differ by rounding only may be exchanged.
        last = alone_rows[-1][1] * (1 + 1e-6)
        assert {docno[0] for docno, score, _ in alone_rows if score > last} <= {docno[0] for docno, *_ in rows}, key


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """A cluster of two workers, one of which has no pg_textsearch."""
    with home_folder() as folder:
        made = Cluster.create(folder, workers=2, options=_OPTIONS)
        lacking = next(folder.glob(f"worker-{made.ports[2]}")) / "postgresql.conf"
        lacking.write_text(lacking.read_text() + "\nshared_preload_libraries = 'citus'\n")
        with made.running():
            for node in range(3):
                with psycopg.connect(made.dsn(node=node), autocommit=True) as conn:
                    conn.execute("CREATE DATABASE mixed TEMPLATE template0")
                with psycopg.connect(made.dsn("mixed", node=node), autocommit=True) as conn:
                    conn.execute("CREATE EXTENSION citus")
            with psycopg.connect(made.dsn("mixed"), autocommit=True) as conn:
                conn.execute("SELECT citus_set_coordinator_host('127.0.0.1', %s)", [made.ports[0]])
                for port in made.ports[1:]:
                    conn.execute("SELECT citus_add_node('127.0.0.1', %s)", [port])
                conn.execute("CREATE EXTENSION vector SCHEMA public")
            yield Settings(db="mixed", home=tmp_path_factory.mktemp("home"), dsn=made.dsn("mixed"))


def test_a_worker_without_pg_textsearch(without: Settings) -> None:
    create_distributed(without, shards=2)
    with stcollection.open(without.db, dsn=without.dsn, home=without.home) as collection:
        conn = collection.connection
        conn.execute("INSERT INTO dblp (id, docno, doc) SELECT d, 'd' || d, '{}' FROM generate_series(1, 20) d")
        conn.execute("INSERT INTO dblp_text (id, title) SELECT d, 'voice ' || d FROM generate_series(1, 20) d")
        with pytest.raises(StateError, match="has no pg_textsearch"):
            collection.text.index(engine="pg_textsearch")
        assert collection.text.index().engine == "portable"
        assert conn.execute("SELECT doc FROM bm25_search('voice', 3)").fetchall() == [(9,), (8,), (7,)]
