"""A system runs with the rights of the caller: nobody can make another role run code that it has no reason to trust."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from stcollection.db.members import drop_member
from stcollection.errors import UnknownObject
from stcollection.retrieval import crossencoder
from stcollection.retrieval.run import run
from stcollection.retrieval.search import search
from tests.roles.worlds import Login, collection
from tests.text.documents import build

_ = collection

ROWS = "RETURNS TABLE (doc bigint, score float) LANGUAGE sql AS 'SELECT 1::bigint, 1.0::float'"
SEARCH = "SELECT doc FROM system_search('x', %s, 3)"


def own(conn: psycopg.Connection, name: str = "mine", more: str = "") -> str:
    """Create a function in the schema of the login, and return its name."""
    function = f'"{conn.info.user}".{name}_f'
    conn.execute(f"CREATE OR REPLACE FUNCTION {function}(text, integer) {ROWS} {more}".encode())
    return f"{function}(text, integer)"


def refused(conn: psycopg.Connection, statement: str, *values: object) -> psycopg.Error:
    with pytest.raises(psycopg.Error) as error:
        conn.execute(statement.encode(), values)
    return error.value


def test_a_participant_adds_a_system_only_for_himself(collection: psycopg.Connection, login: Login) -> None:
    red, other, organiser, reader = login(), login(), login("organiser"), login("reader")
    red.execute("SELECT add_system('mine', %s)", [own(red)])
    assert red.execute(SEARCH, ["mine"]).fetchall() == [(1,)]
    assert red.execute("SELECT queries FROM make_run('made', 'mine', team => 'red')").fetchone() == (24,)
    for conn in (other, organiser, reader, collection):
        assert conn.execute("SELECT count(*) FROM systems WHERE maker IS NOT NULL").fetchone() == (0,)
        assert refused(conn, SEARCH, "mine").sqlstate == "IR107"
    assert other.execute("SELECT count(*) FROM stc.own_systems").fetchone() == (0,)
    assert refused(reader, "SELECT add_system('mine', 'bm25_search(text, integer, jsonb, text)')").sqlstate == "IR410"


def test_a_row_of_another_maker_cannot_be_stored(collection: psycopg.Connection, login: Login) -> None:
    red = login()
    function = own(red)
    for maker in (None, "postgres", "stc_organiser"):
        assert refused(red, "INSERT INTO stc.own_systems (system, maker, function) VALUES ('mine', %s, %s)", maker, function)
    red.execute("INSERT INTO stc.own_systems (system, maker, function) VALUES ('boolean', current_user, %s)", [function])
    assert red.execute("SELECT function FROM systems WHERE system = 'boolean'").fetchall() == [("boolean_search",)]
    assert red.execute(SEARCH, ["boolean"]).fetchall() != [(1,)]


def test_others_cannot_remove_it(collection: psycopg.Connection, login: Login) -> None:
    red, other, organiser = login(), login(), login("organiser")
    red.execute("SELECT add_system('mine', %s)", [own(red)])
    organiser.execute("SELECT add_system('ours', 'bm25_search(text, integer, jsonb, text)')")
    [(key,)] = red.execute("SELECT id FROM stc.own_systems WHERE system = 'mine'").fetchall()
    [(shared,)] = red.execute("SELECT id FROM stc.own_systems WHERE system = 'ours'").fetchall()
    for number in (key, shared):
        assert refused(other, "INSERT INTO stc.removals VALUES ('system', %s)", number)
    assert red.execute("SELECT stc.drop_system('ours')").fetchone() == (0,)
    assert "for everybody" in str(refused(red, "SELECT add_system('ours', %s)", own(red)))
    assert red.execute("SELECT stc.drop_system('mine')").fetchone() == (1,)
    assert organiser.execute("SELECT stc.drop_system('ours')").fetchone() == (1,)


def test_code_of_a_participant_runs_for_nobody_else(collection: psycopg.Connection, login: Login) -> None:
    red, organiser = login(), login("organiser")
    function = own(red)
    red.execute(f'GRANT USAGE ON SCHEMA "{red.info.user}" TO PUBLIC'.encode())
    for conn in (organiser, collection):
        error = refused(conn, "SELECT add_system('mine', %s)", function)
        assert (error.sqlstate, "would run with the rights of" in str(error)) == ("IR410", True)
        conn.execute("INSERT INTO stc.own_systems (system, function) VALUES ('mine', %s)", [function])  # as a dump would
        assert refused(conn, SEARCH, "mine").sqlstate == "IR410"
        assert refused(conn, "SELECT * FROM make_run('x', 'mine')").sqlstate == "IR410"
        assert refused(conn, "SELECT * FROM hybrid_search('x', 3, rankers => '{mine}')").sqlstate == "IR410"
        conn.execute("DELETE FROM stc.own_systems")


def test_a_trusted_function_cannot_be_exchanged(collection: psycopg.Connection, login: Login) -> None:
    """The owner of a schema drops the function of an organiser in it and creates another; or creates an overload."""
    red, organiser = login(), login("organiser")
    red.execute(f'GRANT USAGE, CREATE ON SCHEMA "{red.info.user}" TO "{organiser.info.user}"'.encode())
    function = f'"{red.info.user}".f(text, integer)'
    organiser.execute(f'CREATE FUNCTION "{red.info.user}".f(text, integer) {ROWS}'.encode())
    assert refused(organiser, "SELECT add_system('mine', %s)", function).sqlstate == "IR410"

    shared = own(organiser, "ours")
    organiser.execute("SELECT add_system('ours', %s)", [shared])
    organiser.execute(f'GRANT USAGE ON SCHEMA "{organiser.info.user}" TO stc_participant'.encode())
    assert red.execute(SEARCH, ["ours"]).fetchall() == [(1,)]
    organiser.execute(f'GRANT CREATE ON SCHEMA "{organiser.info.user}" TO "{red.info.user}"'.encode())
    red.execute(f'CREATE FUNCTION "{organiser.info.user}".ours_f(text, bigint) {ROWS}'.encode())
    for conn in (organiser, login()):
        assert refused(conn, SEARCH, "ours").sqlstate == "IR410"
    assert red.execute(SEARCH, ["ours"]).fetchall() == [(1,)]


def test_an_organiser_s_function_does_not_run_for_an_owner(collection: psycopg.Connection, login: Login) -> None:
    organiser = login("organiser")
    organiser.execute("SELECT add_system('ours', %s)", [own(organiser)])
    assert organiser.execute(SEARCH, ["ours"]).fetchall() == [(1,)]
    assert refused(collection, SEARCH, "ours").sqlstate == "IR410"
    [(problem,)] = collection.execute("SELECT problem FROM systems WHERE system = 'ours'").fetchall()
    assert organiser.info.user in problem


def test_a_definer_function_is_refused(collection: psycopg.Connection, login: Login) -> None:
    red, organiser = login(), login("organiser")
    for conn in (red, organiser):
        assert "security definer" in str(refused(conn, "SELECT add_system('mine', %s)", own(conn, more="SECURITY DEFINER")))
    organiser.execute("SELECT add_system('ours', %s)", [own(organiser, "ours")])
    own(organiser, "ours", "SECURITY DEFINER")
    organiser.execute(f'GRANT USAGE ON SCHEMA "{organiser.info.user}" TO stc_participant'.encode())
    assert refused(red, SEARCH, "ours").sqlstate == "IR410"


def test_a_system_sees_what_its_caller_sees(collection: psycopg.Connection, login: Login) -> None:
    """The judged documents of hidden editions: an organiser's system returns them to organisers only."""
    red, organiser = login(), login("organiser")
    schema = f'"{organiser.info.user}"'
    organiser.execute(
        f"CREATE FUNCTION {schema}.oracle(query text, k integer) RETURNS TABLE (doc bigint, score float) LANGUAGE sql AS"
        " $$ SELECT j.doc, max(j.rel)::float FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition"
        "     WHERE e.edition = 'test' AND j.rel > 0 GROUP BY j.doc LIMIT $2 $$".encode()
    )
    organiser.execute(f"GRANT USAGE ON SCHEMA {schema} TO stc_participant".encode())
    organiser.execute("SELECT add_system('oracle', %s)", [f"{schema}.oracle(text, integer)"])
    assert len(organiser.execute(SEARCH, ["oracle"]).fetchall()) == 3
    assert red.execute(SEARCH, ["oracle"]).fetchall() == []


