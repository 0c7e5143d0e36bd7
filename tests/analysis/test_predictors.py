"""Predictors of query performance: the published formulas in numpy, and scipy's correlations."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

import numpy as np
import psycopg
import pytest
import pytrec_eval
from click.testing import CliRunner
from scipy import stats

from stcollection.analysis.predictors import QueryPrediction, predictor_quality, query_predictors
from stcollection.cli.analysis.variation import predictors_command as command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from tests.evaluation.conftest import StoreRun, qrels_storer, run_storer, store_run  # noqa: F401

pytestmark = pytest.mark.slow

DEPTH, SIZE = 5, 40
WORDS = [f"w{number}" for number in range(12)]  # no stop words, nothing to stem
TEXTS = {"A.1": "w0 w7", "A.2": "w3 w3 w11 unheard", "A.3": "w1 w2 w5 w9", "B.1": "w10", "B.2": "w4 w6 w8", "C.1": "w11 w0 w0"}
NAMES = ("avg_idf", "max_idf", "avg_scq", "max_scq", "scs", "nqc", "wig", "clarity")


def corpus() -> dict[str, list[str]]:
    """Forty documents; the later a word, the rarer it is."""
    draw = np.random.default_rng(3)
    rarity = 1 / np.arange(1, len(WORDS) + 1)
    texts = draw.choice(WORDS, (SIZE, 12), p=rarity / rarity.sum())
    return {f"d{number}": list(words[: 6 + number % 7]) for number, words in enumerate(texts)} | {"empty": []}


def ranking() -> dict[str, dict[str, float]]:
    draw = np.random.default_rng(4)
    return {query: dict(zip(draw.permutation([*corpus()])[:9], range(9, 0, -1), strict=True)) for query in [*TEXTS, "N", "U"]}


def scores(query: str) -> dict[str, float]:
    """Return the scores of a query's documents, which are no multiples of ranks."""
    return {doc: 3 + math.sqrt(score) * (1 + sum(map(ord, query)) % 7) for doc, score in ranking()[query].items()}


def judged() -> dict[str, dict[str, int]]:
    draw = np.random.default_rng(9)
    return {query: {doc: int(draw.integers(0, 3)) for doc in docs} for query, docs in ranking().items()}


@pytest.fixture
def filled(conn: psycopg.Connection) -> None:
    """An indexed collection and a run; query N has no known text, and no document has a word of query U."""
    for number, (docno, words) in enumerate(corpus().items(), 1):
        conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, '{}')", [number, docno])
        conn.execute("INSERT INTO dblp_text (id, title, abstract) VALUES (%s, '', %s)", [number, " ".join(words)])
    conn.execute("CALL stc.index_text(config => 'simple', engine => 'portable')")
    run_storer(conn)(ranking(), "mine", decoy=False)
    for query in ranking():
        for doc, score in scores(query).items():
            conn.execute(
                "UPDATE st1_rankings SET rel_score = %s"
                " WHERE run = 'mine' AND query = %s AND doc = (SELECT id FROM dblp WHERE docno = %s)",
                [score, query, doc],
            )
    qrels_storer(conn)(judged(), "e")
    for topic in "ABC":
        conn.execute("INSERT INTO st1_topics (topic) VALUES (%s)", [topic])
    for query, text in (TEXTS | {"U": "unheard"}).items():
        conn.execute("UPDATE stc.st1_queries SET text = %s WHERE query = %s", [text, query])
    conn.execute("UPDATE stc.st1_queries q SET topic = t.id FROM st1_topics t WHERE t.topic = split_part(q.query, '.', 1)")


def expected(query: str) -> dict[str, float]:
    """Return the predictors of a query by their formulas."""
    documents = corpus()
    n = sum(bool(words) for words in documents.values())
    cf = Counter(word for words in documents.values() for word in words)
    df = Counter(word for words in documents.values() for word in set(words))
    total = sum(cf.values())
    asked = Counter(word for word in TEXTS[query].split() if word in cf)
    idf = [math.log(n / df[word]) for word in asked]
    scq = [(1 + math.log(cf[word])) * math.log(1 + n / df[word]) for word in asked]
    share = {word: many / sum(asked.values()) for word, many in asked.items()}
    found = scores(query)
    values = np.array([*found.values()])
    model: Counter[str] = Counter()
    first = [documents[doc] for doc in [*found][:DEPTH] if documents[doc]]

    def probability(word: str, words: list[str]) -> float:
        return 0.6 * words.count(word) / len(words) + 0.4 * cf[word] / total

    likelihood = np.array([math.prod(probability(word, words) ** many for word, many in asked.items()) for words in first])
    for words, weight in zip(first, likelihood / likelihood.sum(), strict=True):
        for word in cf:
            model[word] += weight * probability(word, words)
    return {
        "avg_idf": float(np.mean(idf)), "max_idf": max(idf), "avg_scq": float(np.mean(scq)), "max_scq": max(scq),
        "scs": sum(part * math.log2(part / (cf[word] / total)) for word, part in share.items()),
        "nqc": values[:DEPTH].std() / values.mean(), "wig": (values[:5] - values.mean()).mean() / math.sqrt(len(asked)),
        "clarity": sum(part * math.log2(part / (cf[word] / total)) for word, part in model.items()),
    }  # fmt: skip


