"""Documents left out for queries: runs, pools, expansions and scores are those of a collection without them."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import LiteralString

import numpy as np
import psycopg
import pytest
import pytrec_eval
from click.testing import CliRunner
from starlette.testclient import TestClient

from stcollection.api.collection import Collection
from stcollection.cli import stc
from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from stcollection.errors import BadInput, UnknownObject
from stcollection.evaluation.measures import parse_measure
from stcollection.evaluation.score import score
from stcollection.qrels.expand import expand
from stcollection.qrels.load import import_qrels
from stcollection.qrels.pools import make_pool
from stcollection.retrieval import SPARSE, SYSTEMS
from stcollection.retrieval.run import run
from stcollection.runs.load import ImportOptions, import_run
from stcollection.site.app import make_app
from stcollection.topics.excluded import read_excluded, set_excluded
from stcollection.topics.load import load
from stcollection.vectors.embed import embed
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.passages import cut_passages, embed_passages
from stcollection.web.desk import Desk
from tests import databases
from tests.text.documents import build, put
from tests.vectors.worlds import BagOfWords, SparseWords

pytestmark = pytest.mark.slow

WORDS = ["voice", "home", "graph", "people", "machine", "listen", "draw", "door"]
QUERIES = {"q1": "voice home", "q2": "graph", "q3": "people and a machine"}
LEFT_OUT = {"q1": ["1", "2", "3", "7", "50"], "q2": [str(doc) for doc in range(1, 40)]}


Exact = bool | None


@databases.world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    rng = np.random.default_rng(5)
    put(conn, {doc: (" ".join(rng.choice(WORDS, 3)), " ".join(rng.choice(WORDS, 6))) for doc in range(1, 81)})
    conn.cursor().executemany("INSERT INTO st1_queries (query, text) VALUES (%s, %s)", list(QUERIES.items()))
    build(conn, "portable")
    embed(conn, model=BagOfWords(), fields=("title", "abstract", "content"))
    cut_passages(conn, by="sentence")
    embed_passages(conn, model=BagOfWords())
    embed(conn, model=SparseWords())
    index(conn, options=IndexOptions(lists=2, effort=2))
    return conn


def excluded_file(folder: Path, pairs: dict[str, list[str]] = LEFT_OUT) -> Path:
    path = folder / "excluded.tsv"
    path.write_text("".join(f"{query}\t{docno}\n" for query, docnos in pairs.items() for docno in docnos))
    return path


def rows(conn: psycopg.Connection, name: str) -> dict[str, list[tuple[int, str, float, int | None]]]:
    ranked: dict[str, list[tuple[int, str, float, int | None]]] = {}
    for query, *row in conn.execute(
        "SELECT k.query, k.rank, d.docno, k.rel_score, k.file_rank FROM st1_rankings k JOIN dblp d ON d.id = k.doc"
        " WHERE k.run = %s ORDER BY 1, 2",
        [name],
    ):
        ranked.setdefault(query, []).append(tuple(row))
    return ranked


def without(ranked: dict[str, list[tuple[int, str, float, int | None]]], depth: int) -> dict[str, list[tuple[int, str, float]]]:
    kept = {query: [row for row in every if row[1] not in LEFT_OUT.get(query, ())] for query, every in ranked.items()}
    return {query: [(rank, row[1], row[2]) for rank, row in enumerate(every[:depth], 1)] for query, every in kept.items()}


@pytest.mark.parametrize("exact", [None, False])
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_run_is_the_whole_ranking_without_them(filled: psycopg.Connection, tmp_path: Path, system: str, exact: Exact) -> None:
    model = SparseWords() if system in SPARSE else BagOfWords()
    run(filled, system=system, name="whole", depth=80, model=model, exact=exact)
    expected = without(rows(filled, "whole"), depth=10)
    set_excluded(filled, excluded_file(tmp_path))
    run(filled, system=system, name="mine", depth=10, model=model, exact=exact)
    assert {query: [row[:3] for row in ranked] for query, ranked in rows(filled, "mine").items()} == expected


def test_dense_runs_compared_in_one_pass(filled: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    run(filled, system="dense-title", name="whole", depth=80, model=BagOfWords(), exact=True)
    expected = without(rows(filled, "whole"), depth=10)
    set_excluded(filled, excluded_file(tmp_path))
    done = run(filled, system="dense-title", name="mine", depth=10, model=BagOfWords(), exact=True)
    assert done.exact
    assert {query: [row[:3] for row in ranked] for query, ranked in rows(filled, "mine").items()} == expected


def test_stored_runs_lose_them_and_score_as_trec_eval_says(filled: psycopg.Connection, tmp_path: Path) -> None:
    lines = [f"q{number} Q0 {doc} {doc} {100 - doc} t\n" for number in (1, 2, 3) for doc in range(1, 81)]
    file, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    file.write_text("".join(lines))
    grades = {"q1": {"1": 0, "4": 2, "60": 1}, "q2": {"41": 1, "70": 1}, "q3": {"9": 1}}
    qrels.write_text("".join(f"{query} 0 {docno} {rel}\n" for query, judged in grades.items() for docno, rel in judged.items()))
    import_run(filled, file, name="before", options=ImportOptions())
    import_qrels(filled, qrels, edition="e")
    measures = [parse_measure("AP"), parse_measure("nDCG")]
    score(filled, runs=["before"], edition="e", measures=measures)  # stored, and not used again
    counts = set_excluded(filled, excluded_file(tmp_path))
    assert counts == (2, 44, 0, 0, 1)
    assert set_excluded(filled, excluded_file(tmp_path)) == (2, 44, 0, 0, 0)
    done = import_run(filled, file, name="after", options=ImportOptions())
    assert done.counts.excluded == 44
    assert rows(filled, "before") == rows(filled, "after")
    assert rows(filled, "after")["q1"][:2] == [(1, "4", 96.0, 4), (2, "5", 95.0, 5)]
    ranked = {query: {row[1]: row[2] for row in every} for query, every in rows(filled, "after").items()}
    assert all(LEFT_OUT.get(query, []) == [] or ranked[query].keys().isdisjoint(LEFT_OUT[query]) for query in ranked)
    theirs = pytrec_eval.RelevanceEvaluator(grades, {"map", "ndcg"}).evaluate(ranked)
    ours = {(row.query, str(row.measure)): row.value for row in score(filled, runs=["before"], edition="e", measures=measures)}
    names = {"AP": "map", "nDCG": "ndcg"}
    assert ours == {
        (query, name): pytest.approx(values[field], abs=1e-12) for query, values in theirs.items() for name, field in names.items()
    }


def test_other_formats_and_rows_by_hand(filled: psycopg.Connection, tmp_path: Path) -> None:
    set_excluded(filled, excluded_file(tmp_path))
    path = tmp_path / "run.json"
    row = {"run_id": "t_task1_a", "manual": 0, "query_id": "q1", "comb_score": 1, "passage": ""}
    path.write_text(json.dumps([{**row, "doc_id": str(doc), "rel_score": 1 / doc} for doc in (1, 4, 5)]))
    done = import_run(filled, path, name="json", options=ImportOptions())
    assert (done.counts.ranked, done.counts.excluded) == (2, 1)
    with pytest.raises(psycopg.Error, match="the document '7' is left out for this query"), filled.transaction():
        filled.execute("INSERT INTO st1_rankings (run, query, doc, rank, rel_score) VALUES ('json', 'q1', 7, 3, 0)")


def test_neither_pools_nor_expansions_have_them(filled: psycopg.Connection, tmp_path: Path) -> None:
    qrels = tmp_path / "a.qrels"
    qrels.write_text("q1 0 5 2\n")
    import_qrels(filled, qrels, edition="e")
    set_excluded(filled, excluded_file(tmp_path))
    run(filled, system="bm25", name="mine", depth=20)
    make_pool(filled, "p")
    pooled = filled.execute(
        "SELECT q.query, d.docno FROM stc_all.qrels_pool_documents p JOIN st1_queries q ON q.id = p.query"
        " JOIN dblp d ON d.id = p.doc"
    ).fetchall()
    assert pooled
    assert not any(docno in LEFT_OUT.get(query, ()) for query, docno in pooled)
    expand(filled, "e", into="near", neighbours=79, threshold=-1)
    added = {docno for (docno,) in filled.execute("SELECT docno FROM judgments WHERE edition = 'near' AND origin = 'knn'")}
    assert added == {str(doc) for doc in range(1, 81)} - {"5", *LEFT_OUT["q1"]}


def test_an_unfinished_run_begins_again(filled: psycopg.Connection, tmp_path: Path) -> None:
    state = "SELECT stc.run_state('bm25')"
    before = filled.execute(state).fetchone()
    set_excluded(filled, excluded_file(tmp_path))
    assert filled.execute(state).fetchone() != before


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("query,docno\nq1,4\nq2\n", [("q1", "4"), ("q2", None)]),
        ("# made by hand\nq1 4\n", [("q1", "4")]),
        (
            '{"id": "q1", "excluded_ids": ["4", 5]}\n{"id": "q2", "excluded_ids": ["N/A"]}\n',
            [("q1", "4"), ("q1", "5"), ("q2", None)],
        ),
    ],
)
def test_files(tmp_path: Path, text: str, pairs: list[tuple[str, str | None]]) -> None:
    path = tmp_path / "any"
    path.write_text(text)
    assert [(pair.query, pair.docno) for pair in read_excluded(path)] == pairs


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("q1 0 4 1\n", BadInput, "any:1: 4 columns instead of 2: 'q1 0 4 1'"),
        ("q9 4\n", UnknownObject, "any:1: there is no query 'q9'"),
        ("4 q1\n", UnknownObject, "any:1: there is no query '4'"),
        ("q1 x\nq1 y\n", BadInput, "any:1: none of the documents is stored; the first is 'x'"),
        ("\n", BadInput, "any: contains no query"),
        ('{"id": "q1", "gold_ids": []}', BadInput, "any:1: the object has no excluded_ids, a list of docnos: "),
    ],
)
def test_bad_files_change_nothing(
    filled: psycopg.Connection, tmp_path: Path, text: str, error: type[Exception], message: str
) -> None:
    (tmp_path / "any").write_text(text)
    with pytest.raises(error) as refused:
        set_excluded(filled, tmp_path / "any")
    assert str(refused.value).partition("any")[2].startswith(message.removeprefix("any"))
    assert filled.execute("SELECT count(*) FROM excluded_documents").fetchone() == (0,)


def test_topics_with_excluded_ids_and_the_commands(filled: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    """BRIGHT's examples name the documents that each query leaves out."""
    path = tmp_path / "examples.jsonl"
    path.write_text(
        '{"id": "0", "query": "Why does a door listen?", "excluded_ids": ["4", "nowhere"], "gold_ids": ["5"]}\n'
        '{"id": "1", "query": "Why?", "excluded_ids": ["N/A"]}\n'
    )
    loaded = load(filled, [path])
    assert (loaded.queries, loaded.excluded, loaded.lacking) == (2, 1, 1)
    assert filled.execute("SELECT query, docno FROM excluded_documents").fetchall() == [("0", "4")]
    done = CliRunner().invoke(stc, ["load", "--as", "excluded", str(excluded_file(tmp_path))], obj=settings, catch_exceptions=False)
    assert done.stdout == f"{tmp_path}/excluded.tsv: 44 documents left out for 2 queries\n"
    done = CliRunner().invoke(stc, ["run", "bm25"], obj=settings, catch_exceptions=False)
    assert done.exit_code == 0
    lost = tmp_path / "more.tsv"
    lost.write_text("q3 9\nq1\n")
    assert set_excluded(filled, lost) == (2, 1, 0, 0, 1)
    assert filled.execute("SELECT count(*) FROM excluded_documents WHERE query = 'q1'").fetchone() == (0,)