def test_a_search_leaves_nothing_behind(collection: psycopg.Connection, login: Login) -> None:
    """Settings and rows that a function changes are undone: the page, pooled connections and make_run go on with theirs."""
    red, organiser = login(), login("organiser")
    schema = f'"{organiser.info.user}"'
    organiser.execute(
        f"CREATE FUNCTION {schema}.evil(query text, k integer) RETURNS TABLE (doc bigint, score float) LANGUAGE plpgsql AS $$"
        " BEGIN"
        "   PERFORM set_config('search_path', 'pg_temp', false), set_config('statement_timeout', '0', false),"
        "           set_config('default_transaction_read_only', 'off', false);"
        "   CREATE TEMP TABLE left_behind ();"
        "   RETURN QUERY SELECT 1::bigint, 1.0::float;"
        " END $$".encode()
    )
    organiser.execute(f"GRANT USAGE ON SCHEMA {schema} TO stc_participant".encode())
    organiser.execute("SELECT add_system('evil', %s)", [f"{schema}.evil(text, integer)"])
    for conn in (red, organiser):
        conn.execute("SET statement_timeout = '10s'")
        state = "SELECT current_setting('search_path'), current_setting('statement_timeout'), to_regclass('pg_temp.left_behind')"
        before = conn.execute(state.encode()).fetchone()
        assert conn.execute(SEARCH, ["evil"]).fetchall() == [(1,)]
        assert conn.execute("SELECT doc FROM hybrid_search('x', 3, rankers => '{evil}')").fetchall() == [(1,)]
        assert conn.execute(state.encode()).fetchone() == before