@pytest.mark.usefixtures("filled")
def test_the_predictors_are_those_of_the_formulas(conn: psycopg.Connection) -> None:
    rows = {row.query: row for row in query_predictors(conn, "mine", depth=DEPTH)}
    assert [*rows] == sorted([*TEXTS, "U"])
    for query in TEXTS:
        found = {name: getattr(rows[query], name) for name in NAMES}
        assert found == pytest.approx(expected(query)), query
    assert (rows["A.2"].words, rows["U"].words, rows["U"].avg_idf, rows["U"].wig, rows["U"].clarity) == (2, 0, None, None, None)
    assert rows["U"].nqc is not None
    assert [row.query for row in query_predictors(conn, "mine", queries="topic:B")] == ["B.1", "B.2"]


@pytest.mark.usefixtures("filled")
def test_the_correlations_are_scipys(conn: psycopg.Connection) -> None:
    ranked = {query: scores(query) for query in ranking()}
    evaluated = pytrec_eval.RelevanceEvaluator(judged(), {"map"}).evaluate(ranked)
    values = {query: evaluated[query]["map"] for query in TEXTS}
    predicted = {query: expected(query) for query in TEXTS}
    rows = {row.predictor: row for row in predictor_quality(conn, "mine", edition="e", measure="AP", depth=DEPTH)}
    assert [*rows] == sorted(NAMES, key=lambda name: (-(rows[name].kendall or 0), NAMES.index(name)))
    for name in (name for name in NAMES if name != "nqc"):
        x = [predicted[query][name] for query in TEXTS]
        y = [values[query] for query in TEXTS]
        row = rows[name]
        assert row.queries == len(TEXTS)
        for ours, theirs in ((row.pearson, stats.pearsonr), (row.spearman, stats.spearmanr), (row.kendall, stats.kendalltau)):
            assert ours == pytest.approx(theirs(x, y).statistic), name
        topics = {topic: [query for query in TEXTS if query[0] == topic] for topic in "AB"}
        picked = [max(queries, key=lambda query: predicted[query][name]) for queries in topics.values()]
        assert row.picked == pytest.approx(np.mean([values[query] for query in picked]))
        assert row.mean == pytest.approx(np.mean([np.mean([values[query] for query in queries]) for queries in topics.values()]))
        assert row.best == pytest.approx(np.mean([max(values[query] for query in queries) for queries in topics.values()]))
    assert rows["nqc"].queries == len(TEXTS) + 1  # it needs no word of the query
    [row] = [row for row in predictor_quality(conn, "mine", edition="e", queries="B.1") if row.predictor == "wig"]
    assert (row.queries, row.pearson, row.kendall, row.picked) == (1, None, None, None)


@pytest.mark.usefixtures("filled")
def test_the_command_prints_the_rows(settings: Settings, conn: psycopg.Connection) -> None:
    def run(*arguments: str) -> Any:
        done = CliRunner().invoke(command, ["mine", *arguments, "--format", "json"], obj=settings, catch_exceptions=False)
        return json.loads(done.stdout)

    rows = query_predictors(conn, "mine")
    assert [{name: row[name] for name in QueryPrediction._fields} for row in run()] == [row._asdict() for row in rows]
    quality = predictor_quality(conn, "mine", edition="e", measure="AP")
    assert [row["kendall"] for row in run("--edition", "e", "-m", "AP")] == [row.kendall for row in quality]


def test_without_a_text_index_or_a_run(conn: psycopg.Connection, store_run: StoreRun) -> None:  # noqa: F811
    store_run({"q": {"d": 1.0}}, "mine", decoy=False)
    with pytest.raises(StateError, match="the text index does not exist"):
        query_predictors(conn, "mine")
    with pytest.raises(UnknownObject, match="nobody"):
        query_predictors(conn, "nobody")
    with pytest.raises(BadArgument, match="depth"):
        query_predictors(conn, "mine", depth=0)
