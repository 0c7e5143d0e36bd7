"""Search for display: systems by name, displayed fields of a document, the command."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.retrieval import EMBEDDING, SPARSE, SYSTEMS
from stcollection.retrieval.search import FoundDocument, search
from stcollection.vectors.embed import embed
from stcollection.vectors.passages import cut_passages, embed_passages
from stcollection.vectors.queries import notation
from tests import databases
from tests.groups import retrieval
from tests.text.documents import build, found, put
from tests.vectors.worlds import BagOfWords, SparseWords

QUERY = "voice assistants"
LONG = "A title that goes on and on about assistants at home " * 4


@databases.world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    put(
        conn,
        {
            1: ("Voice assistants at home", "This is about homes. Voice assistants listen to all of it. They never sleep."),
            2: ("Voice assistants", None),
            3: (LONG, "Assistants. " + "One very long sentence of many words, " * 20),
            4: ("Graphs", "Nothing of that kind."),
        },
        {3: "5390bff320f70186a0f44dd1"},
    )
    conn.execute(
        "UPDATE dblp SET doc = jsonb_build_object('year', y) FROM (VALUES (1, '2021'), (3, '1999'), (4, 'n.d.')) v (id, y)"
        " WHERE dblp.id = v.id"
    )
    conn.execute("UPDATE dblp SET doc = '{\"year\": 2021}' WHERE id = 1")
    build(conn, "portable")
    embed(conn, model=BagOfWords(), fields=("title", "abstract", "content"))
    cut_passages(conn, by="sentence")
    embed_passages(conn, model=BagOfWords())
    embed(conn, model=SparseWords())
    return conn


def encoder(system: str) -> Any:
    return SparseWords() if system in SPARSE else BagOfWords()


def test_the_systems_are_their_functions(filled: psycopg.Connection) -> None:
    model = BagOfWords()
    vector = "[" + ",".join(map(str, model.encode([QUERY])[0].tolist())) + "]"
    calls = {
        "boolean": found(filled, "boolean_search", QUERY, 3),
        "conjunctive": found(filled, "stc.conjunctive_search", QUERY, 3),
        "conjunctive-passage": found(filled, "stc.conjunctive_passage_search", QUERY, 3),
        "bm25": found(filled, "bm25_search", QUERY, 3),
        "dense-title": found(filled, "dense_search", vector, 3, "title"),
        "dense-abstract": found(filled, "dense_search", vector, 3, "abstract"),
        "hybrid": found(filled, "hybrid_search", QUERY, 3, vector),
        "rm3": found(filled, "rm3_search", QUERY, 3),
        "dense-content": found(filled, "dense_search", vector, 3, "content"),
        "dense-passage": found(filled, "passage_search", vector, 3),
        "rocchio-title": found(filled, "rocchio_search", vector, 3, "title"),
        "rocchio-abstract": found(filled, "rocchio_search", vector, 3, "abstract"),
        "rocchio-content": found(filled, "rocchio_search", vector, 3, "content"),
        "sparse": found(filled, "stc.sparse_search", notation(SparseWords().encode([QUERY], query=True)[0]), 3),
    }
    assert calls.keys() <= {*SYSTEMS}  # a later system has a test of its own
    for system, rows in calls.items():
        got = search(filled, QUERY, system=system, k=3, model=encoder(system))
        assert [(one.doc, one.score, one.rank) for one in got] == rows


def test_what_is_shown_of_a_document(filled: psycopg.Connection) -> None:
    by_doc = {one.doc: one for one in search(filled, "voice -sleep assistants", system="bm25")}
    assert by_doc[1] == FoundDocument(
        rank=by_doc[1].rank,
        score=by_doc[1].score,
        doc=1,
        docno="1",
        year=2021,
        venue=None,
        citations=None,
        title="Voice assistants at home",
        snippet="Voice assistants listen to all of it.",
    )
    assert by_doc[2].snippet is None
    assert (by_doc[3].docno, by_doc[3].year) == ("5390bff320f70186a0f44dd1", 1999)
    assert search(filled, "graphs", system="bm25")[0].year is None


def test_the_vector_is_made_once_and_not_where_none_is_needed(filled: psycopg.Connection) -> None:
    model = BagOfWords()
    search(filled, QUERY, system="bm25", model=model)
    search(filled, QUERY, system="boolean", model=model)
    assert model.seen == []
    search(filled, QUERY, model=model)
    search(filled, QUERY, system="dense-title", model=model)
    assert model.seen == [QUERY]


def test_errors(filled: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject, match="splade") as error:
        search(filled, QUERY, system="splade")
    assert error.value.hint is not None
    assert "dense-abstract" in error.value.hint
    for system in SYSTEMS:
        with pytest.raises(BadArgument):
            search(filled, QUERY, system=system, k=0, model=encoder(system))


def test_without_an_index_or_vectors(conn: psycopg.Connection) -> None:
    with pytest.raises(StateError, match="the collection has no documents"):
        search(conn, QUERY, system="bm25")
    put(conn, {1: ("voice", None)})
    for system in ("bm25", "hybrid"):
        with pytest.raises(StateError, match="no text index"):
            search(conn, QUERY, system=system, model=BagOfWords())
    with pytest.raises(StateError, match="no title vectors") as error:
        search(conn, QUERY, system="dense-title", model=BagOfWords())
    assert error.value.hint is not None
    assert "stc vectors embed" in error.value.hint


@pytest.mark.parametrize("text", ["", "!", '"unbalanced', "+", "-games", "a " * 400, "O'Reilly & sons (:*)", "日本語", "%s {} \\"])
def test_whatever_people_type(filled: psycopg.Connection, text: str) -> None:
    for system in SYSTEMS:
        if text.strip() or system not in EMBEDDING:
            search(filled, text, system=system, model=encoder(system))
            continue
        with pytest.raises(BadArgument, match="query is blank") as error:
            search(filled, text, system=system, model=encoder(system))
        assert error.value.hint


def test_the_command(filled: psycopg.Connection, settings: Settings) -> None:
    def run(*arguments: str) -> str:
        done = CliRunner().invoke(retrieval, ["search", *arguments], obj=settings, catch_exceptions=False)
        assert done.exit_code == 0
        return done.stdout

    shown = run(QUERY, "--system", "bm25")
    assert max(map(len, shown.splitlines())) <= 100
    assert "Voice assistants listen to all of it." in shown
    assert "2021" in shown
    rows = json.loads(run(QUERY, "--system", "bm25", "--json", "-k", "2"))
    assert [row["rank"] for row in rows] == [1, 2]
    assert rows[0].keys() == {"rank", "score", "doc", "docno", "year", "venue", "citations", "title", "snippet"}
    assert run("xyzzy", "--system", "bm25") == ""
    assert json.loads(run("xyzzy", "--system", "bm25", "--json")) == []
