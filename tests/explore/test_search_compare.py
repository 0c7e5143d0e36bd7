"""One search by several systems and the grades of several editions, aligned by document."""

from __future__ import annotations

import httpx
import pytest

from stcollection.errors import UnknownObject
from stcollection.explore.search.asking import JudgedResults, SearchPage, SearchRequest, Shown
from stcollection.explore.search.compared import JudgedCount, chosen_editions, compare, comparison_record
from tests.explore.markup import tables

ASKED = SearchRequest(text="x", system="bm25", k=2, filter=None, model=None, beside=("boolean",))
LINK = "q=pedestrian+detection&system=bm25&beside=boolean&k=5"


def row(system: str, rank: int, doc: int) -> Shown:
    fields = {"score": 1.0, "year": None, "venue": None, "citations": None, "snippet": None}
    return Shown(system=system, rank=rank, doc=doc, docno=f"d{doc}", title=f"\ue000Title\ue001 {doc}", **fields)  # type: ignore[arg-type]


@pytest.fixture
def found() -> SearchPage:
    beside = [row("bm25", 1, 11), row("bm25", 2, 12), row("boolean", 1, 12), row("boolean", 2, 13)]
    judged = {
        12: [JudgedResults("a", "q1", 0, "human"), JudgedResults("a", "q2", 2, "human"), JudgedResults("b", "q1", 1, "human")],
        13: [JudgedResults("a", "q1", 0, "human"), JudgedResults("hidden", "q1", 2, "human")],
    }
    return SearchPage([], beside, judged, "SELECT 1")


def test_documents_are_aligned_with_ranks_and_grades(found: SearchPage) -> None:
    compared = compare(ASKED, found, ["a", "b"])
    assert [shown.document.doc for shown in compared.documents] == [11, 12, 13]
    assert [shown.ranks for shown in compared.documents] == [
        {"bm25": 1, "boolean": None},
        {"bm25": 2, "boolean": 1},
        {"bm25": None, "boolean": 2},
    ]
    assert [shown.grades for shown in compared.documents] == [{"a": None, "b": None}, {"a": 2, "b": 1}, {"a": 0, "b": None}]
    assert [shown.common for shown in compared.documents] == [False, True, False]
    assert [shown.disputed for shown in compared.documents] == [False, True, False]
    assert (compared.common, compared.disputed) == (1, 1)
    assert compared.counts == [
        JudgedCount("bm25", "a", 1, 1),
        JudgedCount("bm25", "b", 1, 1),
        JudgedCount("boolean", "a", 2, 1),
        JudgedCount("boolean", "b", 1, 1),
    ]
    record = comparison_record(ASKED, compared)
    assert record["documents"][0]["title"] == "Title 11"


def test_one_system_is_enough_and_editions_are_optional() -> None:
    found = SearchPage([row("bm25", 1, 11)], [], {}, "SELECT 1")
    asked = SearchRequest(text="x", system="bm25", k=2, filter=None, model=None)
    compared = compare(asked, found, [])
    assert (compared.common, compared.disputed, compared.counts) == (1, 0, [])


def test_an_unknown_edition_is_an_error() -> None:
    assert chosen_editions("", ["a", "b"]) == ["a", "b"]
    assert chosen_editions(" b,b,", ["a", "b"]) == ["b"]
    with pytest.raises(UnknownObject, match="no edition 'c'"):
        chosen_editions("a,c", ["a", "b"])
    with pytest.raises(UnknownObject, match="no edition 'c'"):
        chosen_editions("c", [])


@pytest.mark.slow
def test_a_link_shows_the_same_as_html_and_json(explorer: str) -> None:
    record = httpx.get(f"{explorer}search/compare.json?{LINK}").json()
    assert record["systems"] == ["bm25", "boolean"]
    assert record["editions"] == ["test", "train"]
    html = httpx.get(f"{explorer}search/compare?{LINK}").text
    head, *rows = tables(html)["Ranks and grades"]
    assert head == ["Document", "bm25", "boolean", "test", "train"]
    assert len(rows) == len(record["documents"]) >= 5
    alone = httpx.get(f"{explorer}search.json?q=pedestrian+detection&system=bm25&k=5").json()
    ranked = sorted((shown for shown in record["documents"] if shown["ranks"]["bm25"]), key=lambda shown: shown["ranks"]["bm25"])
    assert [shown["docno"] for shown in ranked] == [shown["docno"] for shown in alone["documents"]]
    assert any(shown["grades"]["train"] is not None for shown in record["documents"])
    one = httpx.get(f"{explorer}search/compare.json?{LINK}&editions=train").json()
    assert [list(shown["grades"]) for shown in one["documents"]] == [["train"]] * len(rows)
    assert "/search/compare?" in httpx.get(f"{explorer}search?{LINK}").text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("link", "status", "message"),
    [
        (f"{LINK}&editions=nowhere", 404, "There is no edition 'nowhere'"),
        ("q=", 400, "The query is empty"),
        ("q=x&system=alta", 404, "alta"),
        ("q=x&beside=alta", 404, "alta"),
    ],
)
def test_a_wrong_link_says_so(explorer: str, link: str, status: int, message: str) -> None:
    answer = httpx.get(f"{explorer}search/compare?{link}")
    assert answer.status_code == status
    assert message in answer.text.replace("&#39;", "'")
    assert httpx.get(f"{explorer}search/compare.json?{link}").status_code == status
