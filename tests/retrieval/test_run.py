"""Runs made by the systems of the collection over all queries."""

from __future__ import annotations

import json
from collections import defaultdict

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.retrieval import PUBLISHED, SPARSE, SYSTEMS
from stcollection.retrieval.run import run
from stcollection.vectors.embed import embed
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.passages import cut_passages, embed_passages
from stcollection.vectors.queries import embed_queries
from tests import databases
from tests.groups import retrieval
from tests.text.documents import build, put
from tests.vectors.worlds import BagOfWords, SparseWords

pytestmark = pytest.mark.slow

WORDS = ["voice", "home", "graph", "people", "machine", "listen", "draw", "door", "lamp", "sound"]
QUERIES = {"q1": "voice home", "q2": "graph", "q10": "people and a machine", "empty": "", "stub": None, "none": "xyzzy"}


@databases.world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    rng = np.random.default_rng(3)
    put(conn, {doc: (" ".join(rng.choice(WORDS, 2)), " ".join(rng.choice(WORDS, 6)) if doc % 4 else None) for doc in range(1, 121)})
    conn.cursor().executemany("INSERT INTO st1_queries (query, text) VALUES (%s, %s)", list(QUERIES.items()))
    conn.execute("INSERT INTO st1_runs (run) VALUES ('decoy')")
    conn.execute(
        "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) SELECT r.id, q.id, 5, 1, 9 FROM st1_runs r, st1_queries q"
    )
    build(conn, "portable")
    embed(conn, model=BagOfWords(), fields=("title", "abstract", "content"))
    cut_passages(conn, by="sentence")
    embed_passages(conn, model=BagOfWords())
    embed(conn, model=SparseWords())
    index(conn, options=IndexOptions(lists=3, effort=2))
    return conn


def rows(conn: psycopg.Connection, name: str) -> dict[str, list[tuple[int, float, str]]]:
    """Return stored rank, score and docno of a run by query, ordered by rank."""
    ranked = defaultdict(list)
    for query, *row in conn.execute("SELECT query, rank, rel_score, docno FROM rankings WHERE run = %s ORDER BY rank", [name]):
        ranked[query].append(tuple(row))
    return dict(ranked)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_run_is_what_the_system_finds_for_each_query(filled: psycopg.Connection, system: str) -> None:
    done = run(filled, system=system, name="mine", depth=30, model=SparseWords() if system in SPARSE else BagOfWords())
    stored = rows(filled, "mine")
    assert (done.run, done.system, done.queries, done.ranked) == ("mine", system, len(stored), sum(map(len, stored.values())))
    expected = {
        query: filled.execute(
            "SELECT score, docno FROM system_search(%s, %s, 30) s JOIN dblp d ON d.id = s.doc", [text, system]
        ).fetchall()
        for query, text in QUERIES.items()
        if text is not None
    }
    assert done.long == ()
    assert stored.keys() == {query for query, found in expected.items() if found}
    for query, ranked in stored.items():
        # trec_eval 9: single precision descending, then docno descending as bytes.
        order = sorted(expected[query], key=lambda row: row[1].encode(), reverse=True)
        order.sort(key=lambda row: np.float32(row[0]), reverse=True)
        assert [(score, docno) for _, score, docno in ranked] == order
        assert [rank for rank, _, _ in ranked] == list(range(1, len(order) + 1))
    assert len(rows(filled, "decoy")) == len(QUERIES)


def test_what_is_recorded(filled: psycopg.Connection) -> None:
    run(filled, system="hybrid", name="mine", depth=7, team="us", model=BagOfWords())
    [(team, tag, manual, family, params)] = filled.execute(
        "SELECT team, tag, manual, family, params FROM st1_runs WHERE run = 'mine'"
    ).fetchall()
    assert (team, tag, manual, family) == ("us", "mine", False, "hybrid")
    assert (params["system"], params["depth"]) == ("hybrid", 7)
    assert params["indexes"]["text"]["engine"] == "portable"
    assert (params["indexes"]["title"]["lists"], params["indexes"]["title"]["effort"]) == (3, 2)
    run(filled, system="dense-title", name="title", model=BagOfWords())
    [(family, params)] = filled.execute("SELECT family, params FROM st1_runs WHERE run = 'title'").fetchall()
    assert family == "dense"
    assert params["indexes"].keys() == {"title"}


def test_depth_is_a_query(filled: psycopg.Connection) -> None:
    done = run(filled, system="dense-title", name="mine", depth=4, model=BagOfWords())
    assert {len(ranked) for ranked in rows(filled, "mine").values()} == {4}
    assert done.ranked == 4 * sum(text is not None for text in QUERIES.values())


