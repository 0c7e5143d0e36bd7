"""Filters: which documents match, errors for invalid filters, and the facts they read, which follow the documents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import databases
from tests.examples import examples
from tests.text.documents import build

pytestmark = pytest.mark.slow

RECORDS: dict[int, dict[str, Any]] = {
    1: {"year": 2010, "n_citation": 5, "doc_type": "Conference", "venue": {"raw": "SIGIR"}},
    2: {"year": 2015, "n_citation": 0, "doc_type": "Journal", "venue": {"raw": "Information Retrieval Journal"}},
    3: {"year": 2020, "n_citation": 50, "doc_type": "Conference", "venue": {"raw": "sigir"}},
    4: {"year": "2020", "n_citation": "7", "venue": "100% Proof"},
    5: {},
    6: {"year": "n.d.", "n_citation": -1, "venue": {"id": 3}, "doc_type": ""},
    7: {"year": None, "venue": {"raw": "x" * 5000}},
}


@databases.world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    conn.cursor().executemany(
        "INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, %s)", [(one, f"d{one}", json.dumps(doc)) for one, doc in RECORDS.items()]
    )
    conn.execute("INSERT INTO dblp (id, docno, doc, stub) VALUES (90, 'stub', '{\"year\": 2015}', true)")
    conn.execute(
        "INSERT INTO dblp_text (id, title, abstract) VALUES (1, 'voice at home', NULL), (2, 'graphs', 'voice'), (3, 'maps', NULL)"
    )
    conn.execute("INSERT INTO st1_complexity_metrics (id, textstat_fkgl, cmu_fkgl) VALUES (1, 9.5, 1), (2, 14, 2), (3, NULL, 3)")
    conn.execute("INSERT INTO st1_queries (query) VALUES ('q1'), ('q2')")
    conn.execute("SELECT stc.exclude_documents('{q1,q1}', '{d1,d3}')")
    conn.execute("INSERT INTO qrels_editions (edition) VALUES ('train'), ('test')")
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, doc, rel"
        "  FROM (VALUES ('train', 'q1', 1, 0), ('train', 'q2', 3, 2), ('train', 'q1', 4, -1), ('test', 'q1', 2, 1))"
        " v (e, q, doc, rel) JOIN qrels_editions e ON e.edition = v.e JOIN st1_queries q ON q.query = v.q"
    )
    return conn


def let_through(conn: psycopg.Connection, wanted: object) -> list[int]:
    row = conn.execute("SELECT filter_docs(%s::jsonb)", [json.dumps(wanted)]).fetchone()
    assert row is not None
    return sorted(row[0] or [])


@pytest.mark.parametrize(
    ("wanted", "docs"),
    [
        ({"year": [2015, None]}, [2, 3, 4]),
        ({"year": [None, 2015]}, [1, 2]),
        ({"year": [2011, 2019]}, [2]),
        ({"year": 2020}, [3, 4]),
        ({"citations": [1, None]}, [1, 3, 4]),
        ({"citations": 0}, [2]),
        ({"venue": "SIGIR"}, [1, 3]),
        ({"venue": ["sigir", "information retrieval journal"]}, [1, 2, 3]),
        ({"venue": "%retrieval%"}, [2]),
        ({"venue": ["%retrieval%", "sigir"]}, [1, 2, 3]),
        ({"venue": "x" * 500}, [7]),
        ({"doc_type": "Conference"}, [1, 3]),
        ({"doc_type": ["Conference", "Journal"]}, [1, 2, 3]),
        ({"text": "voice"}, [1, 2]),
        ({"text": "voice -graphs"}, [1]),
        ({"judged": "train"}, [1, 3]),
        ({"judged": "train", "query": "q1"}, [1]),
        ({"judged": True, "excluded_for": "q1"}, [2]),
        ({"judged": True, "excluded_for": "q2"}, [1, 2, 3]),
        ({"judged": "test"}, [2]),
        ({"docs": [3, 1, 77]}, [1, 3]),
        ({"docs": []}, []),
        ({"docnos": ["d2", "d5", "nowhere"]}, [2, 5]),
        ({"docnos": "d2"}, [2]),
        ({"textstat_fkgl": [None, 12]}, [1]),
        ({"textstat_fkgl": 14}, [2]),
        ({"cmu_fkgl": [2, 3]}, [2, 3]),
        ({"year": [2010, 2020], "doc_type": "Conference", "text": "voice"}, [1]),
        ({"year": 1999}, []),
    ],
)
def test_what_is_let_through(filled: psycopg.Connection, wanted: dict[str, Any], docs: list[int]) -> None:
    assert let_through(filled, wanted) == docs


@pytest.mark.parametrize(
    ("wanted", "state", "value"),
    [
        ({"yaer": 2015}, "IR202", "yaer"),
        ({"year": "2015"}, "IR202", "2015"),
        ({"year": [2015]}, "IR202", "2015"),
        ({"year": [None, None]}, "IR202", "null"),
        ({"year": [2015, "x"]}, "IR202", "x"),
        ({"year": 2015.5}, "IR202", "2015.5"),
        ({"year": [2020, 2018]}, "IR202", "from 2020 to 2018"),
        ({"textstat_fkgl": [12, 11.5]}, "IR202", "from 12 to 11.5"),
        ({"year": [0, 99999999999]}, "IR202", "99999999999"),
        ({"textstat_fkgl": {"from": 3}}, "IR202", "from"),
        ({"textstat_fkgl": 1e305}, "IR202", "textstat_fkgl"),
        ({"venue": 3}, "IR202", "3"),
        ({"venue": []}, "IR202", "venue"),
        ({"venue": ["a", None]}, "IR202", "venue"),
        ({"doc_type": {}}, "IR202", "doc_type"),
        ({"text": ["a"]}, "IR202", "text"),
        ({"docs": [1.5]}, "IR202", "1.5"),
        ({"docs": 7}, "IR202", "7"),
        ({"docs": [10**30]}, "IR202", "docs"),
        ({"docs": ["1"]}, "IR202", "docs"),
        ({"judged": "tarin"}, "IR102", "tarin"),
        ({"judged": None}, "IR102", "NULL"),
        ({"judged": "train", "query": "q9"}, "IR103", "q9"),
        ({"query": "q1"}, "IR202", "judged"),
        ({"excluded_for": "q9"}, "IR103", "q9"),
        ([1, 2], "IR202", "[1, 2]"),
        ({}, "IR202", "the filter is empty"),
        (None, "IR202", "null"),
    ],
)
def test_what_cannot_be_read_is_named(filled: psycopg.Connection, wanted: object, state: str, value: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        let_through(filled, wanted)
    assert error.value.sqlstate == state
    assert value in str(error.value)
    assert error.value.diag.message_hint


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "from"]), inner, max_size=2),
    max_leaves=4,
)


@examples(300)
@given(
    wanted=st.dictionaries(
        st.sampled_from(
            ["year", "citations", "venue", "doc_type", "text", "docs", "docnos", "judged", "query", "cmu_fkgl", "'; --"]
        ),
        json_values,
        max_size=3,
    )
)
def test_a_filter_is_read_or_refused(filled: psycopg.Connection, wanted: Mapping[str, object]) -> None:
    try:
        assert set(let_through(filled, wanted)) <= set(RECORDS)
    except psycopg.Error as error:
        assert (error.sqlstate or "").startswith("IR")  # noqa: PT017


def test_facts_follow_the_documents(filled: psycopg.Connection) -> None:
    assert let_through(filled, {"docs": [90]}) == []
    filled.execute("UPDATE dblp SET stub = false WHERE id = 90")
    assert let_through(filled, {"year": 2015}) == let_through(filled, {"year": 2015.0}) == [2, 90]
    filled.execute("UPDATE dblp SET doc = jsonb_set(doc, '{year}', '1999') WHERE id IN (2, 90)")
    assert let_through(filled, {"year": 1999}) == [2, 90]
    filled.execute("DELETE FROM dblp WHERE id = 90")
    assert filled.execute("SELECT count(*) FROM dblp_facts").fetchone() == (len(RECORDS),)


def test_an_integer_can_be_written_as_a_float(filled: psycopg.Connection) -> None:
    numbers = "SELECT year, n_citation FROM stc.record_facts(%s::jsonb)"
    assert filled.execute(numbers, ['{"year": 2021.0, "n_citation": "7.0"}']).fetchall() == [(2021, 7)]
    assert filled.execute(numbers, ['{"year": 2021.5, "n_citation": "7.0.1"}']).fetchall() == [(None, None)]


def test_at_most(filled: psycopg.Connection) -> None:
    row = filled.execute("SELECT cardinality(filter_docs('{\"year\": [2010, 2020]}', 2))").fetchone()
    assert row == (2,)


def test_a_filter_on_text_reads_as_the_text_index_does(filled: psycopg.Connection) -> None:
    assert let_through(filled, {"text": "graph"}) == [2]
    build(filled, "portable")
    filled.execute("CALL stc.index_text(config => 'simple', engine => 'portable')")
    assert let_through(filled, {"text": "graph"}) == []
    assert let_through(filled, {"text": "graphs"}) == [2]


@pytest.mark.parametrize(
    ("wanted", "constant"),
    [
        ({"year": [2015, None]}, "(year >= 2015)"),
        ({"venue": ["SIGIR", "Maps"]}, "(lower(venue) = ANY ('{sigir,maps}'::text[]))"),
        ({"venue": "%retrieval%"}, "(venue ~~* ANY ('{%retrieval%}'::text[]))"),
        ({"doc_type": "Journal"}, "(doc_type = ANY ('{Journal}'::text[]))"),
        ({"docs": [3, 1.0]}, "(id = ANY ('{3,1}'::bigint[]))"),
        ({"docnos": ["d2", "d5"]}, "(docno = ANY ('{d2,d5}'::text[]))"),
        ({"author": "Ada"}, "= ANY ('{Ada}'::text[])"),
        ({"text": "voice -graphs"}, "(tsv @@ '!''graph'' & ''voic'''::tsquery)"),
    ],
)
def test_what_depends_only_on_the_filter_is_a_constant_of_the_plan(
    filled: psycopg.Connection, wanted: dict[str, Any], constant: str
) -> None:
    row = filled.execute("SELECT stc.filter_condition(%s::jsonb)", [json.dumps(wanted)]).fetchone()
    assert row is not None
    statement = "SELECT d.id FROM dblp_facts d WHERE " + row[0].replace("%", "%%").replace("$1", "%(filter)s::jsonb")
    found = plan(filled, statement, {"filter": json.dumps(wanted)})
    assert constant in found
    assert "stc." not in found


def plan(conn: psycopg.Connection, statement: str, parameters: Mapping[str, object] | None = None) -> str:
    """Return the plan of a statement with its parameters as literals."""
    return "\n".join(line for (line,) in psycopg.ClientCursor(conn).execute(f"EXPLAIN {statement}", parameters))


def test_matching_documents_in_a_where_clause_are_found_once(filled: psycopg.Connection) -> None:
    found = plan(filled, "SELECT title FROM dblp_text WHERE id = ANY (filter_docs('{\"year\": 2010}'))")
    assert "Index Cond: (id = ANY (filter_docs(" in found


@pytest.mark.parametrize("view", ["dblp_authors", "dblp_citations"])
@pytest.mark.parametrize(
    "condition",
    [
        "v.doc = 1",
        "v.doc = (SELECT id FROM dblp WHERE docno = 'd1')",
        "v.doc IN (SELECT d.id FROM dblp d WHERE d.docno IN ('d1', 'd2'))",
        "v.doc = ANY (filter_docs('{\"year\": 2010}'))",
    ],
)
def test_only_the_records_of_the_documents_are_read(filled: psycopg.Connection, view: str, condition: str) -> None:
    filled.execute("SET LOCAL enable_seqscan = off")
    found = plan(filled, f"SELECT v.* FROM {view} v WHERE {condition}")
    assert ("Index Cond: (docno = " if "docno" in condition else "Index Cond: (id = ") in found
