"""Words with slashes, and letters and digits with a hyphen: every search finds their parts, or none in the published separation."""

from __future__ import annotations

import json
from collections.abc import Iterator

import psycopg
import pytest

from stcollection.db.settings import Settings
from stcollection.text.index import index
from tests.text.documents import clone, put

pytestmark = pytest.mark.slow

TEXTS = {
    1: ("Thin client/server systems", "Servers answer."),
    2: ("The TCP/IP model", "A suite."),
    3: ("Spread of COVID-19", "A study."),
    4: ("Client and server", "Unrelated."),
    5: ("I/O performance", "Buffers."),
    6: ("Oxygen o", "Chemistry."),
    7: ("Weather", "No such words."),
    8: ("“Pandemics”—waves", "covid–20"),
}
SYSTEMS = ("boolean", "lucene", "conjunctive", "conjunctive-passage", "pg_textsearch", "portable")
# The documents with all words of a query, and those in the published separation; None if that depends on the server's locale. BM25
# needs only one of the words.
QUERIES: dict[str, tuple[set[int], set[int] | None]] = {
    "server": ({1, 4}, {1, 4}),
    "client": ({1, 4}, {4}),
    "tcp": ({2}, set()),
    "ip": ({2}, set()),
    "client server": ({1, 4}, {4}),
    "TCP/IP": ({2}, {2}),
    "covid 19": ({3}, set()),
    "COVID-19": ({3}, {3}),
    "covid–19": ({3}, None),
    "pandemics": ({8}, None),
    "covid 20": ({8}, None),
    "COVID-20": ({8}, None),
    "I/O": ({5}, {5}),
}
# Queries with operators, for boolean_search.
OPERATORS: dict[str, tuple[set[int], set[int] | None]] = {
    '"client server"': ({1}, set()),
    "client/server": ({1}, {1}),
    '"thin client"': ({1}, set()),
    '"server systems"': ({1}, set()),
    '"thin client/server systems"': ({1}, {1}),
    '"covid 19"': ({3}, set()),
    '"pandemics waves"': ({8}, None),
    "tcp*": ({2}, {2}),
    "covid-1*": ({3}, set()),
    "title:tcp": ({2}, set()),
    "title:TCP/IP": ({2}, {2}),
    "abstract:tcp": (set(), set()),
    "weather OR tcp/ip": ({2, 7}, {2, 7}),
    "client -client/server": ({4}, {4}),
}


@pytest.fixture(scope="module", params=["split", "published"])
def collection(
    request: pytest.FixtureRequest, server: Settings, admin: psycopg.Connection, template: str
) -> Iterator[tuple[psycopg.Connection, int]]:
    """Return the texts above, also as passages, and the column of the expected documents."""
    with clone(server, admin, template, f"words_{request.param}") as conn:
        put(conn, TEXTS)
        conn.execute("UPDATE dblp d SET doc = jsonb_build_object('venue', 'IEEE/ACM Letters') WHERE d.id = 1")
        conn.execute("INSERT INTO dblp_passages (doc, position, text) SELECT id, 1, concat_ws(' ', title, abstract) FROM dblp_text")
        assert index(conn, words=request.param).words == request.param
        yield conn, ["split", "published"].index(request.param)


def found(conn: psycopg.Connection, system: str, query: str) -> set[int]:
    if system == "lucene":
        query = json.dumps({"must": [{"text": word} for word in query.split()]})
    call = {
        "boolean": "boolean_search(%s)",
        "lucene": "lucene_search(%s)",
        "conjunctive": "stc.conjunctive_search(%s)",
        "conjunctive-passage": "stc.conjunctive_passage_search(%s)",
        "pg_textsearch": "bm25_search(%s, engine => 'pg_textsearch')",
        "portable": "bm25_search(%s, engine => 'portable')",
    }[system]
    return {doc for (doc,) in conn.execute(f"SELECT doc FROM {call}", [query])}


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("query", QUERIES)
def test_every_search_finds_the_parts(collection: tuple[psycopg.Connection, int], system: str, query: str) -> None:
    conn, column = collection
    if system == "pg_textsearch" and conn.execute("SELECT stc.pg_textsearch_ready()").fetchone() != (True,):
        pytest.skip("this server has no pg_textsearch")
    got, expected = found(conn, system, query), QUERIES[query][column]
    if expected is None:
        return
    if system in ("pg_textsearch", "portable"):
        assert expected <= got
        assert got == expected or not query.isalpha()
    else:
        assert got == expected


@pytest.mark.parametrize("query", OPERATORS)
def test_operators(collection: tuple[psycopg.Connection, int], query: str) -> None:
    conn, column = collection
    assert OPERATORS[query][column] in (None, found(conn, "boolean", query))