def test_a_name_that_is_taken(filled: psycopg.Connection) -> None:
    run(filled, system="bm25", name="mine")
    before = rows(filled, "mine")
    with pytest.raises(BadArgument, match="run mine already") as error:
        run(filled, system="boolean", name="mine")
    assert error.value.hint is not None
    assert "--replace" in error.value.hint
    assert rows(filled, "mine") == before
    run(filled, system="boolean", name="mine", replace=True)
    assert rows(filled, "mine") != before
    assert filled.execute("SELECT count(*) FROM st1_runs WHERE run = 'mine'").fetchone() == (1,)


def test_a_failed_replacement_leaves_the_old_run(filled: psycopg.Connection) -> None:
    run(filled, system="bm25", name="mine")
    before = rows(filled, "mine")
    filled.execute("TRUNCATE dblp_v")
    with pytest.raises(StateError):
        run(filled, system="dense-title", name="mine", replace=True, model=BagOfWords())
    assert rows(filled, "mine") == before


@pytest.mark.usefixtures("dsn")
def test_the_lists_are_vacuumed(filled: psycopg.Connection) -> None:
    run(filled, system="bm25", name="mine")
    [(pages, visible)] = filled.execute(
        "SELECT relpages, relallvisible FROM pg_class WHERE oid = 'stc.ranked_lists'::regclass"
    ).fetchall()
    assert visible == pages > 0


def test_within_the_callers_transaction(filled: psycopg.Connection, dsn: str) -> None:
    with psycopg.connect(dsn) as conn:
        conn.execute("SELECT 1")
        run(conn, system="bm25", name="mine")
        conn.rollback()
    assert rows(filled, "mine") == {}


def test_errors(filled: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject, match="splade"):
        run(filled, system="splade", name="mine")
    with pytest.raises(BadArgument, match="depth is 0"):
        run(filled, system="bm25", name="mine", depth=0)
    with pytest.raises(BadArgument, match="the name of the run is empty"):
        run(filled, system="bm25", name=" ")
    filled.execute("DELETE FROM stc.st1_rankings")
    filled.execute("DELETE FROM st1_queries WHERE text <> 'xyzzy'")
    with pytest.raises(StateError, match="bm25 finds nothing for any query: no document contains a word of a query"):
        run(filled, system="bm25", name="mine")
    filled.execute("UPDATE st1_queries SET text = NULL")
    with pytest.raises(StateError, match=r"there is no query with a text$") as error:
        run(filled, system="bm25", name="mine")
    assert error.value.sqlstate == "IR405"
    assert filled.execute("SELECT count(*) FROM st1_runs").fetchone() == (1,)


@pytest.mark.parametrize(
    ("system", "text", "filter_", "reason", "step"),
    [
        ("conjunctive", "voice xyzzy", None, "no document contains all words of a query$", "run boolean"),
        ("conjunctive", "voice home", '{"year": 1900}', 'no document matches the filter {"year": 1900}', "wider filter"),
        ("boolean", "+voice +xyzzy", None, "no document contains the required words of a query$", "run bm25"),
        ("bm25", "xyzzy", '{"text": "voice"}', "no document contains a word of a query and matches the filter", "show text"),
        ("rm3", "xyzzy", None, "no document contains a word of a query$", "show text"),
        ("dense-title", "voice", '{"venue": ["none"]}', "no document matches the filter", "wider filter"),
    ],
)
def test_a_run_without_results_says_why(
    filled: psycopg.Connection, system: str, text: str, filter_: str | None, reason: str, step: str
) -> None:
    filled.execute("DELETE FROM stc.st1_rankings")
    filled.execute("DELETE FROM st1_queries WHERE query <> 'q1'")
    filled.execute("UPDATE st1_queries SET text = %s", [text])
    embed_queries(filled, model=BagOfWords())
    with pytest.raises(StateError, match=f"{system} finds nothing for any query: {reason}") as error:
        run(filled, system=system, name="mine", filter=None if filter_ is None else json.loads(filter_))
    assert error.value.sqlstate == "IR405"
    assert step in (error.value.hint or "")
    with pytest.raises(psycopg.Error, match=reason.removesuffix("$")):
        filled.execute("SELECT make_run('mine', %s, filter => %s)", [system, filter_])


@pytest.mark.parametrize("stubs", [False, True])
def test_without_documents_every_system_says_so(conn: psycopg.Connection, stubs: bool) -> None:
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'voice')")
    if stubs:
        conn.execute("INSERT INTO dblp (id, docno, doc, stub) VALUES (1, '1', '{}', true)")
    for system in SYSTEMS:
        with pytest.raises(StateError, match="the collection has no documents") as error:
            run(conn, system=system, name="mine")
        assert "stc load --as corpus" in (error.value.hint or "")
        for statement in ("SELECT make_run('mine', %s)", "SELECT stc.search_page('voice', %s)"):
            with pytest.raises(psycopg.Error, match="the collection has no documents"):
                conn.execute(statement, [system])


