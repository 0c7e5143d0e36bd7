"""stc db distribute and undistribute: the same answers on three workers as on one server, and every object back afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import psycopg
import pytest

from stcollection.db import catalogue, distribution
from stcollection.db.connection import connect
from stcollection.db.objects import drift
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.errors import BadArgument, DatabaseError, StateError
from tests.cluster.answers import DOCUMENTS, Answers, answers, differing, made
from tests.cluster.conftest import NewDatabase
from tests.cluster.servers import Cluster
from tests.in_process import in_new_words

Rows = list[tuple[object, ...]]


@pytest.fixture(scope="module")
def settings(filled_collection: NewDatabase) -> Settings:
    """A collection on the coordinator."""
    return filled_collection()


@pytest.fixture(scope="module")
def before(settings: Settings) -> Answers:
    """The answers of one server."""
    with connect(settings, autocommit=True) as conn:
        return answers(conn) | made(conn)


@pytest.fixture
def conn(settings: Settings) -> Iterator[psycopg.Connection]:
    with connect(settings, autocommit=True) as conn:
        yield conn


@pytest.fixture
def distributed(settings: Settings, before: Answers, conn: psycopg.Connection) -> psycopg.Connection:
    """A connection to the collection on three workers."""
    if distribution.state(conn) is None:
        distribution.distribute(settings, shards=6)
    return conn


def _described(conn: psycopg.Connection) -> Rows:
    """Return the comments and owners of tables, views and indexes, and the rights on views."""
    return conn.execute(
        "SELECT c.oid::regclass::text, c.relowner::regrole::text, a.attname, d.description,"
        "  CASE WHEN c.relkind = 'v' THEN (SELECT array_agg(x::text ORDER BY x::text) FROM unnest(c.relacl) x) END"
        " FROM pg_class c LEFT JOIN pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_class'::regclass"
        " LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid AND d.objsubid > 0"
        " WHERE c.relnamespace = ANY ('{public,stc,stc_all}'::regnamespace[]) AND c.relkind IN ('r', 'p', 'v', 'i', 'I', 'S')"
        "  AND c.relname NOT LIKE 'dblp_text_bm25%' ORDER BY 1, 3 NULLS FIRST"
    ).fetchall()


def test_there_and_back(settings: Settings, before: Answers, conn: psycopg.Connection) -> None:
    conn.execute("CREATE ROLE viewer; CREATE VIEW public.mine AS SELECT id, docno FROM dblp; GRANT SELECT ON public.mine TO viewer")
    conn.execute("COMMENT ON VIEW public.mine IS 'of a user'")
    objects, described = catalogue.snapshot(conn), _described(conn)
    done = distribution.distribute(settings, shards=6)
    assert (done.shards, len(done.workers), done.obstacle) == (6, 3, None)
    assert distribution.state(conn) == (9, 6, 3)
    assert differing(before, answers(conn) | made(conn)) == []
    assert conn.execute("SELECT count(*) FROM public.mine").fetchone() == (DOCUMENTS,)

    assert distribution.undistribute(settings) == (9, 6, 3)
    assert distribution.state(conn) is None
    assert differing(answers(conn), before) == []
    assert catalogue.snapshot(conn) == objects
    assert _described(conn) == described
    assert (catalogue.drift(conn), drift(conn)) == ([], [])
    conn.execute("DROP VIEW public.mine")
    # Keys, triggers and identity columns work again.
    with conn.transaction(force_rollback=True):
        conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (9001, 'new', '{\"year\": 1999}')")
        assert conn.execute("SELECT year FROM dblp_facts WHERE id = 9001").fetchone() == (1999,)
        [(passage,)] = conn.execute("INSERT INTO dblp_passages (doc, position, text) VALUES (9001, 1, 'x') RETURNING id").fetchall()
        assert passage == 193
        with pytest.raises(psycopg.errors.UniqueViolation):
            conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (9002, 'new', '{}')")


def test_rows_of_a_document_are_on_one_server(distributed: psycopg.Connection) -> None:
    tables = distributed.execute(
        "SELECT count(DISTINCT colocation_id), count(*) FROM citus_tables WHERE citus_table_type = 'distributed'"
    ).fetchone()
    assert tables == (1, 9)
    plan = "\n".join(
        line
        for (line,) in distributed.execute(
            "EXPLAIN SELECT t.title FROM dblp d JOIN dblp_text t USING (id) JOIN dblp_facts f USING (id) WHERE f.year > 2010"
        )
    )
    assert "Task Count: 6" in plan
    assert "Subplan" not in plan


def test_sort_and_limit_are_on_the_shards(distributed: psycopg.Connection) -> None:
    """At most k rows of each shard reach the coordinator."""
    statement = "SELECT v.id FROM dblp_v v WHERE v.title_v IS NOT NULL ORDER BY (v.title_v <#> (SELECT v FROM asked)) + 0 LIMIT 3"
    distributed.execute("CREATE TEMPORARY TABLE asked AS SELECT title_v AS v FROM dblp_v WHERE id = 5")
    plan = [line.strip() for (line,) in distributed.execute(f"EXPLAIN {statement}".encode())]
    shard = plan[plan.index("Tasks Shown: One of 6") :]
    assert any(line.startswith("->  Limit") for line in shard)
    assert any("Sort Key" in line for line in shard)


def test_the_shards_split_words(distributed: psycopg.Connection) -> None:
    with distributed.transaction(force_rollback=True):
        distributed.execute("INSERT INTO dblp (id, docno, doc) VALUES (9001, 'new', '{}')")
        distributed.execute("INSERT INTO dblp_text (id, title) VALUES (9001, 'Thin zzclient/zzserver')")
        distributed.execute(
            "INSERT INTO dblp_facts (id, venue) VALUES (9001, 'ZZ/YY Letters')"
            " ON CONFLICT (id) DO UPDATE SET venue = 'ZZ/YY Letters'"
        )
        distributed.execute("UPDATE stc.text_index SET stale = true")
        for call in (
            "boolean_search('zzserver')",
            "stc.conjunctive_search('zzclient zzserver')",
            'lucene_search(\'{"must": [{"text": "yy", "field": "venue"}]}\')',
            "bm25_search('zzserver', engine => 'portable')",
        ):
            assert [doc for (doc,) in distributed.execute(f"SELECT doc FROM {call}")] == [9001], call


def test_what_needs_one_server(distributed: psycopg.Connection, settings: Settings) -> None:
    """Each error names the command that leads back."""
    for statement in (
        "CALL stc.index_text('simple')",
        "CALL stc.index_text(words => 'published')",
        "CALL stc.index_vectors('title', kind => 'diskann')",
    ):
        with pytest.raises(psycopg.Error) as error:
            distributed.execute(statement.encode())
        assert error.value.sqlstate == "IR415", statement
        assert "stc db distribute --undo" in (error.value.diag.message_hint or "")
    with pytest.raises(StateError, match="already distributed: 6 shards on 3 servers"):
        distribution.distribute(settings)


def test_a_lost_worker_is_an_error_and_never_a_part_of_the_answer(
    cluster: Cluster, distributed: psycopg.Connection, before: Answers
) -> None:
    cluster.stop(2)
    try:
        for statement in ("SELECT count(*) FROM dblp", "SELECT * FROM boolean_search('voice', 10)"):
            with pytest.raises(psycopg.Error, match=str(cluster.ports[2])):
                distributed.execute(statement.encode())
    finally:
        cluster.start()
    assert distributed.execute("SELECT count(*) FROM dblp").fetchall() == before["dblp"]


def test_an_interrupted_move_changes_nothing(distributed: psycopg.Connection, settings: Settings, before: Answers) -> None:
    """In both directions, the session is ended at the last moment before the commit."""
    for function, there in (("stc.undistribute_documents()", True), ("stc.distribute_documents(4)", False)):
        with connect(settings) as victim:
            victim.execute(f"SELECT {function}".encode())
            distributed.execute("SELECT pg_terminate_backend(%s::integer, 5000)", [victim.info.backend_pid])
            with pytest.raises(psycopg.OperationalError):
                victim.commit()
        assert (distribution.state(distributed) is not None) is there
        assert differing(answers(distributed), before) == []
        if there:
            distribution.undistribute(settings)
    assert distribution.distribute(settings, shards=4).shards == 4
    assert distributed.execute("SELECT count(*) FROM dblp").fetchall() == before["dblp"]


def test_a_row_that_violates_a_dropped_key_stops_the_way_back(distributed: psycopg.Connection, settings: Settings) -> None:
    distributed.execute("INSERT INTO dblp (id, docno, doc) VALUES (9003, 'd001', '{}')")
    with pytest.raises(DatabaseError, match="dblp_docno_key"):
        distribution.undistribute(settings)
    assert distribution.state(distributed) is not None
    distributed.execute("DELETE FROM dblp WHERE id = 9003")
    distribution.undistribute(settings)


def _run(settings: Settings, *words: str) -> str:
    """Run a command of ``stc db``, and return what it prints."""
    env = {**os.environ, "STC_DSN": settings.dsn or "", "STC_DB": settings.db}
    done = subprocess.run(
        [sys.executable, "-m", "stcollection", *in_new_words(["db", *words])], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_commands(settings: Settings, conn: psycopg.Connection) -> None:
    if distribution.state(conn) is not None:
        distribution.undistribute(settings)
    told = _run(settings, "distribute", "--dry-run")
    assert "by document: dblp, " in told
    assert "dblp_facts_insert" in told
    assert "shards: 12; workers: 127.0.0.1:" in told
    assert distribution.state(conn) is None
    assert "shards on 3 workers" in _run(settings, "distribute", "--shards", "3")
    assert "9 tables in 3 shards on 3 servers, by Citus" in (status := _run(settings, "status"))
    assert "drift" not in status
    assert "back to this one" in _run(settings, "undistribute")
    with pytest.raises(BadArgument, match="0 shards"):
        distribution.distribute(settings, shards=0)


@pytest.mark.parametrize(
    ("prepare", "message", "hint"),
    [
        (None, "Citus is on the server, but not in the database", "CREATE EXTENSION citus"),
        ("CREATE EXTENSION citus", "Citus has no workers in the database", "citus_add_node"),
    ],
)
def test_what_the_cluster_lacks(
    cluster: Cluster, new_collection: Callable[[str | None], Settings], prepare: str | None, message: str, hint: str
) -> None:
    settings = new_collection(prepare)
    with pytest.raises(StateError, match=message) as error:
        distribution.distribute(settings)
    assert hint in (error.value.hint or "")
    assert distribution.plan(settings).obstacle is not None


@pytest.fixture
def new_collection(cluster: Cluster) -> Callable[[str | None], Settings]:
    """Returns a collection in a database of the coordinator alone, prepared by a statement."""

    def make(prepare: str | None) -> Settings:
        name = f"stc_alone_{'with' if prepare else 'without'}"
        with psycopg.connect(cluster.dsn(), autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {name} TEMPLATE template0".encode())
        if prepare:
            with psycopg.connect(cluster.dsn(name), autocommit=True) as conn:
                conn.execute(prepare.encode())
        settings = replace(Settings(db=name, home=cluster.folder, dsn=cluster.dsn(name)))
        upgrade(settings)
        return settings

    return make
