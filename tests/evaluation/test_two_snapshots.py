"""Two snapshots in a database, as of the day of the first, against a database that has the first one only."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import pytest

from stcollection.api.collection import Collection
from stcollection.db.settings import Settings
from stcollection.qrels.load import JudgmentOptions
from stcollection.qrels.pools import PoolRules, make_pool
from tests.databases import Databases
from tests.evaluation.test_as_of import pooled

pytestmark = pytest.mark.slow

FIRST, BETWEEN, SECOND = "2024-01-15", "2024-03-01", "2024-06-30"
EARLY = [f"d{number:02}" for number in range(30)]
LATE = [f"d{number:02}" for number in range(12, 45)]  # without the first twelve, with fifteen others
UNDATED = [f"u{number}" for number in range(4)]
MEASURES = ["nDCG@10", "AP", "P@5", "RR", "Bpref", "R@20", "Judged@10", "num_rel"]
_draw = random.Random(11)
_ALL = sorted({*EARLY, *LATE, *UNDATED})
QUERIES = [f"q{number}" for number in range(6)]
# scores of few values, so that documents tie
RUNS = {
    name: [(query, doc, float(_draw.randrange(12))) for query in QUERIES for doc in _draw.sample(_ALL, 30)]
    for name in ("one", "two", "three")
}
JUDGED = {query: {doc: _draw.choice([0, 0, 1, 2]) for doc in _draw.sample(_ALL, 24)} for query in QUERIES} | {
    "q5": {doc: 1 for doc in LATE if doc not in EARLY}  # no judgment at first
}


class Pair(NamedTuple):
    """Collections with both snapshots and with the first one."""

    both: Collection
    first: Collection


def fill(collection: Collection, snapshots: dict[str, list[str]]) -> None:
    """Load the snapshots, then the runs and judgments; those of other documents are skipped."""
    for day, docnos in {"": UNDATED, **snapshots}.items():
        rows = [{"docno": docno, "title": f"Voice {docno}", "text": f"Speaker {docno}."} for docno in docnos]
        collection.corpus.load(rows, date=day or None, name=f"documents {day}")
    collection.topics.add({query: f"voice {query}" for query in QUERIES})
    for name, ranked in RUNS.items():
        scored = [{"qid": query, "docno": docno, "score": score} for query, docno, score in ranked]
        collection.runs.add(scored, name, unknown_documents="skip")
    collection.qrels.add(JUDGED, edition="all", options=JudgmentOptions(unknown_documents="skip"))


@pytest.fixture(params=["in order", "reversed"])
def pair(request: pytest.FixtureRequest, settings: Settings, databases: Databases, template: str) -> Iterator[Pair]:
    days = {FIRST: EARLY, SECOND: LATE}
    name = databases.take(template)
    with Collection(settings) as both, Collection(replace(settings, db=name)) as first:
        fill(both, days if request.param == "in order" else dict(reversed(days.items())))
        fill(first, {FIRST: EARLY})
        yield Pair(both, first)
    databases.give_back(name)


def test_as_of_the_first_day_both_are_equal(pair: Pair) -> None:
    both, first = pair
    assert both.corpus.count() == len(_ALL)
    assert first.corpus.count() == len(EARLY) + len(UNDATED)
    expected = first.score(measures=MEASURES, per_query=True)
    assert sorted(set(expected["qid"])) == QUERIES[:5]
    ranked = first.leaderboard("all", measures=MEASURES)
    for day in (FIRST, BETWEEN):
        found = both.score(measures=MEASURES, per_query=True, as_of=day)
        assert found.iloc[:, :3].values.tolist() == expected.iloc[:, :3].values.tolist()
        assert found["value"].tolist() == pytest.approx(expected["value"].tolist(), abs=1e-12)
        board = both.leaderboard("all", measures=MEASURES, as_of=day)
        assert board["run"].tolist() == ranked["run"].tolist()
        assert board.iloc[:, 1:].values.astype(float) == pytest.approx(ranked.iloc[:, 1:].values.astype(float), abs=1e-12)
    assert both.score(measures=MEASURES, per_query=True, as_of=SECOND)["qid"].nunique() == 6
    for other in (both.leaderboard("all", measures=["AP"]), both.leaderboard("all", measures=["AP"], as_of=SECOND)):
        assert all(abs(other.set_index("run")["AP"] - ranked.set_index("run")["AP"]) > 1e-3)


def test_pools_as_of_the_first_day_are_equal(pair: Pair) -> None:
    both, first = pair
    for number, rules in enumerate((PoolRules(depth=5), PoolRules(depth=10, teams=2), PoolRules(strata="1-3:1,4-12:0.5"))):
        made = make_pool(first.connection, f"p{number}", rules=rules)
        assert make_pool(both.connection, f"p{number}", rules=replace(rules, as_of=FIRST)) == made
        assert pooled(both.connection, f"p{number}") == pooled(first.connection, f"p{number}") != []
        make_pool(both.connection, f"whole{number}", rules=rules)
        assert pooled(both.connection, f"whole{number}") != pooled(first.connection, f"p{number}")
