"""Information that score requests reveal about a hidden edition: a simulated attack under the rules of docs/howto/administer.md.

The adversary knows more than a participant: the judged documents, the share of each grade, the ideal DCG of each query, enough
documents that are not relevant, and enough relevant ones to move a mean to the edge of a rounding step. Each run has ten
documents per query: known ones, and in some queries a judged document at a chosen rank. Number, ranks and the mean of the known
documents are chosen to determine as many labels as possible on average. A label is learned if all grades consistent with the
rounded mean agree on whether the document is relevant.

The output also shows the entropy of the results in bits, an upper bound on the information revealed, and for comparison results
with four decimals. Before requests were scored from copies, an adversary could read every label without a single counted request.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.common import data, tell

REQUESTS = (5, 20)
MOST = 4  # unknown documents per request
ROUNDS = 50
RANKS = (1, 2, 3, 5, 10)
SHIFTS = (0.0, 0.2, 0.4, 0.6, 0.8)  # how far the known documents move the mean, in rounding steps
FILES = {
    "SimpleText train": "simpletext/train_G01-G15.qrels",
    "TREC DL 2021": "trec-dl/dl21/nist.qrels",
}


@dataclass(frozen=True)
class Hidden:
    """A hidden edition. :param ideal: the ideal DCG@10 of each query. :param shares: share of each grade in the judgments."""

    grades: dict[str, list[int]]
    ideal: dict[str, float]
    shares: dict[int, float]


def read(path: Path) -> Hidden:
    grades: dict[str, list[int]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[3].lstrip("-").isdigit():
            grades[fields[0]].append(max(int(fields[3]), 0))
    ideal = {
        query: sum(grade / math.log2(rank + 1) for rank, grade in enumerate(sorted(found, reverse=True)[:10], 1)) or 1.0
        for query, found in grades.items()
    }
    counted = Counter(itertools.chain.from_iterable(grades.values()))
    return Hidden(dict(grades), ideal, {grade: number / counted.total() for grade, number in counted.items()})


Place = tuple[str, int]  # a query and the rank of the unknown document


def worth(hidden: Hidden, measures: Sequence[str], place: Place, grade: int) -> tuple[float, ...]:
    """Return a document's contribution to each mean."""
    query, rank = place
    values = {
        "ndcg_cut_10": grade / math.log2(rank + 1) / hidden.ideal[query],
        "recip_rank": (grade > 0) / rank,
        "P_10": (grade > 0) / 10,
    }
    return tuple(values[measure] / len(hidden.grades) for measure in measures)


@dataclass(frozen=True)
class Design:
    """A request.

    :param shift: the mean of the known documents, as an offset within a rounding step.
    :param outcomes: for each result, the grades that lead to it, with their probabilities.
    """

    places: tuple[Place, ...]
    shift: float
    outcomes: dict[tuple[float, ...], list[tuple[tuple[int, ...], float]]]

    def settled(self, result: tuple[float, ...]) -> int:
        """Return the number of labels that the result determines."""
        options = [[grade > 0 for grade in grades] for grades, _ in self.outcomes[result]]
        return sum(len(set(column)) == 1 for column in zip(*options, strict=True))

    @property
    def expected(self) -> float:
        return sum(sum(chance for _, chance in options) * self.settled(result) for result, options in self.outcomes.items())

    @property
    def bits(self) -> float:
        chances = [sum(chance for _, chance in options) for options in self.outcomes.values()]
        return -sum(chance * math.log2(chance) for chance in chances)


def rounded(worths: Iterable[tuple[float, ...]], shift: float, decimals: int) -> tuple[float, ...]:
    """Return the rounded result of a request from the contributions of its documents."""
    return tuple(round(shift + sum(one), decimals) for one in zip(*worths, strict=True))


def design(hidden: Hidden, measures: Sequence[str], places: tuple[Place, ...], shift: float, decimals: int) -> Design:
    outcomes: dict[tuple[float, ...], list[tuple[tuple[int, ...], float]]] = defaultdict(list)
    worths = [{grade: worth(hidden, measures, place, grade) for grade in hidden.shares} for place in places]
    for grades in itertools.product(hidden.shares, repeat=len(places)):
        result = rounded((worths[number][grade] for number, grade in enumerate(grades)), shift, decimals)
        outcomes[result].append((grades, math.prod(hidden.shares[grade] for grade in grades)))
    return Design(places, shift, dict(outcomes))


def best(hidden: Hidden, measures: Sequence[str], queries: Sequence[str], decimals: int) -> Design:
    """Return the request expected to determine most labels: greedily add a document at the best rank."""
    chosen: Design | None = None
    for number in range(1, min(MOST, len(queries)) + 1):
        before = chosen.places if chosen else ()
        tried = [
            design(hidden, measures, (*before, (queries[number - 1], rank)), shift / 10**decimals, decimals)
            for rank in RANKS
            for shift in SHIFTS
        ]
        candidate = max(tried, key=lambda one: (one.expected, one.bits))
        if chosen is not None and candidate.expected <= chosen.expected:
            break
        chosen = candidate
    assert chosen is not None
    return chosen


def attack(
    hidden: Hidden, measures: Sequence[str], requests: int, decimals: int, draw: Random, known: dict[tuple[str, ...], Design]
) -> tuple[float, float]:
    """Simulate an adversary with a number of requests.

    :param known: cache of designed requests, by queries.
    :returns: labels learned, and bits of information in the results.
    """
    left = {query: draw.sample(grades, len(grades)) for query, grades in hidden.grades.items()}
    learned = bits = 0.0
    for _ in range(requests):
        # Documents of queries with a small ideal DCG change the mean most.
        queries = tuple(sorted((query for query in left if left[query]), key=lambda query: (hidden.ideal[query], query))[:MOST])
        if queries not in known:
            known[queries] = best(hidden, measures, queries, decimals)
        made = known[queries]
        truth = tuple(left[query].pop() for query, _ in made.places)
        worths = (worth(hidden, measures, place, grade) for place, grade in zip(made.places, truth, strict=True))
        learned += made.settled(rounded(worths, made.shift, decimals))
        bits += made.bits
    return learned, bits


def main() -> None:
    for name, file in FILES.items():
        hidden = read(data() / file)
        labels = sum(len(grades) for grades in hidden.grades.values())
        print(f"{name}: {len(hidden.grades)} queries, {labels:,} labels")
        for measures in (("P_10",), ("ndcg_cut_10",), ("ndcg_cut_10", "recip_rank")):
            for decimals in (2, 4):
                known: dict[tuple[str, ...], Design] = {}
                for requests in REQUESTS:
                    draw = Random(1)
                    done = [attack(hidden, measures, requests, decimals, draw, known) for _ in range(ROUNDS)]
                    learned, bits = (sum(column) / ROUNDS for column in zip(*done, strict=True))
                    tell(
                        f"  {requests} requests, {' and '.join(measures)}, {decimals} decimals",
                        f"{learned:.1f} labels",
                        f"{bits:.1f} bits",
                    )


if __name__ == "__main__":
    main()