def test_a_removed_user_leaves_no_system_and_no_unfinished_run(collection: psycopg.Connection, login: Login) -> None:
    red, blue = login(), login(team="blue")
    name = red.info.user
    red.execute("SELECT add_system('mine', %s)", [own(red)])
    for conn in (red, blue):
        conn.execute(
            "INSERT INTO stc.unfinished_runs (run, maker, params, state, queries) VALUES ('half', current_user, '{}', '{}', 2)"
        )
    drop_member(collection, name)
    assert collection.execute("SELECT count(*) FROM stc.own_systems WHERE maker = %s", [name]).fetchone() == (0,)
    assert collection.execute("SELECT maker FROM stc.unfinished_runs").fetchall() == [(blue.info.user,)]


def test_errors_of_a_function_are_its_own(collection: psycopg.Connection, login: Login) -> None:
    red = login()
    red.execute(
        f'CREATE FUNCTION "{red.info.user}".fails(text, integer) RETURNS TABLE (doc bigint, score float) LANGUAGE plpgsql AS'
        " $$ BEGIN RAISE transaction_rollback USING MESSAGE = 'mine'; END $$".encode()
    )
    red.execute("SELECT add_system('fails', 'fails(text, integer)')")
    error = refused(red, SEARCH, "fails")
    assert (error.sqlstate, "mine" in str(error)) == ("40000", True)


def test_a_system_in_a_closed_schema_hides_no_other(collection: psycopg.Connection, login: Login) -> None:
    """PostgreSQL raises an error for a name in a schema that the role may not use."""
    organiser = login("organiser")
    organiser.execute("SELECT add_system('ours', %s)", [own(organiser, "ours")])
    for conn in (login(), login("reader"), login("organiser")):
        listed = {str(system): problem for system, problem in conn.execute("SELECT system, problem FROM systems").fetchall()}
        assert len(listed) > 10
        assert "may not use the schema of the function" in listed["ours"]
        assert refused(conn, SEARCH, "ours").sqlstate == "IR410"
        assert refused(conn, SEARCH, "nothing").sqlstate == "IR107"


@pytest.mark.parametrize("title", ["", " x", "a\x1b[2Jb", "two\nlines", "x" * 201])
def test_a_title_is_one_line(collection: psycopg.Connection, login: Login, title: str) -> None:
    red = login()
    assert refused(red, "SELECT add_system('mine', %s, %s)", own(red), title).sqlstate == "IR202"


