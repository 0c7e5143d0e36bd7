"""The statements of the sample data's README hold, file by file, checked without the loader."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import pytest

import stcollection.studies.answers

DATA = Path(stcollection.studies.answers.__file__).parent / "data"
SPLITS = {
    "train": {"true", "howlong", "howmany", "when", "why", "need", "which", "should", "work", "same", "enough", "worth"},
    "dev": {"normal", "where", "how"},
    "test": {"may", "harm", "who"},
}
_ESCAPES = {"\\t": "\t", "\\n": "\n", "\\\\": "\\"}


def lines(split: str, name: str) -> list[list[str]]:
    text = (DATA / f"{split}_{name}.tsv").read_text(encoding="utf-8")
    return list(csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def documents(split: str) -> dict[str, list[dict[str, str]]]:
    text = (DATA / f"{split}_query_doc.json").read_text(encoding="utf-8")
    return {one["query"]: one["docs"] for one in map(json.loads, text.splitlines())}


def plain(text: str) -> str:
    for written, meant in _ESCAPES.items():
        text = text.replace(written, meant)
    return text


@pytest.mark.parametrize("split", SPLITS)
def test_answers_occur_in_their_documents_and_support_is_an_equivalence(split: str) -> None:
    asked = documents(split)
    labels = {tuple(row[:5]): row[5] for row in lines(split, "answer_nli_data")}
    relations = {tuple(row[:5]): row[5] for row in lines(split, "relations")}
    assert {pair: str(int(relation == "support")) for pair, relation in relations.items()} == labels
    together: dict[str, dict[tuple[str, str], set[tuple[str, str]]]] = defaultdict(lambda: defaultdict(set))
    for (query, url1, answer1, url2, answer2), relation in relations.items():
        texts = {doc["url"]: doc["doc_text"] for doc in asked[query]}
        assert plain(answer1) in texts[url1]
        assert plain(answer2) in texts[url2]
        for one, other in (((url1, answer1), (url2, answer2)), ((url2, answer2), (url1, answer1))):
            together[query][one] |= {one, other} if relation == "support" else {one}
    for groups in together.values():
        for answer, friends in groups.items():
            assert all(groups[friend] == friends for friend in friends), answer


@pytest.mark.parametrize("split", SPLITS)
def test_gold_is_the_single_largest_group_by_documents(split: str) -> None:
    asked, gold = documents(split), {query: ids.split(",") for query, ids in lines(split, "label")}
    assert gold.keys() == asked.keys()
    friends: dict[str, dict[tuple[str, str], set[str]]] = defaultdict(lambda: defaultdict(set))
    for query, url1, answer1, url2, answer2, relation in lines(split, "relations"):
        for one, other in (((url1, answer1), url2), ((url2, answer2), url1)):
            friends[query][one] |= {one[0], other} if relation == "support" else {one[0]}
    for query, docs in asked.items():
        assert 3 <= len(docs) <= 8
        ids = {doc["url"]: doc["doc_id"] for doc in docs}
        assert len(ids) == len(docs) == len(set(ids.values()))
        sizes = Counter(frozenset(ids[url] for url in urls) for urls in friends[query].values())
        most = max(map(len, sizes))
        assert most >= 2
        assert [sorted(group) for group in sizes if len(group) == most].count(sorted(gold[query])) == 1


def test_splits_share_neither_queries_nor_kinds_of_question() -> None:
    found = {split: {template for _, template in lines(split, "templates")} for split in SPLITS}
    assert found == SPLITS
    for one, other in combinations(SPLITS, 2):
        assert not documents(one).keys() & documents(other).keys()


def test_both_languages_and_the_published_example_are_included() -> None:
    queries = [query for split in SPLITS for query in documents(split)]
    chinese = sum(any("一" <= sign <= "鿿" for sign in query) for query in queries)
    assert chinese >= 60
    assert len(queries) - chinese >= 40
    assert dict(lines("test", "label"))["备孕偶尔喝冰的可以吗"] == "d1,d2"
