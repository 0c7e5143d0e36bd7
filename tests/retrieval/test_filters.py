"""Filters do not shorten a ranking: k documents are returned if k match, with the same scores as without a filter."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.retrieval import SPARSE, SYSTEMS
from stcollection.retrieval.filters import interval, known_docnos
from stcollection.retrieval.search import search
from stcollection.vectors.embed import embed
from stcollection.vectors.passages import cut_passages, embed_passages
from tests import databases
from tests.groups import retrieval
from tests.text.documents import build, clone, put
from tests.vectors.worlds import BagOfWords, SparseWords

pytestmark = pytest.mark.slow

DOCUMENTS = 20_000
SHARES = (0.5, 0.1, 0.01, 0.001, 0.0001)
ENGINES = ("portable", "pg_textsearch")


def ranking(conn: psycopg.Connection, function: str, query: str, k: int, wanted: dict[str, Any] | None) -> list[tuple[int, float]]:
    return conn.execute(
        f"SELECT doc, score FROM {function}(%s, %s, filter => %s::jsonb) ORDER BY rank",
        [query, k, None if wanted is None else json.dumps(wanted)],
    ).fetchall()


@pytest.fixture(scope="module", params=ENGINES)
def world(
    request: pytest.FixtureRequest, server: Settings, template: str, admin: psycopg.Connection
) -> Iterator[psycopg.Connection]:
    """Store 20,000 documents with Zipf-distributed words, a share SHARES[i] of them with year 2000 + i."""
    rng = np.random.default_rng(5)
    words = [f"w{word}x" for word in range(2000)]
    drawn = rng.zipf(1.3, size=(DOCUMENTS, 12)) % len(words)
    with clone(server, admin, template, f"filters_{request.param}") as conn:
        put(
            conn, {doc: (" ".join(words[w] for w in row[:4]), " ".join(words[w] for w in row[4:])) for doc, row in enumerate(drawn)}
        )
        years = np.full(DOCUMENTS, 1990)
        for place, share in enumerate(SHARES):
            years[rng.choice(DOCUMENTS, int(share * DOCUMENTS), replace=False)] = 2000 + place
        conn.execute("SELECT setseed(0)")
        with conn.cursor() as cursor:
            cursor.execute("CREATE TEMP TABLE y (id bigint, year int)")
            with cursor.copy("COPY y FROM STDIN") as copy:
                for row in enumerate(years.tolist()):
                    copy.write_row(row)
        conn.execute("UPDATE dblp SET doc = jsonb_build_object('year', y.year) FROM y WHERE y.id = dblp.id")
        build(conn, request.param)
        yield conn


@pytest.mark.slow
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("function", ["bm25_search", "boolean_search"])
def test_exactly_k_and_the_same_scores(world: psycopg.Connection, function: str, share: float) -> None:
    wanted = {"year": 2000 + SHARES.index(share)}
    for query in ("w1x w2x w50x", "w1x", "w1000x w1x"):
        everything = ranking(world, function, query, DOCUMENTS, None)
        years: dict[int, int] = dict(world.execute("SELECT id, year FROM dblp_facts").fetchall())
        passing = [row for row in everything if years[row[0]] == wanted["year"]]
        for k in (1, 10, 100):
            got = ranking(world, function, query, k, wanted)
            assert len(got) == min(k, len(passing))
            # An index may cut ties anywhere, so compare scores.
            assert [score for _, score in got] == pytest.approx([score for _, score in passing[:k]], rel=1e-6)
            assert {doc for doc, _ in got} <= {doc for doc, _ in passing}


@pytest.mark.parametrize("share", [0.5, 0.01])
def test_the_scores_of_a_plain_statement(world: psycopg.Connection, share: float) -> None:
    """BM25 of all documents by the portable engine, joined with the facts."""
    year = 2000 + SHARES.index(share)
    for query in ("w1x w2x w50x", "w1000x w1x", "w3x w5x w8x w13x w21x w34x w55x w89x"):
        plain = world.execute(
            "SELECT s.score FROM stc.bm25_portable(%s, %s) s JOIN dblp_facts d ON d.id = s.doc WHERE d.year = %s"
            " ORDER BY s.rank LIMIT 1000",
            [query, DOCUMENTS, year],
        ).fetchall()
        got = ranking(world, "bm25_search", query, 1000, {"year": year})
        assert [score for _, score in got] == pytest.approx([score for (score,) in plain], rel=1e-6)


def test_the_matching_documents_are_listed_unless_most_match(world: psycopg.Connection) -> None:
    def matching(wanted: str | None) -> list[int | None] | None:
        [found] = world.execute("SELECT stc.filter_matching(%s::jsonb, 10)", [wanted]).fetchone() or [None]
        return None if found is None else sorted(found, key=str)

    for year, share in enumerate(SHARES[1:], 2001):
        plain = world.execute('SELECT id FROM dblp_facts WHERE year = %s ORDER BY id::text COLLATE "C"', [year]).fetchall()
        assert matching(f'{{"year": {year}}}') == [doc for (doc,) in plain], share
    assert matching('{"year": 2000}') == [None]
    assert matching('{"year": 1800}') == []
    assert matching("{}") is None
    assert matching(None) is None
    with pytest.raises(psycopg.Error, match="a filter has no key colour"):
        matching('{"colour": "red"}')


def test_a_filter_that_lets_nothing_or_everything_through(world: psycopg.Connection) -> None:
    for function in ("bm25_search", "boolean_search"):
        assert ranking(world, function, "w1x", 10, {"year": 1800}) == []
        assert ranking(world, function, "w1x", 10, {"year": [0, 3000]}) == ranking(world, function, "w1x", 10, None)
        assert ranking(world, function, "w1x", 10, {}) == ranking(world, function, "w1x", 10, None)


@databases.world
def small(conn: psycopg.Connection) -> psycopg.Connection:
    put(conn, {doc: (f"voice number{doc}", "voices of people" if doc % 2 else None) for doc in range(1, 41)})
    conn.execute("UPDATE dblp SET doc = jsonb_build_object('year', 2000 + id % 4, 'n_citation', id, 'venue', 'Venue ' || id % 3)")
    build(conn, "portable")
    embed(conn, model=BagOfWords(), fields=("title", "abstract", "content"))
    cut_passages(conn, by="sentence")
    embed_passages(conn, model=BagOfWords())
    embed(conn, model=SparseWords())
    return conn


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_system_takes_a_filter(small: psycopg.Connection, system: str) -> None:
    model = SparseWords() if system in SPARSE else BagOfWords()
    got = search(small, "voice", system=system, k=40, filter={"year": 2001, "citations": [9, None]}, model=model)
    assert {one.doc for one in got} == {9, 13, 17, 21, 25, 29, 33, 37}
    assert {(one.year, one.venue, one.citations) for one in got} == {(2001, f"Venue {doc % 3}", doc) for doc in range(9, 40, 4)}


def test_a_run_over_the_judged_documents_of_each_query(small: psycopg.Connection) -> None:
    small.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'voice'), ('q2', 'people voice'), ('q3', 'voice')")
    small.execute("INSERT INTO qrels_editions (edition) VALUES ('train')")
    small.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, d, 1 FROM qrels_editions e, st1_queries q,"
        " (VALUES ('q1', 3), ('q1', 4), ('q2', 5)) v (name, d) WHERE q.query = v.name"
    )
    small.execute("""SELECT make_run('judged', 'bm25', filter => '{"judged": "train"}')""")
    assert small.execute("SELECT query, docno FROM rankings WHERE run = 'judged' ORDER BY query, docno").fetchall() == [
        ("q1", "3"),
        ("q1", "4"),
        ("q2", "5"),
    ]
    assert small.execute("SELECT params -> 'filter' FROM st1_runs").fetchone() == ({"judged": "train"},)


@pytest.mark.parametrize(
    ("text", "value"),
    [("2015..2020", [2015, 2020]), ("2015..", [2015, None]), ("..12.5", [None, 12.5]), (" 2018 ", 2018), ("-3..4", [-3, 4])],
)
def test_ranges_as_people_type_them(text: str, value: object) -> None:
    assert interval(text) == value


@pytest.mark.parametrize("text", ["", "..", "a..b", "2015...2020", "2015-2020", "1..2..3"])
def test_what_is_no_range(text: str) -> None:
    with pytest.raises(BadArgument, match="is not a range") as error:
        interval(text)
    assert error.value.hint


def test_a_list_of_documents(small: psycopg.Connection) -> None:
    assert known_docnos(small, ["3\n", " 5 ", "", "3"]) == ["3", "5"]
    with pytest.raises(UnknownObject, match="no document 'nope'") as error:
        known_docnos(small, ["3", "nope", "also"])
    assert error.value.hint is not None
    assert "2 of the 3" in error.value.hint
    with pytest.raises(BadArgument, match="empty"):
        known_docnos(small, ["\n"])


@pytest.mark.slow
def test_the_options_of_the_command(small: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    names = tmp_path / "docnos"
    names.write_text("9\n10\n13\n")

    def found(*options: str) -> set[str]:
        done = CliRunner().invoke(
            retrieval, ["search", "voice", "--system", "bm25", "-k", "40", "--json", *options], obj=settings, catch_exceptions=False
        )
        assert done.exit_code == 0
        return {row["docno"] for row in json.loads(done.stdout)}

    assert found("--year", "2001", "--citations", "30..") == {"33", "37"}
    assert found("--docnos", str(names), "--year", "2001") == {"9", "13"}
    assert found("--venue", "venue 0", "--venue", "%1", "--citations", "..6") == {"1", "3", "4", "6"}
    assert found("--with-text", "number7 or number8") == {"7", "8"}
    assert found("--filter", '{"citations": [39, null]}', "--year", "..2000") == {"40"}
    with pytest.raises(BadArgument, match="not JSON"):
        found("--filter", "{year")
    with pytest.raises(BadArgument, match="not a range"):
        found("--readability", "textstat_fkgl=easy")


def test_a_range_that_ends_before_it_begins() -> None:
    with pytest.raises(BadArgument, match=r"'2020\.\.2018' ends before it begins") as error:
        interval("2020..2018")
    assert error.value.hint == "Write 2018..2020."
