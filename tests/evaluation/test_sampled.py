"""Measures estimated from sampled pools: equal to NIST's sample_eval; variances by enumeration and by numerical derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.cli import stc
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError
from stcollection.evaluation.measures import AP, Measure, P, R, nDCG, parse_measure
from stcollection.evaluation.sampled import Estimate, sampled_scores
from stcollection.evaluation.score import ScoreRules, leaderboard, score
from stcollection.qrels.load import import_qrels
from tests.evaluation.conftest import StoreRun
from tests.groups import evaluation

Pool = Mapping[str, tuple[str, int]]  # document: stratum and grade, -1 if it was not drawn
MEASURES = "xinfAP,infNDCG,ipw_P@7,ipw_R@30,ipw_nDCG@9"


@pytest.fixture
def store_pool(conn: psycopg.Connection, tmp_path: Path) -> Callable[..., str]:
    def store(pools: Mapping[str, Pool], edition: str = "sampled") -> str:
        lines = (f"{query} 0 {doc} {stratum} {rel}\n" for query, pool in pools.items() for doc, (stratum, rel) in pool.items())
        (tmp_path / "sampled.qrels").write_text("".join(lines))
        import_qrels(conn, tmp_path / "sampled.qrels", edition=edition)
        return edition

    return store


def estimates(
    conn: psycopg.Connection, edition: str, measures: str = MEASURES, **how: object
) -> dict[tuple[str, str, str], Estimate]:
    found = sampled_scores(conn, edition=edition, measures=measures, per_query=True, **how)  # type: ignore[arg-type]
    return {(row.run, row.query, row.measure): row for row in found}  # type: ignore[union-attr,misc]


# The same strata and rankings for every test: 60 documents, of which all, half and a fifth of a stratum are drawn.
EVERY = (1, 2, 5)


def sampled(query: int) -> dict[str, tuple[str, int]]:
    rows = {}
    for i in range(60):
        stratum = 0 if i < 10 else 1 if i < 30 else 2
        grade = max(0, (i * 7 + query * 5) % 11 - 7) if i % 3 else 0
        rows[f"d{i:02}"] = (f"s{stratum}", grade if (i * i + query) % EVERY[stratum] == 0 else -1)
    return rows


def ranking(query: int, step: int) -> list[str]:
    return [f"d{(i * step + query) % 73:02}" for i in range(50)]


def scored(docs: Sequence[str]) -> dict[str, float]:
    return {doc: 100.0 - rank for rank, doc in enumerate(docs)}


# Printed by sample_eval.pl of 5 September 2012 (NIST) with more decimals, for the strata and rankings above.
SAMPLE_EVAL = {
    1: [(0.250623202600, 0.493393966723), (0.134989760763, 0.375085284027), (0.280557347917, 0.571359102015)],
    17: [(0.136666419921, 0.363420470317), (0.194445138871, 0.268117445573), (0.199173194618, 0.321270056525)],
}


def test_values_are_those_of_sample_eval(conn: psycopg.Connection, store_run: StoreRun, store_pool: Callable[..., str]) -> None:
    edition = store_pool({str(query): sampled(query) for query in (1, 2, 3)})
    for step, expected in SAMPLE_EVAL.items():
        run = store_run({str(query): scored(ranking(query, step)) for query in (1, 2, 3)})
        found = estimates(conn, edition, "xinfAP,infNDCG", runs=run)
        for query, values in enumerate(expected, 1):
            got = [found[run, str(query), measure].value for measure in ("xinfAP", "infNDCG")]
            assert got == pytest.approx(values, abs=1e-10)


def test_the_published_example(conn: psycopg.Connection, store_run: StoreRun, store_pool: Callable[..., str]) -> None:
    """SampleEvalTest of github.com/bst-mug/trec-pm: infNDCG 0.6309 and infAP 0.5 from sample_eval."""
    edition = store_pool({"1": {"19860577": ("2", 1)}})
    run = store_run({"1": {"28410400": 2.5, "19860577": 1.5, "28348404": 0.5}})
    found = estimates(conn, edition, "xinfAP,infNDCG", runs=run)
    assert found[run, "1", "xinfAP"].value == pytest.approx(0.5)
    assert found[run, "1", "infNDCG"].value == pytest.approx(0.6309, abs=5e-5)


def test_a_pool_that_is_judged_whole_gives_the_usual_values(
    conn: psycopg.Connection, store_run: StoreRun, store_pool: Callable[..., str]
) -> None:
    whole = {doc: (stratum, max(rel, int(doc[1:]) % 4 // 2)) for doc, (stratum, rel) in sampled(1).items()}
    edition, run = store_pool({"1": whole}), store_run({"1": scored(ranking(1, 17))})
    found = [row for (_, _, _), row in estimates(conn, edition, runs=run).items()]
    usual = score(conn, runs=[run], edition=edition, measures=[AP, nDCG, P @ 7, R @ 30, nDCG @ 9])
    # xinfAP smooths the precisions by 0.00001
    assert sorted(row.value for row in found) == pytest.approx(sorted(one.value for one in usual), abs=1e-4)
    assert {row.standard_error for row in found} == {0}


def ideal(grades: Mapping[int, float], depth: float) -> float:
    """DCG of documents by their numbers, which need not be integers."""
    total, start = 0.0, 0.0
    for grade in sorted(grades, reverse=True):
        place = start
        while place < min(start + grades[grade], depth) - 1e-12:
            share = min(math.floor(place + 1e-12) + 1, start + grades[grade], depth) - place
            total += grade * share / math.log2(math.floor(place + 1e-12) + 2)
            place += share
        start += grades[grade]
    return total


def weighted(measure: str, pool: Pool, docs: Sequence[str], weights: Mapping[str, float]) -> float:
    """Return the measure for any weights of the judged documents; the ideal ranking of infNDCG may have shares of documents."""
    rank = {doc: place for place, doc in enumerate(docs, 1)}
    relevant = {doc for doc in weights if pool[doc][1] > 0}
    name, _, cutoff = measure.partition("@")
    depth = int(cutoff or len(docs) + 1000)
    total = math.fsum(weights[doc] for doc in relevant)
    if name == "ipw_P":
        return math.fsum(weights[doc] for doc in relevant if rank.get(doc, 1e9) <= depth) / depth
    if name == "ipw_R":
        return math.fsum(weights[doc] for doc in relevant if rank.get(doc, 1e9) <= depth) / total
    if name == "xinfAP":
        value = 0.0
        for doc in relevant & rank.keys():
            higher = [other for other in docs[: rank[doc] - 1] if other in pool]
            p = 1.0
            for stratum in {pool[other][0] for other in higher}:
                of_stratum = [other for other in higher if pool[other][0] == stratum]
                judged = [other for other in of_stratum if other in weights]
                k = math.fsum(weights[other] for other in judged if other in relevant)
                p += len(of_stratum) * (k / math.fsum(weights[other] for other in judged) if judged else 1 / 3)
            value += weights[doc] * p / rank[doc]
        return value / total
    grades: dict[int, float] = {}
    for doc in relevant:
        grades[pool[doc][1]] = grades.get(pool[doc][1], 0) + weights[doc]
    gained = {doc: max(pool[doc][1], 0) / math.log2(rank[doc] + 1) for doc in weights if rank.get(doc, 1e9) <= depth}
    if name == "ipw_nDCG":
        return math.fsum(weights[doc] * gain for doc, gain in gained.items()) / ideal(grades, depth)
    dcg = 0.0
    for stratum in {stratum for stratum, _ in pool.values()}:
        judged = [doc for doc in gained if pool[doc][0] == stratum]
        retrieved = sum(doc in pool and pool[doc][0] == stratum for doc in docs)
        if judged:
            mean = math.fsum(weights[doc] * gained[doc] for doc in judged) / math.fsum(weights[doc] for doc in judged)
            dcg += retrieved * mean
    return dcg / ideal(grades, depth)


@pytest.mark.parametrize("query", [1, 2, 3])
def test_the_variance_is_that_of_the_linearised_measure(
    conn: psycopg.Connection, store_run: StoreRun, store_pool: Callable[..., str], query: int
) -> None:
    """Differentiate each measure numerically by the weight of each judged document."""
    pool, docs = sampled(query), ranking(query, 17)
    edition, run = store_pool({"1": pool}), store_run({"1": scored(docs)})
    found = estimates(conn, edition, runs=run)
    strata = sorted({stratum for stratum, _ in pool.values()})
    sizes = {stratum: sum(one == stratum for one, _ in pool.values()) for stratum in strata}
    drawn = {stratum: [doc for doc, (one, rel) in pool.items() if one == stratum and rel >= 0] for stratum in strata}
    weights = {doc: sizes[stratum] / len(drawn[stratum]) for stratum in strata for doc in drawn[stratum]}
    step = 1e-6
    for measure in MEASURES.split(","):
        got = found[run, "1", measure]
        value = weighted(measure, pool, docs, weights)
        if measure != "infNDCG":  # sample_eval's ideal ranking has whole documents only
            assert got.value == pytest.approx(value, abs=1e-4)
        if "DCG" in measure:
            assert (got.standard_error, got.low, got.high) == (None, None, None)
            continue
        variance = 0.0
        for stratum, docs_drawn in drawn.items():
            z = [(weighted(measure, pool, docs, {**weights, doc: weights[doc] + step}) - value) / step for doc in docs_drawn]
            if (n := len(z)) > 1:
                mean = math.fsum(z) / n
                spread = math.fsum((one - mean) ** 2 for one in z) / (n - 1)
                variance += sizes[stratum] * (sizes[stratum] - n) * spread / n
        assert got.standard_error == pytest.approx(math.sqrt(variance), rel=2e-3), measure


@pytest.mark.parametrize("measure", ["xinfAP", "ipw_R@20"])
def test_pooled_is_the_ratio_of_sums_over_queries(
    conn: psycopg.Connection, store_run: StoreRun, store_pool: Callable[..., str], measure: str
) -> None:
    """The value and its numerical derivative by the weight of each judged document of each query."""
    pools, docs = {str(query): sampled(query) for query in (1, 2, 3)}, {str(query): ranking(query, 17) for query in (1, 2, 3)}
    weights: dict[tuple[str, str], float] = {}
    drawn: dict[tuple[str, str], list[str]] = {}
    sizes = {}
    for query, pool in pools.items():
        for stratum in {stratum for stratum, _ in pool.values()}:
            drawn[query, stratum] = [doc for doc, (one, rel) in pool.items() if one == stratum and rel >= 0]
            sizes[query, stratum] = sum(one == stratum for one, _ in pool.values())
            weights |= {(query, doc): sizes[query, stratum] / len(drawn[query, stratum]) for doc in drawn[query, stratum]}

    def ratio(weights: dict[tuple[str, str], float]) -> float:
        above = below = 0.0
        for query, pool in pools.items():
            own = {doc: weight for (name, doc), weight in weights.items() if name == query}
            relevant = math.fsum(weight for doc, weight in own.items() if pool[doc][1] >= 1)
            above += relevant * weighted(measure, pool, docs[query], own)
            below += relevant
        return above / below

    run = store_run({query: scored(ranked) for query, ranked in docs.items()})
    [row] = sampled_scores(conn, run, edition=store_pool(pools), measures=measure, pooled=True)
    value, step, variance = ratio(weights), 1e-6, 0.0
    for (query, stratum), docs_drawn in drawn.items():
        z = [(ratio({**weights, (query, doc): weights[query, doc] + step}) - value) / step for doc in docs_drawn]
        size, n = sizes[query, stratum], len(z)
        if n > 1:
            variance += size * (size - n) * float(np.var(z, ddof=1)) / n
    assert row.value == pytest.approx(value, abs=1e-4)
    assert row.standard_error == pytest.approx(math.sqrt(variance), rel=2e-3)


def test_ipw_p_and_its_variance_are_unbiased(conn: psycopg.Connection, store_run: StoreRun, store_pool: Callable[..., str]) -> None:
    """Average over all samples of 2 of 4 and 2 of 5 documents."""
    grades = {"a": [1, 0, 1, 1], "b": [0, 0, 1, 0, 2]}
    docs = {stratum: [f"{stratum}{i}" for i in range(len(rels))] for stratum, rels in grades.items()}
    pools = {}
    for number, drawn in enumerate(product(combinations(docs["a"], 2), combinations(docs["b"], 2))):
        chosen = {doc for some in drawn for doc in some}
        pools[str(number)] = {
            doc: (stratum, rel if doc in chosen else -1)
            for stratum, rels in grades.items()
            for doc, rel in zip(docs[stratum], rels, strict=True)
        }
    run = store_run({query: scored(["b4", "a0", "x", "a3", "b0", "b2", "a1"]) for query in pools})
    found = list(estimates(conn, store_pool(pools), "ipw_P@6", runs=run).values())
    assert len(found) == 60
    mean = math.fsum(row.value for row in found) / 60
    assert mean == pytest.approx(4 / 6)
    deviations = math.fsum((row.value - mean) ** 2 for row in found) / 60
    assert math.fsum((row.standard_error or 0) ** 2 for row in found) / 60 == pytest.approx(deviations)


def test_scores_leaderboards_and_means_read_them(
    conn: psycopg.Connection, store_run: StoreRun, store_pool: Callable[..., str]
) -> None:
    edition = store_pool({str(query): sampled(query) for query in (1, 2, 3)})
    run = store_run({str(query): scored(ranking(query, 17)) for query in (1, 3)}, decoy=False)
    measures = [parse_measure(name) for name in ("AP", "xinfAP", "ipw_P@7", "infndcg")]
    [row] = leaderboard(conn, edition, measures=measures)
    [some] = leaderboard(conn, edition, measures=measures, complete=False)
    assert row.values[1:] == pytest.approx([value * 2 / 3 for value in some.values[1:]])
    means = {one.measure: one for one in sampled_scores(conn, [run], edition=edition, measures="xinfAP,ipw_P@7")}
    by_query = [one for (_, _, name), one in estimates(conn, edition, runs=run).items() if name == "xinfAP"]
    assert means["xinfAP"].value == pytest.approx(row.values[1])
    error = math.hypot(*(one.standard_error or 0 for one in by_query)) / 3
    assert means["xinfAP"].standard_error == pytest.approx(error)
    assert (means["xinfAP"].high or 0) - (means["xinfAP"].low or 0) == pytest.approx(3.919928 * error)
    [one] = conn.execute("SELECT count(*) FROM scores(%s, %s, '{infNDCG}', query_set => '1')", [[run], edition]).fetchall()
    assert one == (1,)
    # With 14 documents estimated to be relevant, a perfect ranking of max_rank documents has AP 1.
    [few] = sampled_scores(conn, [run], edition=edition, measures="xinfAP", max_rank=9, queries="1")
    assert 0 < few.value <= 1


def test_what_cannot_be_estimated_is_refused(conn: psycopg.Connection, store_run: StoreRun, store_pool: Callable[..., str]) -> None:
    run = store_run({"1": scored(ranking(1, 1))})
    conn.execute("INSERT INTO qrels_editions (edition) VALUES ('plain')")
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, k.query, k.doc, 1"
        " FROM qrels_editions e, stc.st1_rankings k WHERE k.rank = 1"
    )
    for call in (
        lambda: sampled_scores(conn, edition="plain"),
        lambda: score(conn, runs=[run], edition="plain", measures=[Measure("infNDCG")]),
    ):
        with pytest.raises(StateError, match="needs judgments of a sampled pool, and edition 'plain' has no strata") as error:
            call()
        assert "stc load --as qrels FILE" in (error.value.hint or "")
    edition = store_pool({"1": sampled(1)})
    with pytest.raises(BadArgument, match="AP is not estimated from samples"):
        sampled_scores(conn, edition=edition, measures="xinfAP,AP")
    with pytest.raises(BadArgument, match="counts documents of the sample that are not judged"):
        score(conn, runs=[run], edition=edition, measures=[Measure("xinfAP")], rules=ScoreRules(judged_only=True))


def test_the_command_prints_intervals(
    conn: psycopg.Connection, settings: Settings, store_run: StoreRun, store_pool: Callable[..., str]
) -> None:
    edition = store_pool({"1": sampled(1)})
    store_run({"1": scored(ranking(1, 17))}, name="mine", decoy=False)
    printed = CliRunner().invoke(evaluation, ["score", "mine", "--edition", edition, "-m", "xinfAP"], obj=settings)
    assert "0.1367" in printed.stdout
    assert "--standard-errors prints its confidence interval" in printed.stderr
    options = ["--edition", edition, "-m", "xinfAP", "--standard-errors", "--by", "query", "--format", "csv"]
    rows = CliRunner().invoke(stc, ["score", "mine", *options], obj=settings).stdout.splitlines()
    assert rows[0] == "run,query,measure,value,standard_error,low,high"
    run, query, measure, value, error, low, high = rows[1].split(",")
    assert (run, query, measure) == ("mine", "1", "xinfAP")
    assert float(value) == pytest.approx(0.136666419921)
    assert float(high) - float(low) == pytest.approx(2 * 1.959964 * float(error))
    options[3] = "ipw_nDCG@5"
    printed = CliRunner().invoke(stc, ["score", "mine", *options[:5]], obj=settings)
    assert "No interval for ipw_nDCG@5: the ideal ranking is estimated too" in printed.stderr
