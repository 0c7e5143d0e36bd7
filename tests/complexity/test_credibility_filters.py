"""Filters on credibility and readability: matching documents, and every search returns k documents if k match."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from stcollection.complexity.credibility import rank_citations
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.retrieval import SPARSE, SYSTEMS
from stcollection.retrieval.search import search
from stcollection.vectors.embed import embed
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.passages import cut_passages, embed_passages
from stcollection.vectors.queries import notation
from tests import databases
from tests.complexity.records import put_records, record
from tests.examples import examples
from tests.groups import retrieval
from tests.text.documents import build, clone, found, ids, scans
from tests.vectors.worlds import BagOfWords, SparseWords, clustered, put_vectors

pytestmark = pytest.mark.slow

RECORDS = {
    1: record(2020, 30, references=[1, 2, 3]),
    2: record(2020, 0, references=[]),
    3: record(2011, 30),
    4: record(2011, 100, references=[1]),
    5: record(None, 7, references=[1]),
    6: record(2011, None),
    7: record(0, 7),
    8: record(2019, 3),
}


@databases.world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    put_records(conn, RECORDS)
    rank_citations(conn, as_of=2020)
    conn.execute("INSERT INTO st1_complexity_metrics (id, textstat_fkgl) VALUES (1, 9.5), (2, 14), (4, 11)")
    return conn


def let_through(conn: psycopg.Connection, wanted: object) -> list[int]:
    row = conn.execute("SELECT filter_docs(%s::jsonb)", [json.dumps(wanted)]).fetchone()
    assert row is not None
    return sorted(row[0] or [])


@pytest.mark.parametrize(
    ("wanted", "docs"),
    [
        ({"references": [1, None]}, [1, 4, 5]), ({"references": 0}, [2]), ({"references": [None, 1]}, [2, 4, 5]),
        ({"age": 0}, [1, 2]), ({"age": [None, 1]}, [1, 2, 8]), ({"age": [1, None]}, [3, 4, 6, 8]), ({"age": [1, 9]}, [3, 4, 6, 8]),
        ({"age": [0, None]}, [1, 2, 3, 4, 6, 8]), ({"age": [-5, 0]}, [1, 2]), ({"age": 9.0}, [3, 4, 6]), ({"age": -1}, []),
        ({"age": [2147483647, None]}, []), ({"age": [-2147483647, 2147483647]}, [1, 2, 3, 4, 6, 8]),
        ({"citations_per_year": [10, None]}, [1, 4]), ({"citations_per_year": 3}, [3]),
        ({"citations_per_year": [None, 1.5]}, [2, 8]),
        ({"citations_per_year": [-1e300, 1e300]}, [1, 2, 3, 4, 8]), ({"citations_per_year": [1e300, None]}, []),
        ({"citation_percentile": [75, None]}, [1, 4]), ({"citation_percentile": 25}, [2, 3]),
        ({"citation_percentile": [50, 60]}, [8]),
        ({"citation_percentile": [0, 100]}, [1, 2, 3, 4, 8]),
        ({"citation_percentile": [75, None], "textstat_fkgl": [None, 12], "age": [None, 5]}, [1]),
        ({"textstat_fkgl": [None, 12], "citations": [100, None]}, [4]),
    ],
)  # fmt: skip
def test_matching_documents(filled: psycopg.Connection, wanted: dict[str, Any], docs: list[int]) -> None:
    assert let_through(filled, wanted) == docs


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        ({"age": "5"}, "5"), ({"age": [1.5, None]}, "1.5"), ({"age": [None, None]}, "null"), ({"references": [1]}, "[1]"),
        ({"references": 1.5}, "1.5"), ({"citations_per_year": "many"}, "many"),
        ({"citations_per_year": 1e305}, "citations_per_year"),
        ({"citation_percentile": [90, 101]}, "101"), ({"citation_percentile": -0.5}, "-0.5"), ({"citation_percentile": {}}, "{}"),
        ({"credibility": 3}, "credibility"), ({"percentile": [90, None]}, "percentile"),
    ],
)  # fmt: skip
def test_invalid_filters_are_reported(filled: psycopg.Connection, wanted: dict[str, Any], value: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        let_through(filled, wanted)
    assert error.value.sqlstate == "IR202"
    assert value in str(error.value)
    assert error.value.diag.message_hint


numbers = st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0, 1, 50, 100, 2**31 - 1])


@examples(200)
@given(
    wanted=st.dictionaries(
        st.sampled_from(["age", "references", "citations_per_year", "citation_percentile"]),
        numbers | st.lists(numbers, min_size=2, max_size=2) | st.text(max_size=3),
        min_size=1,
    )
)
def test_a_filter_is_read_or_refused(filled: psycopg.Connection, wanted: Mapping[str, object]) -> None:
    if "\\u0000" in json.dumps(wanted):
        return
    try:
        assert set(let_through(filled, wanted)) <= set(RECORDS)
    except psycopg.Error as error:
        assert error.sqlstate == "IR202"  # noqa: PT017


@pytest.mark.parametrize("wanted", [{"citation_percentile": [90, None]}, {"textstat_fkgl": [None, 12]}])
def test_filters_on_missing_measures_raise(conn: psycopg.Connection, wanted: dict[str, Any]) -> None:
    put_records(conn, RECORDS)
    build_text(conn)
    for function in ("bm25_search", "boolean_search", "rm3_search"):
        with pytest.raises(psycopg.Error) as error:
            conn.execute(f"SELECT * FROM {function}('voice', 5, filter => %s::jsonb)", [json.dumps(wanted)])
        assert error.value.sqlstate == "IR405"
        assert "stc complexity c" in (error.value.diag.message_hint or "")


def test_age_needs_no_ranking(conn: psycopg.Connection) -> None:
    put_records(conn, RECORDS)
    assert let_through(conn, {"age": 0}) == [1, 2]
    assert let_through(conn, {"citations_per_year": [10, None]}) == [1, 4]
    conn.execute("DELETE FROM dblp WHERE doc ->> 'year' = '2020'")
    assert let_through(conn, {"age": [None, 0]}) == [8]
    conn.execute("DELETE FROM dblp")
    assert let_through(conn, {"age": [None, 0]}) == []


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ({"age": [None, 0]}, "dblp_facts_year_idx"), ({"citations_per_year": [2900, None]}, "dblp_facts_n_citation_idx"),
        ({"references": [99, None]}, "dblp_facts_n_reference_idx"),
        ({"citation_percentile": [99.5, None]}, "citation_ranks_percentile_idx"),
    ],
)  # fmt: skip
def test_an_index_is_used(conn: psycopg.Connection, wanted: dict[str, Any], name: str) -> None:
    put_records(conn, {doc: record(1990 + doc % 30, doc, references=list(range(doc % 100))) for doc in range(3000)})
    rank_citations(conn)
    conn.execute("ANALYZE")
    row = conn.execute("SELECT stc.filter_condition(%s::jsonb)", [json.dumps(wanted)]).fetchone()
    assert row is not None
    with psycopg.ClientCursor(conn) as cursor:
        condition = row[0].replace("%", "%%").replace("$1", "%(filter)s::jsonb")
        plan = cursor.execute(f"EXPLAIN SELECT d.id FROM dblp_facts d WHERE {condition}", {"filter": json.dumps(wanted)}).fetchall()
    assert any(f" {name}" in line for (line,) in plan)


def build_text(conn: psycopg.Connection, engine: str = "portable") -> None:
    conn.execute("INSERT INTO dblp_text (id, title, abstract) SELECT id, 'voice number' || id, 'voices of people' FROM dblp")
    build(conn, engine)


@databases.world
def small(conn: psycopg.Connection) -> psycopg.Connection:
    """Forty documents of one year and field, each with its id as number of citations: the percentile is 2.5 id - 1.25."""
    put_records(conn, {doc: record(2000, doc, ["voice"], references=list(range(doc % 5))) for doc in range(1, 41)})
    build_text(conn)
    conn.execute("INSERT INTO st1_complexity_metrics (id, textstat_fkgl) SELECT id, id % 4 FROM dblp")
    rank_citations(conn)
    embed(conn, model=BagOfWords(), fields=("title", "abstract", "content"))
    cut_passages(conn, by="sentence")
    embed_passages(conn, model=BagOfWords())
    embed(conn, model=SparseWords())
    return conn


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_system_takes_both(small: psycopg.Connection, system: str) -> None:
    wanted = {"citation_percentile": [50, None], "textstat_fkgl": [None, 1], "references": [1, None], "age": 0}
    right = {doc for doc in range(21, 41) if doc % 4 <= 1 and doc % 5 >= 1}
    assert len(right) == 8
    for k in (1, 5, 8, 40):
        model = SparseWords() if system in SPARSE else BagOfWords()
        got = search(small, "voice", system=system, k=k, filter=wanted, model=model)
        assert len(got) == min(k, 8)
        assert {one.doc for one in got} <= right


def test_the_options_of_the_command(small: psycopg.Connection, settings: Settings) -> None:
    def docs(*options: str) -> set[int]:
        arguments = ["search", "voice", "--system", "bm25", "-k", "40", "--json", *options]
        done = CliRunner().invoke(retrieval, arguments, obj=settings, catch_exceptions=False)
        assert done.exit_code == 0
        return {row["doc"] for row in json.loads(done.stdout)}

    assert docs("--credibility", "citation_percentile=90..", "--readability", "textstat_fkgl=..1") == {37, 40}
    assert docs("--credibility", "citations_per_year=38..", "--credibility", "references=1..4") == {38, 39}
    assert docs("--credibility", "age=1..") == set()
    with pytest.raises(BadArgument, match="credibility 'age' has no range"):
        docs("--credibility", "age")
    with pytest.raises(BadArgument, match="no key percentil") as error:
        docs("--credibility", "percentil=90..")
    assert error.value.hint is not None
    assert "citation_percentile" in error.value.hint


DOCUMENTS = 4000


@pytest.fixture(scope="module", params=["portable", "pg_textsearch"])
def large(
    request: pytest.FixtureRequest, server: Settings, template: str, admin: psycopg.Connection
) -> Iterator[psycopg.Connection]:
    """Enough documents for an index scan under a filter that half of them match (filter_few)."""
    rng = np.random.default_rng(3)
    with clone(server, admin, template, f"credible_{request.param}") as conn:
        cited = rng.permutation(DOCUMENTS)
        put_records(conn, {doc: record(2000, int(cited[doc]), references=list(range(doc % 3))) for doc in range(DOCUMENTS)})
        conn.execute("INSERT INTO st1_complexity_metrics (id, textstat_fkgl) SELECT id, id % 10 FROM dblp")
        with conn.cursor() as cursor, cursor.copy("COPY dblp_text (id, title, abstract) FROM STDIN") as copy:
            for doc, drawn in enumerate(rng.zipf(1.3, size=(DOCUMENTS, 9)) % 300):
                copy.write_row((doc, f"w{drawn[0]}x", " ".join(f"w{word}x" for word in drawn[1:])))
        build(conn, request.param)
        rank_citations(conn)
        vectors = clustered(DOCUMENTS, seed=9)
        put_vectors(conn, title=dict(enumerate(vectors)), abstract=dict(enumerate(vectors)))
        index(conn, fields=["title"], options=IndexOptions(lists=20, effort=3))
        yield conn


FILTERS = (
    {"citation_percentile": [50, None]}, {"citation_percentile": [98, None]}, {"textstat_fkgl": [None, 4]},
    {"citation_percentile": [50, None], "textstat_fkgl": [None, 6]}, {"references": [1, None]},
    {"citations_per_year": [3990, None]},
)  # fmt: skip


@pytest.mark.parametrize("wanted", FILTERS, ids=json.dumps)
def test_exactly_k_with_the_same_scores(large: psycopg.Connection, wanted: dict[str, Any]) -> None:
    passing = set(let_through(large, wanted))
    asked = json.dumps(wanted)
    for function in ("bm25_search", "boolean_search"):
        everything = large.execute(f"SELECT doc, score FROM {function}('w1x w20x', {DOCUMENTS}) ORDER BY rank").fetchall()
        right = [score for doc, score in everything if doc in passing]
        for k in (1, 20, 200):
            rows = large.execute(f"SELECT * FROM {function}('w1x w20x', %s, filter => %s::jsonb)", [k, asked]).fetchall()
            assert {row[0] for row in rows} <= passing
            assert [row[1] for row in rows] == pytest.approx(right[:k], rel=1e-6)
    for k in (1, 20, 200):
        rows = large.execute("SELECT * FROM rm3_search('w1x w20x', %s, filter => %s::jsonb)", [k, asked]).fetchall()
        assert min(k, len(right)) <= len(rows) <= min(k, len(passing))  # the larger search requests more, and may find more
        assert set(ids(rows)) <= passing


@pytest.mark.parametrize("wanted", FILTERS, ids=json.dumps)
def test_exactly_k_by_vectors(large: psycopg.Connection, wanted: dict[str, Any]) -> None:
    passing = set(let_through(large, wanted))
    query = notation(clustered(1, seed=2)[0])
    walked = scans(large, "dblp_v_title_ivfflat")
    for k in (1, 20, 200):
        for field in ("title", "abstract"):
            rows = found(large, "dense_search", query, k, field, None, json.dumps(wanted))
            assert len(rows) == min(k, len(passing))
            assert set(ids(rows)) <= passing
        rows = large.execute(
            "SELECT * FROM hybrid_search('w1x w20x', %s, %s::vector, filter => %s::jsonb)", [k, query, json.dumps(wanted)]
        ).fetchall()
        assert len(rows) == min(k, len(passing))
        assert set(ids(rows)) <= passing
    # Up to 1,000 documents, plus the rows that a scan reads of the index (3 of 20 lists), are compared exactly.
    if len(passing) > 1000 + DOCUMENTS * 3 / 20:
        assert scans(large, "dblp_v_title_ivfflat") > walked
