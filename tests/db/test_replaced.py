"""Functions of the collection that a user replaces with a printed statement, or gives a second signature."""

from __future__ import annotations

import subprocess
import sys

import psycopg
import pytest

from stcollection.db.check import problems
from stcollection.db.connection import connect
from stcollection.db.objects import drift, read, sync
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from tests.acceptance.conftest import environment
from tests.qrels.test_printed_statements import KNN, VIEW

pytestmark = pytest.mark.slow

NAME = "public.dblp_knn_title(vector,numeric,double precision)"
REPLACES = KNN.replace("CREATE FUNCTION ", "CREATE OR REPLACE FUNCTION public.")


def psql(settings: Settings, *options: str, text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "stcollection", "psql", *options, "--", "-Xq", "-f", "-"],
        input=text, env=environment(settings), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def source(settings: Settings, schema: str) -> str:
    with connect(settings) as conn:
        [(body,)] = conn.execute(
            "SELECT prosrc FROM pg_proc WHERE proname = 'dblp_knn_title' AND pronamespace = %s::regnamespace", [schema]
        )
    return str(body)


def test_in_a_schema_of_the_user_s_own_it_is_moved_there(settings: Settings, conn: psycopg.Connection) -> None:
    before = source(settings, "public")
    done = psql(settings, "--schema", "mine", text=REPLACES)
    assert done.returncode == 0, done.stderr
    assert f"{NAME} is the collection's own again; yours is in the schema mine" in done.stderr
    assert "enable_seqscan = off" in source(settings, "mine")
    assert source(settings, "public") == before
    assert problems(conn) == []
    again = psql(settings, "--schema", "mine", text="SELECT 1;")
    assert "note" not in again.stderr


def test_what_the_owner_replaces_is_named_until_it_is_restored(settings: Settings, conn: psycopg.Connection) -> None:
    before = source(settings, "public")
    done = psql(settings, "--owner", text=REPLACES)
    assert f"stc --db {settings.db} db upgrade --force" in done.stderr
    assert [(one.problem, one.relation) for one in problems(conn)] == [("replaced", NAME)]
    [said] = upgrade(settings).code
    assert NAME in said
    assert "upgrade --force" in said
    # An upgrade that changes other files leaves it alone.
    conn.execute("UPDATE public.stc_objects SET fingerprint = '' WHERE file = 'vectors/knn.sql'")
    with conn.transaction():
        assert sync(conn, read()) == 1
    assert drift(conn) == ["vectors/dblp_knn_title.sql"]
    assert upgrade(settings, force=True).code == ()
    assert source(settings, "public") == before
    assert problems(conn) == []


def test_another_signature_in_public_is_named(settings: Settings, conn: psycopg.Connection) -> None:
    theirs = "public.dblp_knn_title(v_query vector, nb integer, sc real)"
    conn.execute(f"CREATE FUNCTION {theirs} RETURNS TABLE (id bigint) LANGUAGE sql RETURN 1::bigint".encode())
    [found] = problems(conn)
    assert (found.problem, found.relation) == ("same name", "dblp_knn_title(vector,integer,real)")
    assert len(upgrade(settings).code) == 1
    conn.execute("CREATE SCHEMA mine")
    conn.execute(found.advice.partition(": ")[2].encode())
    assert problems(conn) == []


def test_a_dropped_function_is_named(settings: Settings, conn: psycopg.Connection) -> None:
    conn.execute("DROP FUNCTION dblp_knn_title")
    assert [(one.problem, one.relation) for one in problems(conn)] == [("replaced", NAME)]


def test_the_error_names_the_way(settings: Settings, conn: psycopg.Connection) -> None:
    hint = "'stc psql --schema mine' creates your own in the schema mine"
    done = psql(settings, text=f"{VIEW}; {VIEW.replace('VIEW st1', 'VIEW public.st1')}; {REPLACES};")
    assert (done.stderr.count("ERROR"), done.stderr.count(hint)) == (3, 3), done.stderr
    owner = psql(settings, "--owner", text=f"{VIEW};")
    assert "already exists" in owner.stderr
    assert hint in owner.stderr
    function = "CREATE OR REPLACE FUNCTION qdblp_v_title(number bigint) RETURNS"
    query = "SELECT title_v FROM dblp_v WHERE id = number"
    changes = (
        (f"{function} vector LANGUAGE sql AS '{query}'", "cannot change name of input parameter"),
        (f"{function.replace('number', 'doc')} text LANGUAGE sql AS 'SELECT NULL::text'", "cannot change return type"),
        ("CREATE OR REPLACE VIEW st1_qrels_train_knn AS SELECT topic, query FROM st1_qrels_train", "cannot drop columns from view"),
    )
    told = psql(settings, "--owner", text=";".join([*(statement for statement, _ in changes), ""])).stderr
    assert [error in told for _, error in changes] == [True] * 3, told
    assert told.count(hint) == 3, told
    for options in ((), ("--owner",)):
        assert hint not in psql(settings, *options, text="SELECT * FROM nowhere;").stderr
    assert psql(settings, "--schema", "mine", text=f"{VIEW};").stderr == ""