def test_documents_without_text_are_named(conn: psycopg.Connection) -> None:
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'voice')")
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}')")
    conn.execute("INSERT INTO dblp_text (id, title) VALUES (1, '?')")
    with pytest.raises(StateError, match="no document has a title or an abstract") as error:
        run(conn, system="conjunctive", name="mine")
    assert "--map title=FIELD" in (error.value.hint or "")


def test_a_query_without_vector_is_named_in_sql(filled: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error, match="no vector of the query") as error:
        filled.execute("SELECT * FROM make_run('mine', 'dense-title')")
    assert error.value.sqlstate == "IR405"


def test_the_command_fills_a_run_of_each_system(filled: psycopg.Connection, settings: Settings) -> None:
    embed_queries(filled, model=BagOfWords())
    done = CliRunner().invoke(retrieval, ["run", "--all", "--depth", "20"], obj=settings, catch_exceptions=False)
    assert done.exit_code == 0
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == list(PUBLISHED)
    assert {row[0] for row in filled.execute("SELECT run FROM st1_runs")} == {*PUBLISHED, "decoy"}
    filled.execute("DELETE FROM st1_runs WHERE run = 'bm25'")
    numbers = filled.execute("SELECT id FROM st1_runs ORDER BY id").fetchall()
    first, last = CliRunner().invoke(retrieval, ["run", "--all", "--depth", "20"], obj=settings).stdout.splitlines()
    others = ", ".join(sorted(set(PUBLISHED) - {"bm25"}))
    assert (first.split(":")[0], last) == ("bm25", f"skipped {others}: already stored; --replace makes them again")
    assert filled.execute("SELECT id FROM st1_runs WHERE run <> 'bm25' ORDER BY id").fetchall() == numbers
    again = CliRunner().invoke(retrieval, ["run", "--all", "--depth", "20", "--replace"], obj=settings)
    assert [line.split(":")[0] for line in again.stdout.splitlines()] == list(PUBLISHED)
    for wrong in (["run"], ["run", "bm25", "--all"], ["run", "--all", "--name", "mine"]):
        assert CliRunner().invoke(retrieval, wrong, obj=settings).exit_code == 2
    unknown = CliRunner().invoke(retrieval, ["run", "bm52"], obj=settings).exception
    assert isinstance(unknown, UnknownObject)
    assert "bm25" in (unknown.hint or "")


@pytest.mark.parametrize("system", ["dense-title", "dense-passage", "rocchio-abstract", "hybrid"])
def test_missing_vectors_are_reported_before_queries_are_embedded(conn: psycopg.Connection, system: str) -> None:
    put(conn, {1: ("voice", "home"), 2: ("graph", "people")})
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'voice')")
    build(conn, "portable")
    encoder = BagOfWords()
    with pytest.raises(StateError, match=r"vector|passage") as error:
        run(conn, system=system, name="mine", model=encoder)
    assert "stc vectors" in str(error.value.hint)
    assert encoder.seen == []
    assert conn.execute("SELECT count(*) FROM query_v").fetchone() == (0,)


def test_a_search_misses_vectors_before_the_model_is_loaded(
    conn: psycopg.Connection, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(conn, {1: ("voice", "home")})
    build(conn, "portable")
    monkeypatch.setattr("stcollection.retrieval.search.query_vector", lambda *_, **__: pytest.fail("the search had begun"))
    done = CliRunner().invoke(retrieval, ["search", "voice"], obj=settings)
    assert isinstance(done.exception, StateError)
    assert "stc vectors" in str(done.exception.hint)


def test_all_systems_are_checked_before_the_first_run_is_made(conn: psycopg.Connection, settings: Settings) -> None:
    put(conn, {1: ("voice", "home"), 2: ("graph", "people")})
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'voice')")
    build(conn, "portable")
    done = CliRunner().invoke(retrieval, ["run", "--all"], obj=settings)
    assert isinstance(done.exception, StateError)
    assert done.stdout == ""
    assert conn.execute("SELECT count(*) FROM st1_runs").fetchone() == (0,)


def test_queries_too_long_to_be_searched_whole_are_named(filled: psycopg.Connection) -> None:
    filled.execute("UPDATE st1_queries SET text = repeat('voice ', 2000) WHERE query = 'q2'")
    assert run(filled, system="bm25", name="mine").long == ("q2",)
    assert run(filled, system="bm25", name="other", queries="q1").long == ()
    assert run(filled, system="dense-title", name="dense", model=BagOfWords()).long == ()