@pytest.mark.parametrize("function", ["a.b.c.f(text)", "f(text text, integer)", "f(text[1.5])", "f(select)", "f(", ""])
def test_a_row_that_cannot_be_read_hides_no_other(collection: psycopg.Connection, login: Login, function: str) -> None:
    """A row that an organiser or a dump stored without add_system."""
    red, organiser = login(), login("organiser")
    organiser.execute("INSERT INTO stc.own_systems (system, function) VALUES ('bad', %s)", [function])
    red.execute("SELECT add_system('mine', %s)", [own(red)])
    assert red.execute("SELECT system FROM systems WHERE maker IS NOT NULL AND problem IS NULL").fetchall() == [("mine",)]
    assert refused(red, SEARCH, "bad").sqlstate == "IR107"
    assert refused(red, "SELECT add_system('bad2', %s)", function).sqlstate == "IR107"
    organiser.execute("SELECT stc.drop_system('bad')")


FUSED = "stc.fused_search(text, integer, vector, jsonb, text, text)"
ONE = {"weights": {"mine": 1}, "method": "sum", "norm": "zscore", "constant": 60, "vector": False}


def test_stages_and_weights_are_only_for_their_maker(collection: psycopg.Connection, login: Login) -> None:
    """No other role can search by them, run them, use them as a stage or tune with them, whatever their name is."""
    red, other, organiser = login(), login(), login("organiser")
    red.execute("SELECT add_system('mine', %s)", [own(red)])
    red.execute("SELECT add_system('staged', 'mine 10 >> dense 5')")
    red.execute("SELECT add_system('tuned', %s, NULL, %s)", [FUSED, Jsonb(ONE)])
    assert red.execute(SEARCH, ["tuned"]).fetchall() == [(1,)]
    assert red.execute("SELECT ranking FROM stc.search_parts('x', '{1}', system => 'tuned')").fetchall() == [("mine",)]
    for conn in (other, organiser, collection):
        for name in ("staged", "tuned"):
            assert refused(conn, SEARCH, name).sqlstate == "IR107"
            assert refused(conn, "SELECT * FROM make_run('x', %s)", name).sqlstate == "IR107"
            assert refused(conn, "SELECT add_system('theirs', %s)", f"{name} 10 >> dense 5").sqlstate == "IR107"
            assert conn.execute("SELECT (stc.own_system(%s)).call", [name]).fetchone() == (None,)
        assert conn.execute("SELECT * FROM stc.search_parts('x', '{1}', system => 'tuned')").fetchall() == []
    organiser.execute("SELECT add_system('staged', %s)", [own(organiser, "staged")])  # a name of red, too
    organiser.execute("SELECT add_system('more', 'staged 10 >> dense 5')")
    shared = collection.execute("SELECT function, problem FROM systems WHERE system = 'more'").fetchall()
    assert [function for function, _ in shared] == ["staged 10 >> dense 5"]


def test_weights_of_an_organiser_call_only_functions_of_the_caller(collection: psycopg.Connection, login: Login) -> None:
    """A shared fusion names a ranker that participants have: each runs their own, and an organiser none of them."""
    red, blue, organiser = login(), login(team="blue"), login("organiser")
    for conn in (red, blue):
        conn.execute("SELECT add_system('mine', %s)", [own(conn)])
    assert "there is no ranker 'mine'" in str(refused(organiser, "SELECT add_system('ours', %s, NULL, %s)", FUSED, Jsonb(ONE)))
    organiser.execute("INSERT INTO stc.own_systems (system, function, fusion) VALUES ('ours', %s, %s)", [FUSED, Jsonb(ONE)])
    assert red.execute(SEARCH, ["ours"]).fetchall() == blue.execute(SEARCH, ["ours"]).fetchall() == [(1,)]
    for conn in (organiser, collection):
        assert "ours cannot run: there is no ranker 'mine'" in str(refused(conn, SEARCH, "ours"))
        assert conn.execute("SELECT problem FROM systems WHERE system = 'ours'").fetchone() == ("there is no ranker 'mine'",)


def test_a_fusion_sees_what_its_caller_sees(collection: psycopg.Connection, login: Login) -> None:
    """Runs of other teams and judgments of hidden editions are as unknown as names that do not exist."""
    build(collection, "portable")
    red, organiser = login(), login("organiser")
    fusion = "SELECT stc.add_fusion('ours', %s, '{}', 'sum', 'zscore', 60, %s)"
    train = Jsonb({"edition": "train"})
    for name in ("blue1", "none"):
        assert refused(red, fusion, ["base", name], train).sqlstate == "IR101"
    for edition in ("test", "none"):
        assert refused(red, fusion, ["base", "red1"], Jsonb({"edition": edition})).sqlstate == "IR102"
        judged = Jsonb({"judged": edition})
        assert refused(red, "SELECT * FROM system_search('paper', 'bm25', 3, filter => %s)", judged).sqlstate == "IR102"
    assert "must not be tuned on it" in str(refused(organiser, fusion, ["base", "red1"], Jsonb({"edition": "test"})))
    assert red.execute("SELECT count(*) FROM stc.own_systems").fetchone() == (0,)


