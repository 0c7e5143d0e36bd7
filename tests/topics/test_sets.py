"""Sets of queries: their grammar, stored sets, the rights to store them, and their effect in each command."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from stcollection.db.settings import Settings
from stcollection.db.stored import stored_names
from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject
from stcollection.names import is_name
from stcollection.topics.sets import drop_set, expression, members, query_sets, store_set
from tests.groups import topics
from tests.roles.worlds import Login, login  # noqa: F401

ORIGINS = {"G01.1": "human", "G01.C1": "human", "G02.1": "human", "G02.C1": "gpt-4", "G1.9": "t5", "a-b": "t5", "x,y": "t5"}
TEXTS = {"G01.1": "voice", "G01.C1": "how do assistants hear", "G02.1": "what is a game", "G02.C1": "games", "G1.9": "is it safe"}
LONG = ["G01.C1", "G02.C1"]
EVERY = sorted(ORIGINS, key=str.encode)


@pytest.fixture
def queries(conn: psycopg.Connection) -> psycopg.Connection:
    for topic in ("G01", "G02", "G1"):
        conn.execute("INSERT INTO st1_topics (topic) VALUES (%s)", [topic])
    for name, origin in ORIGINS.items():
        conn.execute(
            "INSERT INTO stc.st1_queries (query, text, origin, topic)"
            " VALUES (%s, %s, %s, (SELECT id FROM st1_topics WHERE topic = split_part(%s, '.', 1)))",
            [name, TEXTS.get(name), origin, name],
        )
    return conn


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ("all", EVERY),
        ("G01.1", ["G01.1"]),
        ("G02.1, G01.1", ["G01.1", "G02.1"]),
        ("G01.1,G01.1", ["G01.1"]),
        ("origin:gpt-4", ["G02.C1"]),
        ("gpt-4", ["G02.C1"]),
        ("human", ["G01.1", "G01.C1", "G02.1"]),
        ("synthetic", ["G02.C1", "G1.9", "a-b", "x,y"]),
        ("origin:*", EVERY),
        ("type:long", LONG),
        ("long", LONG),
        ("type:question-word", ["G01.C1", "G02.1"]),
        ("type:question*", ["G01.C1", "G02.1"]),
        ("yes-no", ["G1.9"]),
        ("topic:G0*", ["G01.1", "G01.C1", "G02.1", "G02.C1"]),
        ("topic:G1", ["G1.9"]),
        ("topic: G01", ["G01.1", "G01.C1"]),
        ("*.C1", LONG),
        ("long+t5", ["G01.C1", "G02.C1", "G1.9", "a-b", "x,y"]),
        ("all-t5-gpt-4", ["G01.1", "G01.C1", "G02.1"]),
        ("all - gpt-4 - t5", ["G01.1", "G01.C1", "G02.1"]),
        ("all-G01.1,G02.1,t5", LONG),
        ("gpt-4-long+long", LONG),
        ("a-b", ["a-b"]),
        ("t5-a-b", ["G1.9", "x,y"]),
        ("all-a-b-t5", ["G01.1", "G01.C1", "G02.1", "G02.C1"]),
        ("x,y", ["x,y"]),
        ('G01.1,"x,y"', ["G01.1", "x,y"]),
        ('"a-b"', ["a-b"]),
        ('t5 - "a-b" - "x,y"', ["G1.9"]),
        ('t5-"origin:gpt-4"-"x,y"', ["G1.9", "a-b"]),
        ("G01.1\nG02.1".replace("\n", ",\n"), ["G01.1", "G02.1"]),
    ],
)
def test_an_expression_names_these_queries(queries: psycopg.Connection, spec: str, found: list[str]) -> None:
    assert members(queries, spec) == found


@pytest.mark.parametrize(
    ("spec", "part", "hint"),
    [
        ("lonng", "'lonng'", "'long'"),
        ("lonng-t5", "'lonng'", "'long'"),
        ("all-gpt-5", "'gpt-5'", "'gpt-4'"),
        ("all,MS-99", "'MS-99'", "stc show sets"),
        ("topic:G0", "'topic:G0'", "'topic:G0"),
        ("origin:gtp-4", "'origin:gtp-4'", "origin:gpt-4"),
        ("type:kyword", "'type:kyword'", "type:keyword"),
        ("type:phrase", "'type:phrase'", "stc show sets"),
        ('"a+b"', "'a+b'", "'a-b'"),
        ("topic:", "'topic:'", "stc show sets"),
        ("@ids.txt", "'@ids.txt'", "Python"),
        ("human-all", "'human-all' contains no query", "Remove fewer"),
    ],
)
def test_the_part_that_names_nothing_is_reported(queries: psycopg.Connection, spec: str, part: str, hint: str) -> None:
    with pytest.raises(UnknownObject, match=part.replace("+", r"\+")) as error:
        members(queries, spec)
    assert hint in (error.value.hint or "")


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("all-", "a name is missing"),
        ("+all", "a name is missing"),
        ("all,,t5", "a name is missing"),
        ('t5"a-b"', "an operator is missing"),
        ('"a-b" t5', "an operator is missing"),
        ('"a-b', "a name is missing"),
    ],
)
def test_an_incomplete_expression_is_refused(queries: psycopg.Connection, spec: str, what: str) -> None:
    with pytest.raises(BadArgument, match=what):
        members(queries, spec)


@examples(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_terms_add_and_remove_from_left_to_right(queries: psycopg.Connection, data: st.DataObject) -> None:
    terms = data.draw(st.lists(st.tuples(st.sampled_from("+-"), st.sampled_from(EVERY[:3] + LONG)), max_size=6))
    found, spec = set(EVERY), "all"
    for sign, name in terms:
        spec += f'{sign}"{name}"' if "," in name else f"{sign}{name}"
        found = found | {name} if sign == "+" else found - {name}
    assert members(queries, spec) == sorted(found, key=str.encode)


@examples(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(min_size=1, max_size=20).filter(is_name))
def test_every_name_can_be_quoted(queries: psycopg.Connection, name: str) -> None:
    with queries.transaction(force_rollback=True):
        queries.execute("INSERT INTO stc.st1_queries (query) VALUES (%s) ON CONFLICT DO NOTHING", [name])
        assert members(queries, name) == [name]
        assert members(queries, expression([name])) == [name]
        assert members(queries, expression([name, "a-b"])) == sorted({name, "a-b"}, key=str.encode)


def test_a_list_of_many_names(queries: psycopg.Connection) -> None:
    queries.execute("INSERT INTO st1_queries (query) SELECT 'n-' || i FROM generate_series(1, 3000) i")
    names = [f"n-{i}" for i in range(1, 3001)]
    assert sorted(members(queries, expression(names))) == sorted(names)
    assert len(members(queries, "all-" + ",".join(names))) == len(EVERY)


def test_a_file_contains_one_name_per_line(queries: psycopg.Connection, tmp_path: Path) -> None:
    ids = tmp_path / "ids-a+b.txt"
    ids.write_text("G01.1\n\nx,y\n")
    assert members(queries, expression(f"@{ids}")) == ["G01.1", "x,y"]
    assert members(queries, expression(f"all - @{ids}-t5")) == ["G01.C1", "G02.1", "G02.C1"]
    assert members(queries, expression(f'G02.1,@"{ids}"')) == ["G01.1", "G02.1", "x,y"]
    assert expression('"@a",b@c') == '"@a",b@c'
    (tmp_path / "none").write_text("\n")
    with pytest.raises(BadInput, match="contains no query"):
        expression(f"@{tmp_path / 'none'}")
    with pytest.raises(BadArgument, match="missing"):
        expression(f"@{tmp_path / 'missing'}")


def test_a_stored_set_is_evaluated_when_it_is_used(queries: psycopg.Connection) -> None:
    assert store_set(queries, "rare", "t5+gpt-4", description="generated") == (4, False)
    assert store_set(queries, "rare-long", "rare-all+long") == (2, False)
    queries.execute("INSERT INTO st1_queries (query, origin) VALUES ('new', 'gpt-4')")
    assert members(queries, "rare") == ["G02.C1", "G1.9", "a-b", "new", "x,y"]
    assert members(queries, "rare-long") == LONG  # the name, not a difference
    assert members(queries, '"rare"-"long"') == ["G1.9", "a-b", "new", "x,y"]
    assert store_set(queries, "rare", "t5") == (3, True)
    assert [one[:4] for one in query_sets(queries)] == [
        ("rare", "t5", 3, "generated"),
        ("rare-long", "rare-all+long", 2, None),
    ]
    drop_set(queries, "rare")
    assert [one[:3] for one in query_sets(queries)] == [("rare-long", "rare-all+long", None)]
    with pytest.raises(UnknownObject, match="'rare'"):
        members(queries, "rare-long")
    with pytest.raises(UnknownObject, match="no stored set of queries 'rare'") as error:
        drop_set(queries, "rare")
    assert "rare-long" in (error.value.hint or "")


@pytest.mark.parametrize(
    "name", ["all", "human", "synthetic", "long", "keyword", "t5", "G01.1", "a b", "a,b", 'a"', "@a", "a:b", "a*", ""]
)
def test_a_name_that_names_something_else_is_refused(queries: psycopg.Connection, name: str) -> None:
    with pytest.raises(BadArgument, match="cannot be the name"):
        store_set(queries, name, "all")


def test_a_set_cannot_contain_itself(queries: psycopg.Connection) -> None:
    store_set(queries, "one", "t5")
    store_set(queries, "two", "one+long")
    for expr in ("two", "one+t5", "all-two"):
        with pytest.raises(BadArgument, match="'one' contains itself"), queries.transaction():
            store_set(queries, "one", expr)
    assert len(members(queries, "two")) == 5
    with pytest.raises(UnknownObject, match="'three'"):
        store_set(queries, "four", "three")


def test_organisers_store_sets_and_everybody_uses_them(queries: psycopg.Connection, login: Login) -> None:  # noqa: F811
    organiser = login("organiser")
    assert store_set(organiser, "mine", "type:long", description="long") == (2, False)
    assert store_set(organiser, "mine", "long+t5") == (5, True)
    for kind in ("participant", "reader"):
        other = login(kind)
        assert members(other, "mine-t5") == LONG
        assert [one[:4] for one in query_sets(other)] == [("mine", "long+t5", 5, "long")]
        with pytest.raises(StateError, match="may not store sets") as error:
            store_set(other, "theirs", "all")
        assert error.value.sqlstate == "IR410"
        with pytest.raises(StateError, match="may not remove sets"):
            drop_set(other, "mine")
        for statement in ("INSERT INTO stc.query_sets VALUES ('x', 'all')", "DELETE FROM stc.query_sets"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                other.execute(statement)
    drop_set(organiser, "mine")
    assert query_sets(queries) == []


def test_commands_store_list_and_remove_sets(queries: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "ids").write_text("G01.1\na-b\n")

    def run(*words: str) -> str:
        done = CliRunner().invoke(topics, words, obj=settings)
        assert done.exit_code == 0, (done.output, done.exception)
        return done.stdout

    assert run("set", "two", f"@{tmp_path / 'ids'}", "--description", "two of them") == "two: 2 queries\n"
    assert run("set", "two", "t5") == "two: 3 queries, replaced\n"
    assert "two of them" in run("sets")
    [row] = json.loads(run("sets", "--format", "json"))
    assert (row["name"], row["expression"], row["queries"], row["description"]) == ("two", "t5", 3, "two of them")
    assert stored_names(settings, "sets", start="t") == ["two"]
    assert run("unset", "two") == "two: removed\n"
    assert json.loads(run("sets", "--format", "json")) == []
