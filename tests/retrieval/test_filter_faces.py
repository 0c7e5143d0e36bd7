"""Each interface offers exactly the keys of the record of a filter, and reads them alike."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any

import click
import psycopg
import pytest
from fastapi import FastAPI

from stcollection.cli import stc
from stcollection.cli.options.filters import read_keys
from stcollection.declared import DeclaredParameter
from stcollection.errors import BadArgument, StcError, UnknownObject
from stcollection.http import routes
from stcollection.mcp import AnswerLimits
from stcollection.mcp.answers import LimitedReader
from stcollection.mcp.tools import ReadingTools, _tool
from stcollection.retrieval.filters import LONGEST, MOST, TypedFilter, conditions, filter_keys, read_filter
from stcollection.web.desk import Desk
from tests.acceptance.test_commands import commands
from tests.text.documents import put

SEARCHES = ("search", "retrieval pareto", "export corpus", "synth sample")
COMMANDS = {" ".join(path): command for path, command in commands(stc)}
KEYS = {key.each: key for key in filter_keys()}


def test_a_key_is_a_field_with_its_help() -> None:
    assert [key.name for key in filter_keys()] == [field.name for field in fields(TypedFilter)]
    assert all(key.help.endswith(".") for key in filter_keys())


@pytest.mark.parametrize("name", SEARCHES)
def test_commands(name: str) -> None:
    [option] = [one for one in COMMANDS[name].params if one.opts == ["--filter"]]
    assert isinstance(option, click.Option)
    words = {"with_text": "text", "readability": "MEASURE", "credibility": "MEASURE"}  # the others are those of SQL
    assert all(f"{words.get(key, key).replace('_', '-')}=" in (option.help or "") for key in KEYS if key != "filter")


def test_keys_in_a_command() -> None:
    def read(*typed: str) -> dict[str, Any]:
        return read_keys(None, None, typed)

    typed = ["year=2010..2015", "venue=a", "venue=b", "doc_type=x", "textstat_fkgl=..12", "age=..5", "text=x", ' {"year": 1}']
    assert read(*typed) == {
        "year": "2010..2015",
        "venue": ["a", "b"],
        "doc_type": ["x"],
        "readability": ["textstat_fkgl=..12", "age=..5"],
        "with_text": "x",
        "raw": ' {"year": 1}',
    }
    for typed, message, hint in (
        (["yaer=3"], "a filter has no key 'yaer'", "Did you mean year=RANGE?"),
        (["foo=x"], "a filter has no key 'foo'", "MEASURE=RANGE"),
        (["2010"], "the filter '2010' is neither KEY=VALUE nor JSON", "Write year=RANGE"),
        (["year=1..", "year=..3"], "the filter year is repeated", "2015..2020"),
    ):
        with pytest.raises(BadArgument) as error:
            read(*typed)
        assert error.value.message == message
        assert hint in (error.value.hint or "")


@pytest.mark.parametrize("path", ["/api/search", "/api/facets", "/api/why"])
def test_routes(path: str) -> None:
    app = FastAPI()
    routes.add(app, Desk("host=nowhere"), "t")
    told = {one["name"]: one for one in app.openapi()["paths"][path]["get"]["parameters"]}
    assert set(told) - {"q", "system", "k", "offset", "model", "docno"} == set(KEYS)
    assert {name: offered(told[name]["schema"]) for name in KEYS} == {name: bounds(key) for name, key in KEYS.items()}
    assert {name: told[name]["description"] for name in KEYS} == {name: key.help_elsewhere for name, key in KEYS.items()}


def test_a_tool() -> None:
    tools = ReadingTools(LimitedReader("host=nowhere", AnswerLimits(rows=1, size=1, seconds=1)))
    told: dict[str, Any] = _tool(tools.search).parameters["properties"]
    assert set(told) - {"query", "system", "k"} == set(KEYS)
    assert told.pop("filter")["anyOf"][0]["type"] == "object"  # JSON has one
    assert {name: offered(schema) for name, schema in told.items() if name in KEYS} == {
        name: bounds(key) for name, key in KEYS.items() if name != "filter"
    }


def offered(schema: dict[str, Any]) -> tuple[bool, int]:
    """Return from a JSON schema whether a key takes several values, and its bound."""
    [kind] = [one for one in schema["anyOf"] if one["type"] != "null"]
    return kind["type"] == "array", kind.get("maxItems", kind.get("maxLength"))


def bounds(key: DeclaredParameter) -> tuple[bool, int]:
    return key.many, MOST if key.many else LONGEST


def test_values_are_read(conn: psycopg.Connection) -> None:
    put(conn, {1: ("a", None), 2: ("b", None)})
    given: dict[str, Any] = {
        "year": "2015..",
        "venue": ["SIGIR"],
        "credibility": ["age=..5"],
        "with_text": "a",
        "docnos": ["2", "2"],
    }
    read = {"year": [2015, None], "venue": ["SIGIR"], "age": [None, 5], "text": "a"}
    assert conditions(TypedFilter(**given)) == read | {"docnos": ["2", "2"]}
    assert read_filter(conn, TypedFilter(**given)) == read | {"docnos": ["2"]}
    assert read_filter(conn, TypedFilter(raw='{"year": 2, "judged": true}', year="1")) == {"year": 1, "judged": True}
    assert read_filter(conn, TypedFilter()) is read_filter(conn, None) is None
    with pytest.raises(UnknownObject, match="no document 'x'"):
        read_filter(conn, TypedFilter(docnos=["x"]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"year": "soon"}, "'soon' is not a range"),
        ({"readability": ["textstat_fkgl"]}, "readability 'textstat_fkgl' has no range"),
        ({"raw": "[1]"}, r"filter '\[1\]' is not a JSON object"),
        ({"raw": "{"}, "filter '{' is not JSON"),
        ({"venue": ["\0"]}, r"U\+0000"),
    ],
)
def test_values_that_cannot_be_read(given: dict[str, Any], message: str) -> None:
    with pytest.raises(BadArgument, match=message) as error:
        conditions(TypedFilter(**given))
    assert isinstance(error.value, StcError)
    assert error.value.hint
    assert inspect.cleandoc(error.value.hint)
