"""Systems that users add with add_system: search, runs, hybrid, the commands, and functions that cannot be systems."""

from __future__ import annotations

import hashlib

import psycopg
import pytest
from click.testing import CliRunner
from psycopg.types.json import Jsonb

from stcollection.cli import stc
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.retrieval.search import search, search_many
from stcollection.retrieval.systems import drop_system, needs_vector, systems
from stcollection.vectors.embed import embed
from tests import databases
from tests.text.documents import build, put
from tests.vectors.worlds import BagOfWords

SHORTEST = """
CREATE FUNCTION public.shortest(query text, k integer, filter jsonb DEFAULT NULL) RETURNS TABLE (doc bigint, score float)
LANGUAGE sql STABLE AS $$
    SELECT t.id, 1.0 / length(t.title) FROM dblp_text t
     WHERE t.title ILIKE '%' || query || '%' AND (filter IS NULL OR t.id = ANY (filter_docs(filter)))
$$
"""
NEAREST = """
CREATE FUNCTION public.nearest(text, integer, direction vector) RETURNS TABLE (doc bigint, score real) LANGUAGE sql STABLE AS
$$ SELECT v.id, -(v.title_v <#> direction) FROM dblp_v v ORDER BY v.title_v <#> direction LIMIT $2 $$
"""


@databases.world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    put(
        conn,
        {1: ("Voice assistants at home", "They listen."), 2: ("Voice", None), 3: ("Voice of America", "News."), 4: ("Graphs", "x")},
    )
    build(conn, "portable")
    embed(conn, model=BagOfWords(), fields=("title",))
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'voice'), ('q2', 'graphs'), ('q3', 'nothing')")
    for statement in (SHORTEST, NEAREST):
        conn.execute(statement.encode())
    conn.execute("SELECT add_system('mine', 'shortest(text, integer, jsonb)', 'shortest title')")
    conn.execute("SELECT add_system('near', 'nearest(text, integer, vector)')")
    return conn


def test_it_searches_like_the_others(filled: psycopg.Connection) -> None:
    assert [(one.doc, one.rank) for one in search(filled, "voice", system="mine")] == [(2, 1), (3, 2), (1, 3)]
    assert [one.doc for one in search(filled, "voice", system="mine", k=1)] == [2]
    assert [one.doc for one in search(filled, "voice", system="mine", filter={"docs": [1, 4]})] == [1]
    assert [row.docno for row in search_many(filled, ["voice", "graphs"], system="mine", k=1)] == ["2", "4"]
    assert search(filled, "nothing", system="mine") == []


def test_its_vector_is_the_query_s(filled: psycopg.Connection) -> None:
    model = BagOfWords()
    assert needs_vector(filled, "near")
    assert not needs_vector(filled, "mine", "bm25", "nope")
    assert search(filled, "graphs", system="near", k=1, model=model)[0].doc == 4
    assert model.seen == ["graphs"]
    with pytest.raises(BadArgument, match="takes no filter"):
        search(filled, "graphs", system="near", filter={"doc": [1]}, model=model)


def test_hybrid_fuses_it(filled: psycopg.Connection) -> None:
    fused = filled.execute("SELECT doc FROM hybrid_search('voice', 3, rankers => '{bm25,mine}')").fetchall()
    assert {doc for (doc,) in fused} == {1, 2, 3}
    with pytest.raises(psycopg.Error, match="there is no ranker yours"):
        filled.execute("SELECT doc FROM hybrid_search('voice', 3, rankers => '{bm25,yours}')")


def test_a_run_has_the_definition_of_the_function(filled: psycopg.Connection, settings: Settings) -> None:
    done = CliRunner().invoke(stc, ["run", "mine"], obj=settings)
    assert done.stdout == "mine: 4 documents for 2 queries\n"
    [(params,)] = filled.execute("SELECT params FROM st1_runs WHERE run = 'mine'").fetchall()
    definition = params["function"]["definition"]
    assert "1.0 / length(t.title)" in definition
    assert params["function"]["md5"] == hashlib.md5(definition.encode()).hexdigest()  # noqa: S324
    [(metadata,)] = filled.execute("SELECT stc.run_metadata('mine')").fetchall()
    assert "length(t.title)" in str(metadata)


def test_an_unfinished_run_begins_again_when_the_function_changes(filled: psycopg.Connection) -> None:
    state = "SELECT stc.run_state('mine')"
    before = filled.execute(state).fetchone()
    assert filled.execute(state).fetchone() == before
    filled.execute(SHORTEST.replace("CREATE", "CREATE OR REPLACE", 1).replace("1.0", "2.0").encode())
    assert filled.execute(state).fetchone() != before