@pytest.mark.parametrize(
    ("queries", "ids"),
    [
        ('{"_id": "7", "text": "A door", "metadata": {}}\n{"_id": "none", "text": "Homes"}\n', "query"),  # ArguAna, of BEIR
        (
            '{"query_id": "7_method", "query": "A door"}\n{"query_id": "none_result", "query": "Homes"}\n',
            "split_part(query, '_', 1)",
        ),
    ],
)
def test_queries_named_after_their_documents(filled: psycopg.Connection, tmp_path: Path, queries: str, ids: LiteralString) -> None:
    (tmp_path / "queries.jsonl").write_text(queries)
    load(filled, [tmp_path / "queries.jsonl"])
    named: LiteralString = "(SELECT array_agg({} ORDER BY query) FROM queries WHERE query !~ '^q')"
    calls = filled.execute(
        "SELECT queries, documents, unknown FROM stc.exclude_documents(" + named.format("query") + "," + named.format(ids) + ")"
    )
    assert calls.fetchall() == [(2, 1, 1)]
    assert filled.execute("SELECT query LIKE '7%', docno FROM excluded_documents").fetchall() == [(True, "7")]


def test_queries_taken_from_documents_are_named(filled: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    [(text,)] = filled.execute("SELECT upper(title) || ': ' || abstract || ' and voice' FROM dblp_text WHERE id = 9").fetchall()
    [(part,)] = filled.execute("SELECT concat_ws(', ', title, abstract) FROM dblp_text WHERE id = 9").fetchall()
    assert len(part.split()) == 9
    filled.execute("UPDATE dblp_text SET abstract = abstract || '. And voice!' WHERE id = 9")
    filled.execute(
        "INSERT INTO st1_queries (query, text) VALUES ('taken', %s), ('short', %s), ('other', %s)", [text, part, text + " x"]
    )
    build(filled, "portable")
    told = "1 query has a text that occurs in a document: taken in 9."
    assert told in CliRunner().invoke(stc, ["run", "bm25"], obj=settings, catch_exceptions=False).stderr
    (tmp_path / "excluded").write_text("taken 9\n")
    set_excluded(filled, tmp_path / "excluded")
    assert told not in CliRunner().invoke(stc, ["run", "bm25", "--replace"], obj=settings, catch_exceptions=False).stderr
    named = Collection(settings).search_many({"taken": text, "new": text}, "bm25", k=5)
    first = {qid: docno for qid, docno, rank, _ in named.itertuples(index=False) if rank == 1}
    assert first["new"] == "9" != first["taken"]
    assert sorted(named["rank"]) == sorted([1, 2, 3, 4, 5] * 2)


def test_a_search_of_a_stored_text_says_what_it_does_not_exclude(
    filled: psycopg.Connection, settings: Settings, tmp_path: Path
) -> None:
    set_excluded(filled, excluded_file(tmp_path))
    note = "5 documents are excluded for the query q1, which has this text, but not here; the filter excluded-for=q1 excludes them"

    def searched(text: str, *filters: str) -> tuple[list[str], str]:
        typed = ["search", text, "--system", "boolean", "-k", "80", "--format", "csv", *filters]
        done = CliRunner().invoke(stc, typed, obj=settings, catch_exceptions=False)
        return [line.split(",")[2] for line in done.stdout.splitlines()[1:]], done.stderr

    everywhere, told = searched(QUERIES["q1"])
    assert note in told
    without_them, silent = searched(QUERIES["q1"], "--filter", "excluded-for=q1")
    assert silent == ""
    assert without_them == [docno for docno in everywhere if docno not in LEFT_OUT["q1"]] != everywhere
    assert searched("graph people")[1] == searched(QUERIES["q3"])[1] == ""
    with TestClient(make_app(Desk(conninfo(settings)), title="t"), base_url="http://127.0.0.1:8766") as client:
        asked = {"q": QUERIES["q1"], "system": "boolean"}
        assert client.get("/api/search", params=asked).json()["note"] == note
        assert client.get("/api/search", params={**asked, "excluded_for": "q1"}).json()["note"] is None
        page = client.get("/search", params=asked).text
        assert "5 documents are excluded for the query q1, which has this text." in page
        [address] = re.findall(r'href="([^"]*excluded_for=q1[^"]*)"', page)
        assert "excluded_for=q1" not in client.get(unescape(address)).text.partition("stc-weak")[2]
