"""Articles of topics as queries: chunks, fusion of their rankings, runs, and search."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, StcError, UnknownObject
from stcollection.evaluation.incoming import make_run
from stcollection.retrieval import SPARSE, SYSTEMS, batches
from stcollection.retrieval.run import run
from stcollection.retrieval.search import search_article
from stcollection.retrieval.settings import QuerySource
from stcollection.runs.unfinished import unfinished_runs
from stcollection.vectors.embed import embed
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.passages import cut_passages, embed_passages
from tests import databases
from tests.groups import retrieval
from tests.text.documents import build, put
from tests.vectors.worlds import BagOfWords

pytestmark = pytest.mark.slow

WORDS = ["voice", "home", "graph", "people", "machine", "listen", "draw", "door"]
ARTICLE = 'Voice at home. People listen.\n\nA machine -draws the "door" of (people), +graph and home.'
ARTICLES = QuerySource(query_from="article", chunk=4)
RANKINGS = (
    "SELECT q.query, k.doc, k.rank, k.rel_score FROM stc.st1_rankings k JOIN st1_runs n ON n.id = k.run"
    " JOIN st1_queries q ON q.id = k.query WHERE n.run = %s ORDER BY 1, 3"
)
Ranking = list[tuple[int, int, float]]


@databases.world
def filled(conn: psycopg.Connection) -> None:
    put(conn, {doc: (f"{WORDS[doc % 8]} {WORDS[doc % 5]}", " ".join(WORDS[doc % 3 :: 1 + (doc % 4 > 0)])) for doc in range(1, 90)})
    conn.execute(
        "INSERT INTO st1_topics (topic, text, article) VALUES ('T1', 'Voices', %s), ('T2', 'Graphs', 'graph people'),"
        " ('T3', 'Doors', NULL)",
        [ARTICLE],
    )
    conn.execute(
        "INSERT INTO stc.st1_queries (query, topic, text) VALUES ('T1.1', 1, 'door'), ('T1.2', 1, 'xyzzy'), ('T2.1', 2, 'draw'),"
        " ('T3.1', 3, 'door'), ('none', NULL, 'voice'), ('T1.3', 1, NULL)"
    )
    conn.execute("INSERT INTO qrels_editions (edition) VALUES ('train')")
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT 1, q.id, d.id, 1 FROM st1_queries q, dblp d"
        " WHERE (d.id + q.id) % 7 = 0"
    )
    build(conn, "portable")
    embed(conn, model=BagOfWords(), fields=("title", "abstract", "content"))
    cut_passages(conn, by="sentence")
    embed_passages(conn, model=BagOfWords())
    index(conn, options=IndexOptions(lists=3, effort=2))


def chunks(conn: psycopg.Connection, article: str | None, chunk: int | None = 64) -> list[str]:
    [(found,)] = conn.execute("SELECT stc.article_chunks(%s, %s)", [article, chunk]).fetchall()
    return list(found)


def test_a_long_chunk_is_split_between_words(conn: psycopg.Connection) -> None:
    article = " ".join(f"{'word' * 30}{at}" for at in range(300))
    found = chunks(conn, article, 1000)
    assert len(found) > 1
    assert max(map(len, found)) <= 10_000
    assert " ".join(found) == article
    assert chunks(conn, "x" * 25_000) == ["x" * 10_000, "x" * 10_000, "x" * 5_000]
    assert chunks(conn, f"{'x' * 9_999} {'y' * 10_000} z") == ["x" * 9_999, "y" * 10_000, "z"]


def rankings(conn: psycopg.Connection, name: str) -> dict[str, Ranking]:
    found: dict[str, Ranking] = defaultdict(list)
    for query, *row in conn.execute(RANKINGS, [name]):
        found[query].append(tuple(row))
    return found


def fused(conn: psycopg.Connection, queries: list[str], system: str, k: int) -> Ranking:
    """Fuse the rankings of several queries by reciprocal ranks."""
    scores: dict[int, list[float]] = defaultdict(list)
    for text in queries:
        for doc, rank in conn.execute("SELECT doc, rank FROM system_search(%s, %s, 1000)", [text, system]):
            scores[doc].append(1 / (60 + rank))
    order = sorted(((sum(sorted(parts, reverse=True)), str(doc)) for doc, parts in scores.items()), reverse=True)
    return [(int(doc), rank, score) for rank, (score, doc) in enumerate(order[:k], 1)]


def test_chunks_are_windows_of_equal_length(conn: psycopg.Connection) -> None:
    words = [f"w{number}" for number in range(130)]
    found = chunks(conn, "\n\n".join(words))
    assert [len(one.split()) for one in found] == [44, 44, 42]
    assert " ".join(found).split() == words
    assert [len(one.split()) for one in chunks(conn, " ".join(words), 65)] == [65, 65]
    assert chunks(conn, "  one two  ") == ["one two"]
    assert chunks(conn, None) == chunks(conn, " \n") == chunks(conn, "- -- *") == []


def test_chunks_are_sentences(conn: psycopg.Connection) -> None:
    assert chunks(conn, "A title\n\nOne thing. Another thing, e.g. this.\n\n—\n\nLast", 0) == [
        "A title",
        "One thing.",
        "Another thing, e.g. this.",
        "Last",
    ]


def test_chunks_have_no_syntax_of_queries(conn: psycopg.Connection) -> None:
    text = 'He said "no -games" (or +plus), title:assistant -1 well-known a|b wild* <b> -"quoted text"'
    [found] = chunks(conn, text)
    assert found == "He said no games or plus , title assistant 1 well-known a b wild b quoted text"
    pieces = conn.execute("SELECT kind, sign, field FROM stc.query_pieces(%s)", [found]).fetchall()
    assert {(sign, field) for _, sign, field in pieces} == {(None, None)}
    assert {kind for kind, *_ in pieces} <= {"word", "compound", "|"}


@pytest.mark.parametrize("chunk", [-1, 1001, None])
def test_a_chunk_out_of_range(filled: psycopg.Connection, chunk: int | None) -> None:
    for statement in (
        "SELECT stc.article_chunks('a', %s)",
        "SELECT * FROM article_search('T1', 'bm25', chunk => %s)",
        "SELECT * FROM make_run('mine', 'bm25', query_from => 'article', chunk => %s)",
    ):
        with pytest.raises(psycopg.Error, match="chunk is") as error:
            filled.execute(statement.encode(), [chunk])
        assert error.value.sqlstate == "IR202"


@pytest.mark.parametrize("system", [one for one in SYSTEMS if one not in SPARSE])
def test_rankings_of_chunks_are_fused(filled: psycopg.Connection, system: str) -> None:
    done = run(filled, system=system, name="mine", depth=20, model=BagOfWords(), source=ARTICLES)
    assert (done.queries, done.without_article) == (3, 2)
    found = rankings(filled, "mine")
    assert set(found) == {"T1.1", "T1.2", "T2.1"}
    assert found["T1.1"] == found["T1.2"]
    parts = chunks(filled, f"Voices\n\n{ARTICLE}", 4)
    assert len(parts) == 4
    for query, wanted in (("T1.1", fused(filled, parts, system, 20)), ("T2.1", fused(filled, ["Graphs graph people"], system, 20))):
        assert [row[:2] for row in found[query]] == [row[:2] for row in wanted]
        assert [row[2] for row in found[query]] == pytest.approx([row[2] for row in wanted])
    direct = filled.execute("SELECT doc, rank, score FROM article_search('T1', %s, 20, chunk => 4)", [system]).fetchall()
    assert direct == found["T1.1"]
    ten = filled.execute("SELECT doc, rank, score FROM article_search('T1', %s, 3, chunk => 4)", [system]).fetchall()
    assert ten == direct[:3]


@pytest.mark.parametrize("wanted", [None, '{"judged": "train"}'])
def test_batches_store_the_rows_of_one_statement(filled: psycopg.Connection, wanted: str | None) -> None:
    run(filled, system="bm25", name="mine", depth=20, source=ARTICLES, filter=None if wanted is None else json.loads(wanted))
    filled.execute("SELECT make_run('whole', 'bm25', 20, filter => %s, query_from => 'article', chunk => 4)", [wanted])
    found = rankings(filled, "mine")
    assert found == rankings(filled, "whole")
    assert (found["T1.1"] == found["T1.2"]) == (wanted is None)
    [params, same] = [row[0] for row in filled.execute("SELECT params FROM st1_runs ORDER BY run")]
    assert params == same
    assert {name: params[name] for name in ("system", "query_from", "chunk", "fusion", "constant")} == {
        "system": "bm25",
        "query_from": "article",
        "chunk": 4,
        "fusion": "rrf",
        "constant": 60,
    }


def test_a_run_of_query_texts_says_nothing_of_articles(filled: psycopg.Connection) -> None:
    run(filled, system="bm25", name="mine")
    [(params,)] = filled.execute("SELECT params FROM st1_runs").fetchall()
    assert not {"query_from", "chunk", "fusion"} & set(params)


@pytest.mark.usefixtures("dsn")
def test_an_interrupted_run_continues_unless_an_article_changed(
    filled: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "_SECONDS", 0.0)
    seen: list[tuple[int, int]] = []
    notes: list[str] = []

    class StoppedError(Exception):
        pass

    def stop(done: int, total: int, note: str) -> None:
        seen.append((done, total))
        notes.append(note)
        if done == 2:
            raise StoppedError

    for _ in range(2):
        with pytest.raises(StoppedError):
            run(filled, system="bm25", name="mine", source=ARTICLES, workers=1, progress=stop)
    assert seen == [(0, 3), (1, 3), (2, 3), (2, 3)]
    [left] = unfinished_runs(filled)
    assert (left.done, left.queries) == (2, 3)
    for change in (
        "UPDATE st1_topics SET article = 'home' WHERE topic = 'T2'",
        "UPDATE stc.st1_queries SET topic = 2 WHERE query = 'T1.1'",
    ):
        filled.execute(change.encode())
        seen.clear()
        notes.clear()
        with pytest.raises(StoppedError):
            run(filled, system="bm25", name="mine", source=ARTICLES, workers=1, progress=stop)
        assert seen[0] == (0, 3)
        assert "because the articles changed" in notes[0]
    with pytest.raises(StoppedError):
        run(filled, system="bm25", name="mine", source=QuerySource(query_from="article", chunk=0), workers=1, progress=stop)
    assert "because the parameters changed" in notes[-1]
    run(filled, system="bm25", name="mine", source=ARTICLES)
    assert set(rankings(filled, "mine")) == {"T1.1", "T1.2", "T2.1"}
    assert unfinished_runs(filled) == []


def test_no_article_and_other_mistakes(filled: psycopg.Connection) -> None:
    with pytest.raises(BadArgument, match="query_from is title"):
        run(filled, system="bm25", name="mine", source=QuerySource(query_from="title"))
    filled.execute("UPDATE st1_topics SET article = NULL")
    with pytest.raises(StateError, match="no query belongs to a topic with an article") as error:
        run(filled, system="bm25", name="mine", source=ARTICLES)
    assert "stc load --as articles" in str(error.value.hint)
    with pytest.raises(StateError, match="the topic T1 has no article"):
        search_article(filled, "T1", system="bm25")
    with pytest.raises(UnknownObject, match="there is no topic 'T9'"):
        search_article(filled, "T9", system="dense-title", model=BagOfWords())


def test_a_row_of_the_leaderboard(filled: psycopg.Connection) -> None:
    names = [make_run(filled, system, query_from="article").run for system in ("bm25", "boolean")]
    assert names == ["bm25-article", "boolean-article"]
    scored = filled.execute("SELECT DISTINCT run FROM scores WHERE edition = 'train' ORDER BY 1").fetchall()
    assert scored == [("bm25-article",), ("boolean-article",)]


def invoke(settings: Settings, *arguments: str, code: int = 0) -> Any:
    done = CliRunner().invoke(retrieval, arguments, obj=settings)
    if isinstance(done.exception, StcError):
        raise done.exception
    assert done.exit_code == code, done.output
    return done


def test_the_commands(filled: psycopg.Connection, settings: Settings) -> None:
    done = invoke(settings, "run", "bm25", "--query-from", "article", "--depth", "20", "--chunk", "4")
    assert done.stdout == f"bm25-article: {sum(map(len, rankings(filled, 'bm25-article').values()))} documents for 3 queries\n"
    assert "bm25-article: skipped 2 queries whose topic has no article" in done.stderr
    search = ("search", "--article", "T1", "--system", "bm25", "--json", "-k")
    found = json.loads(invoke(settings, *search, "3", "--chunk", "4").stdout)
    assert [(one["doc"], one["rank"]) for one in found] == [row[:2] for row in rankings(filled, "bm25-article")["T1.1"][:3]]
    assert all(one["title"] and one["snippet"] for one in found)
    narrow = json.loads(invoke(settings, *search, "90", "--judged", "train").stdout)
    assert 0 < len(narrow) < len(filled.execute("SELECT FROM article_search('T1', 'bm25', 90)").fetchall())
    for wrong in (("search",), ("search", "voice", "--article", "T1")):
        assert "give a query TEXT, or --article TOPIC" in invoke(settings, *wrong, code=2).stderr