def test_it_is_listed_and_removed(filled: psycopg.Connection, settings: Settings) -> None:
    [own] = [one for one in systems(filled) if one.system == "mine"]
    assert (own.title, own.maker, own.problem) == ("shortest title", "organisers", None)
    assert "public.shortest(text, integer, jsonb)" in CliRunner().invoke(stc, ["show", "systems"], obj=settings).stdout
    assert CliRunner().invoke(stc, ["drop", "system", "mine"], obj=settings).stdout == "mine: removed\n"
    with pytest.raises(UnknownObject, match="there is no system mine"):
        search(filled, "voice", system="mine")
    with pytest.raises(UnknownObject, match="the system bm25 was not added by you"):
        drop_system(filled, "bm25")
    with pytest.raises(UnknownObject, match="there is no system mine") as error:
        drop_system(filled, "mine")
    assert error.value.hint is not None
    assert "near" in error.value.hint


def test_without_its_function_the_error_says_so(filled: psycopg.Connection) -> None:
    filled.execute("DROP FUNCTION shortest")
    with pytest.raises(UnknownObject, match=r"the system mine cannot run: the function public.shortest.* does not exist"):
        search(filled, "voice", system="mine")
    assert [one.problem is None for one in systems(filled) if one.maker] == [False, True]
    assert search(filled, "voice", system="bm25")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("VALUES (1, 1.0), (1, 2.0)", "returns the document 1 twice"),
        ("VALUES (1, 1.0), (99, 2.0)", "returns the document 99, which does not exist"),
        ("VALUES (1, NULL::numeric)", "returns a row without doc or score"),
        ("VALUES (NULL::integer, 1.0)", "returns a row without doc or score"),
        ("VALUES (1, 'NaN'::numeric)", "returns a row without doc or score"),
    ],
)
def test_rows_that_are_no_ranking(filled: psycopg.Connection, rows: str, message: str) -> None:
    filled.execute(
        f"CREATE FUNCTION public.bad(text, integer) RETURNS TABLE (doc integer, score numeric) LANGUAGE sql AS '{rows}'".replace(
            "'NaN'", "''NaN''"
        ).encode()
    )
    filled.execute("SELECT add_system('bad', 'public.bad(text, integer)')")
    with pytest.raises(BadArgument, match=message):
        search(filled, "voice", system="bad")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("nowhere(text, integer)", "the function nowhere.text, integer. does not exist"),
        ("shortest", "the function shortest does not exist"),
        ("shortest(text, integer", "does not exist"),
        ("'; DROP TABLE dblp; --", "does not exist"),
        ("stc.check_k(integer)", "does not take a query and a number of documents"),
        ("my_team()", "does not take a query and a number of documents"),
        ("public.one(text, integer)", "does not return the columns doc and score"),
        ("public.more(text, integer, integer)", "the argument 3 of the function more.* has no meaning"),
        ("pg_temp.short(text, integer)", "is temporary"),
    ],
)
def test_functions_that_cannot_be_systems(filled: psycopg.Connection, function: str, message: str) -> None:
    rows = "RETURNS TABLE (doc bigint, score float) LANGUAGE sql AS 'SELECT 1, 1.0'"
    filled.execute("CREATE FUNCTION public.one(text, integer) RETURNS SETOF bigint LANGUAGE sql AS 'SELECT 1'")
    filled.execute(f"CREATE FUNCTION public.more(text, integer, x integer) {rows}".encode())
    filled.execute(f"CREATE FUNCTION pg_temp.short(text, integer) {rows}".encode())
    with pytest.raises(psycopg.Error, match=message) as error:
        filled.execute("SELECT add_system('other', %s)", [function])
    assert error.value.diag.message_hint


@pytest.mark.parametrize("name", ["", "two words", "a:b", "a,b", "1st", "x" * 41, "bm25", "hybrid", "dense-mine", "title", None])
def test_names_that_cannot_be_used(filled: psycopg.Connection, name: str | None) -> None:
    with pytest.raises(psycopg.Error, match=r"cannot be|is taken") as error:
        filled.execute("SELECT add_system(%s, 'shortest(text, integer, jsonb)')", [name])
    assert (error.value.sqlstate, error.value.diag.message_hint is None) == ("IR202", False)


def test_checks_before_a_run(filled: psycopg.Connection) -> None:
    filled.execute("SELECT stc.check_system('mine')")
    filled.execute("ALTER FUNCTION shortest SECURITY DEFINER")
    with pytest.raises(psycopg.Error, match="security definer"):
        filled.execute("SELECT stc.check_system('mine')")
    with pytest.raises(StateError, match="security definer"):
        search(filled, "voice", system="mine")


def test_adding_a_name_again_replaces_it(filled: psycopg.Connection) -> None:
    filled.execute("SELECT add_system('mine', 'bm25_search(text, integer, jsonb, text)')")
    assert search(filled, "voice", system="mine") == search(filled, "voice", system="bm25")
    assert filled.execute("SELECT count(*) FROM stc.own_systems WHERE system = 'mine'").fetchone() == (1,)
    narrowed = filled.execute("SELECT doc FROM system_search('voice', 'mine', 9, NULL, %s)", [Jsonb({"docs": [3]})]).fetchall()
    assert narrowed == [(3,)]
