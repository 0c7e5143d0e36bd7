"""The nearest-neighbour test: equal to numpy, by hand, what has no vector, the command, errors."""

from __future__ import annotations

from typing import Any, Literal, cast

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.analysis.cluster_hypothesis import NeighbourRule, mean_share, neighbour_shares
from stcollection.cli.analysis.cluster_hypothesis import cluster_hypothesis_command as command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from tests import databases
from tests.qrels.test_expand import judge
from tests.vectors.worlds import at, clustered, put_vectors

pytestmark = pytest.mark.slow

SIZE = 150
Judged = dict[tuple[str, int], int]


def judgments() -> Judged:
    """Each query judges documents of all clusters at random."""
    rng = np.random.default_rng(5)
    judged: Judged = {(f"q{rng.integers(5)}", int(rng.integers(SIZE))): int(rng.integers(-1, 3)) for _ in range(250)}
    return judged | {("one", 1): 1, ("one", 2): 0, ("none", 3): 0}


@databases.world
def world(conn: psycopg.Connection) -> None:
    """Documents in clusters; every tenth has no abstract vector."""
    table = clustered(SIZE, seed=4, clusters=12)
    put_vectors(conn, title=dict(enumerate(table)), abstract={doc: table[doc] for doc in range(SIZE) if doc % 10})
    judge(conn, [(*pair, rel, "human") for pair, rel in judgments().items()])
    judge(conn, [(f"q{query}", doc, 2, "human") for query in range(5) for doc in range(SIZE)], edition="decoy")


def numpys(judged: Judged, query: str, among: set[int], neighbours: int, from_rel: int) -> tuple[float, float]:
    """Return the share and chance of a query by brute force, among documents with a vector."""
    table = clustered(SIZE, seed=4, clusters=12).astype(np.float64)
    relevant = {doc for (name, doc), rel in judged.items() if name == query and rel >= from_rel} & among
    shares = []
    for doc in relevant:
        others = sorted(among - {doc}, key=lambda other: -(table[doc] @ table[other]))[:neighbours]
        shares.append(len({*others} & relevant) / len(others))
    return float(np.mean(shares)), (len(relevant) - 1) / (len(among) - 1)


@pytest.mark.parametrize(("neighbours", "from_rel", "field"), [(5, 1, "abstract"), (1, 2, "abstract"), (60, 1, "title")])
def test_it_is_numpys_search(
    world: psycopg.Connection, neighbours: int, from_rel: int, field: Literal["title", "abstract"]
) -> None:
    judged = judgments()
    rule = NeighbourRule(neighbours=neighbours, from_rel=from_rel, field=field)
    shares = neighbour_shares(world, edition="train", rule=rule)
    corpus = {doc for doc in range(SIZE) if field == "title" or doc % 10}
    assert [one.query for one in shares] == [f"q{number}" for number in range(5)]
    for one in shares:
        among = {doc for (name, doc), rel in judged.items() if name == one.query and rel >= 0} & corpus
        assert (one.judged, one.corpus) == (len(among), len(corpus))
        assert (one.judged_share, one.judged_chance) == pytest.approx(numpys(judged, one.query, among, neighbours, from_rel))
        assert (one.corpus_share, one.corpus_chance) == pytest.approx(numpys(judged, one.query, corpus, neighbours, from_rel))
    mean = mean_share(shares)
    assert mean.judged_share == pytest.approx(np.mean([one.judged_share for one in shares]))
    assert mean.corpus_chance == pytest.approx(np.mean([one.corpus_chance for one in shares]))
    [only] = neighbour_shares(world, edition="train", queries="q3", rule=NeighbourRule(in_corpus=False))
    assert (only.query, only.corpus, only.corpus_share, only.corpus_chance) == ("q3", None, None, None)
    assert mean_share([only]).corpus_share is None


def test_by_hand(conn: psycopg.Connection) -> None:
    put_vectors(conn, abstract={1: at(1), 2: at(0.99), 3: at(0.9), 4: at(-0.9), 5: at(-0.95)})
    judge(conn, [("q", 1, 1, "human"), ("q", 2, 1, "human"), ("q", 3, 0, "human"), ("q", 4, 1, "human"), ("q", 9, 1, "human")])
    [one] = neighbour_shares(conn, edition="train", rule=NeighbourRule(neighbours=1))
    # 1 and 2 are nearest to each other. Among the judged, 3 is nearest to 4; among all, 5, which is not judged.
    assert (one.relevant, one.judged, one.corpus) == (3, 4, 5)
    assert (one.judged_share, one.judged_chance) == pytest.approx((2 / 3, 2 / 3))
    assert (one.corpus_share, one.corpus_chance) == pytest.approx((2 / 3, 2 / 4))


def test_errors(world: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject, match="no edition 'tarin'"):
        neighbour_shares(world, edition="tarin")
    with pytest.raises(BadArgument, match="neighbours is 0"):
        neighbour_shares(world, edition="train", rule=NeighbourRule(neighbours=0))
    with pytest.raises(UnknownObject, match="model mpnet"):
        neighbour_shares(world, edition="train", rule=NeighbourRule(model="mpnet"))
    with pytest.raises(BadArgument, match="field is 'passage'"):
        NeighbourRule(field=cast(Any, "passage"))
    with pytest.raises(StateError, match="no content vectors") as error:
        neighbour_shares(world, edition="train", rule=NeighbourRule(field="content"))
    assert "embed --field content" in (error.value.hint or "")
    with pytest.raises(UnknownObject, match="q99"):
        neighbour_shares(world, edition="train", queries="q99")
    for rule, queries in ((NeighbourRule(from_rel=9), "all"), (NeighbourRule(), "one")):
        with pytest.raises(StateError, match="two relevant documents with a vector") as error:
            neighbour_shares(world, edition="train", queries=queries, rule=rule)
        assert "--from-rel" in (error.value.hint or "")


def test_the_command(settings: Settings, world: psycopg.Connection) -> None:
    done = CliRunner().invoke(command, ["train", "--by-query", "--by-index"], obj=settings, catch_exceptions=False)
    lines = done.stdout.splitlines()
    assert lines[0].split() == [
        "query",
        "relevant",
        "judged",
        "judged_share",
        "judged_chance",
        "corpus",
        "corpus_share",
        "corpus_chance",
    ]
    assert [line.split()[0] for line in lines[2:]] == ["q0", "q1", "q2", "q3", "q4", "mean"]
    done = CliRunner().invoke(command, ["train", "--judged-only"], obj=settings, catch_exceptions=False)
    assert len(done.stdout.splitlines()) == 3