FUSIONS: tuple[dict[str, Any], ...] = (
    {},
    {"weights": [1]},
    {"weights": "bm25"},
    {"weights": {"bm25": "x"}, "method": "sum", "norm": "zscore", "constant": 60},
    {"weights": {"bm25": 1}, "method": "x", "norm": "x", "constant": 60},
    {"weights": {"bm25": 1}, "method": "sum", "norm": "zscore", "constant": "x"},
    {"weights": {"x') UNION SELECT 1, 1, 1 --": 1}, "method": "sum", "norm": "zscore", "constant": 60},
)


@pytest.mark.parametrize("fusion", FUSIONS, ids=str)
def test_weights_that_cannot_be_read_hide_no_system(collection: psycopg.Connection, login: Login, fusion: dict[str, Any]) -> None:
    """Rows that a dump or a participant stored without add_fusion."""
    red, organiser = login(), login("organiser")
    row = "INSERT INTO stc.own_systems (system, maker, function, fusion) VALUES ('bad', {}, %s, %s)"
    bad = Jsonb({"vector": "x"} | fusion)
    organiser.execute(row.format("NULL").encode(), [FUSED, bad])
    [(name, problem)] = red.execute("SELECT system, problem FROM systems WHERE maker IS NOT NULL").fetchall()
    assert (name, problem is None) == ("bad", "UNION" not in str(fusion))
    assert refused(red, "SELECT doc FROM system_search('x', 'bad', 3, '[1]')").sqlstate in ("IR107", "IR202")
    organiser.execute("UPDATE stc.own_systems SET function = %s", [own(organiser)])  # weights of a function that has none
    assert organiser.execute(SEARCH, ["bad"]).fetchall() == [(1,)]
    organiser.execute("SELECT stc.drop_system('bad')")
    red.execute(row.format("current_user").encode(), [FUSED, bad])
    for conn in (red, login(), organiser, collection):
        assert len(conn.execute("SELECT system FROM systems").fetchall()) > 10


def test_a_system_that_uses_itself_is_refused(collection: psycopg.Connection, login: Login) -> None:
    """When it is stored, by its rankers or its first stage; when it is run, if it was stored without add_system."""
    red, organiser = login(), login("organiser")
    organiser.execute("SELECT add_system('mine', %s)", [own(organiser)])
    organiser.execute(f'GRANT USAGE ON SCHEMA "{organiser.info.user}" TO stc_participant'.encode())
    organiser.execute("SELECT add_system('tuned', %s, NULL, %s)", [FUSED, Jsonb(ONE)])
    red.execute("SELECT add_system('staged', 'tuned 10 >> dense 5')")

    def fuse(conn: psycopg.Connection, system: str, ranker: str) -> str:
        values = system, FUSED, Jsonb(ONE | {"weights": {"bm25": 1, ranker: 1}})
        error = refused(conn, "SELECT add_system(%s, %s, NULL, %s)", *values)
        assert error.sqlstate == "IR202"
        return str(error.diag.message_primary)

    assert fuse(red, "loop", "loop") == "loop uses itself (loop > loop)"
    assert fuse(red, "staged", "staged:minilm") == "staged uses itself (staged > staged)"
    red.execute("SELECT add_system('outer', %s, NULL, %s)", [FUSED, Jsonb(ONE | {"weights": {"staged": 1}})])
    assert fuse(red, "staged", "outer") == "staged uses itself (staged > outer > staged)"
    for stages in ("outer >> dense", " outer : minilm >> dense", "outer 10>>dense 5"):
        error = refused(red, "SELECT add_system('staged', %s)", stages)
        assert "staged uses itself (staged > outer > staged)" in str(error)
    assert red.execute("SELECT function FROM systems WHERE system = 'staged'").fetchone() == ("tuned 10 >> dense 5",)

    organiser.execute("UPDATE stc.own_systems SET fusion = %s WHERE system = 'tuned'", [Jsonb(ONE | {"weights": {"outer": 1}})])
    for system in ("outer", "staged", "tuned"):
        assert "uses itself (" in str(refused(red, SEARCH, system))
    assert red.execute("SELECT problem FROM systems WHERE system = 'tuned'").fetchall() == [
        ("tuned uses itself (tuned > outer > staged > tuned)",)
    ]
    organiser.execute("UPDATE stc.own_systems SET fusion = %s WHERE system = 'tuned'", [Jsonb(ONE)])
    organiser.execute("SELECT stc.drop_system('mine')")
    assert "tuned cannot run: there is no ranker 'mine'" in str(refused(red, SEARCH, "tuned"))
    assert "tuned cannot run: there is no ranker 'mine'" in str(refused(red, SEARCH, "outer"))


