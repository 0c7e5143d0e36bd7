"""Counts by facet, and the documents that are counted."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest

from stcollection.errors import BadArgument, UnknownObject, translate
from tests.text.documents import build, put

YEARS = {1: 1999, 2: 2005, 3: 2005, 4: 2011, 5: None}
VENUES = {1: "SIGIR", 2: "sigir", 3: "CHI", 4: None, 5: "100% Venue"}


@pytest.fixture
def facts(conn: psycopg.Connection) -> psycopg.Connection:
    put(conn, {1: ("voice one", None), 2: ("voice two", None), 3: ("voice home", "home"), 4: ("home", None), 5: ("voice", None)})
    for doc, year in YEARS.items():
        conn.execute("UPDATE dblp_facts SET year = %s, venue = %s WHERE id = %s", [year, VENUES[doc], doc])
    build(conn, "portable")
    return conn


def counts(conn: psycopg.Connection, query: str, system: str = "bm25", **more: Any) -> dict[str, dict[str, int]]:
    chosen = more.pop("filter", None)
    rows = conn.execute(
        "SELECT facet, value, documents FROM stc.search_facets(%s, %s, filter => %s, at_most => %s, candidates => %s)",
        [query, system, None if chosen is None else json.dumps(chosen), more.get("at_most", 20000), more.get("candidates", 1000)],
    ).fetchall()
    made: dict[str, dict[str, int]] = {}
    for facet, value, documents in rows:
        made.setdefault(facet, {})[value] = documents
    return made


def test_all_documents_with_a_word_are_counted(facts: psycopg.Connection) -> None:
    found = counts(facts, "voice assistants")
    assert found["documents"] == {"matching": 4}
    assert found["year"] == {"2000": 2, "1990": 1}
    assert found["venue"] == {"SIGIR": 2, "CHI": 1, "100% Venue": 1}
    assert found["judged"] == {"no": 4}
    assert counts(facts, "voice home")["documents"] == {"matching": 5}
    assert counts(facts, "voice home", "boolean")["documents"] == {"matching": 1}
    assert counts(facts, "voice -home", "boolean")["documents"] == {"matching": 3}


@pytest.mark.parametrize("query", ["", "the", "-voice", "unknownword", "'; DROP TABLE dblp; --"])
@pytest.mark.parametrize("system", ["bm25", "boolean"])
def test_a_query_without_matches_counts_nothing(facts: psycopg.Connection, query: str, system: str) -> None:
    assert counts(facts, query, system) == {"documents": {"matching": 0}}


def test_a_facet_ignores_its_own_filter(facts: psycopg.Connection) -> None:
    found = counts(facts, "voice", filter={"year": [2000, 2009], "venue": "sigir"})
    assert found["documents"] == {"matching": 1}
    assert found["year"] == {"2000": 1, "1990": 1}  # of SIGIR
    assert found["venue"] == {"sigir": 1, "CHI": 1}  # of 2000 to 2009


def test_the_first_documents_are_counted_if_too_many_match(facts: psycopg.Connection) -> None:
    assert counts(facts, "voice", at_most=3, candidates=2)["documents"] == {"first": 2}
    assert counts(facts, "voice", at_most=3)["documents"] == {"matching": 4}  # fewer than the candidates: these are all
    assert counts(facts, "voice", "boolean", at_most=3, candidates=2)["documents"] == {"first": 2}


def test_judgments_of_any_edition_count(facts: psycopg.Connection) -> None:
    facts.execute("INSERT INTO qrels_editions (edition) VALUES ('e1'), ('e2')")
    facts.execute("INSERT INTO st1_queries (query) VALUES ('q1')")
    for edition, doc, rel in (("e1", 1, 1), ("e2", 1, 0), ("e2", 2, 0), ("e2", 3, -1)):
        facts.execute(
            "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, %s, %s"
            " FROM qrels_editions e, st1_queries q WHERE e.edition = %s",
            [doc, rel, edition],
        )
    assert counts(facts, "voice")["judged"] == {"yes": 2, "no": 2}
    assert counts(facts, "voice", filter={"judged": True})["documents"] == {"matching": 2}
    for judged, docs in ((True, {1, 2}), (False, {3, 4, 5})):
        row = facts.execute("SELECT filter_docs(%s)", [json.dumps({"judged": judged})]).fetchone()
        assert row is not None
        assert set(row[0]) == docs


def test_an_author_is_a_filter(facts: psycopg.Connection) -> None:
    facts.execute(
        """UPDATE dblp SET doc = doc || '{"authors": [{"name": "Ada \\"O''Neil\\""}, {"name": "Bo"}]}' WHERE id IN (1, 4)"""
    )
    for author in ('Ada "O\'Neil"', ["Bo", "Nobody"]):
        row = facts.execute("SELECT filter_docs(%s)", [json.dumps({"author": author})]).fetchone()
        assert row is not None
        assert set(row[0]) == {1, 4}
    with pytest.raises(BadArgument, match="author must be a name"), translate():
        facts.execute("""SELECT filter_docs('{"author": 5}')""")


def test_errors_are_those_of_the_search(facts: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject, match="no system alta"), translate():
        counts(facts, "voice", "alta")
    with pytest.raises(BadArgument, match="no key color"), translate():
        counts(facts, "voice", filter={"color": 1})