def test_each_system_is_visited_once(collection: psycopg.Connection, login: Login) -> None:
    """A participant's systems of which each uses all later ones have 2^38 paths."""
    red = login()
    names = [f"s{number:02}" for number in range(40)]
    rows = [(name, FUSED, Jsonb(ONE | {"weights": dict.fromkeys([*names[at + 1 :], "bm25"], 1)})) for at, name in enumerate(names)]
    row = "INSERT INTO stc.own_systems (system, maker, function, fusion) VALUES (%s, current_user, %s, %s)"
    red.cursor().executemany(row, rows)
    red.execute("SET statement_timeout = '60s'")
    assert red.execute("SELECT DISTINCT problem FROM systems").fetchall() == [(None,)]
    assert red.execute("SELECT stc.system_cycle('s39', %s, %s)", [FUSED, Jsonb(ONE | {"weights": {"s00": 1}})]).fetchall() == [
        ("s39 > s00 > s39",)
    ]


def test_stages_without_their_system_hide_no_other(collection: psycopg.Connection, login: Login) -> None:
    """The system of the first stage is dropped, or stages name themselves or each other."""
    red, organiser = login(), login("organiser")
    organiser.execute("SELECT add_system('first', %s)", [own(organiser)])
    organiser.execute("SELECT add_system('staged', 'first 10 >> dense 5')")
    organiser.execute("SELECT stc.drop_system('first')")
    row = "INSERT INTO stc.own_systems (system, function) VALUES (%s, %s)"
    organiser.cursor().executemany(row, [("a", "b 10 >> dense 5"), ("b", "a 10 >> dense 5"), ("c", "c 10 >> dense 5")])
    for conn in (red, organiser, collection):
        problems: dict[str, str] = dict(conn.execute("SELECT system, problem FROM systems WHERE maker IS NOT NULL").fetchall())
        assert problems == {
            "staged": "there is no system first",
            "a": "a uses itself (a > b > a)",
            "b": "b uses itself (b > a > b)",
            "c": "c uses itself (c > c)",
        }
        assert refused(conn, SEARCH, "staged").sqlstate == "IR107"
        assert refused(conn, SEARCH, "a").sqlstate == "IR202"


@pytest.mark.parametrize("name", ["/etc", "/etc/passwd", "../../etc", "~root", ".", "//server/share"])
def test_a_stage_reads_no_file_of_this_machine(
    collection: psycopg.Connection, login: Login, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Not for its maker on the page, nor for an organiser whose collection was restored from a dump."""
    build(collection, "portable")
    monkeypatch.setattr(crossencoder, "fingerprint", lambda folder: pytest.fail(f"{folder} was read"))
    red, organiser = login(), login("organiser")
    red.execute("SELECT add_system('mine', %s)", [f"bm25 10 >> cross-encoder:{name} 5"])
    organiser.execute("SELECT add_system('ours', %s)", [f"bm25 10 >> cross-encoder:{name} 5"])
    for conn, system in ((red, "mine"), (red, "ours"), (organiser, "ours"), (collection, "ours")):
        with pytest.raises(UnknownObject, match="STC_MODEL_FOLDERS does not allow it"):
            search(conn, "x", system=system)
        with pytest.raises(UnknownObject, match="STC_MODEL_FOLDERS does not allow it"):
            run(conn, system=system, name="x")
    with pytest.raises(UnknownObject, match="there is no system mine"):
        run(organiser, system="mine", name="x")
