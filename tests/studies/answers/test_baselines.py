"""Baselines: TF-IDF equals scikit-learn, cuts equal an exhaustive search, runs are stored entirely or not at all."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.studies.answers.baselines import BaselineOptions, baseline
from stcollection.studies.answers.cuts import Flags, best_span, best_threshold, mean_f1
from stcollection.studies.answers.load import SAMPLE
from stcollection.studies.answers.tfidf import QueryWithTexts, cosines
from tests.groups import answers
from tests.studies.answers.answer_worlds import WORKED, Doc, Question, put
from tests.vectors.worlds import BagOfWords

pytestmark = pytest.mark.slow

TEXTS = st.text(st.sampled_from("abB_9 可以喝冰\n\t　İßΟΣ\u0301🙂ＡＢ。，？-"), max_size=30)


def sklearn(query: str, texts: list[str]) -> list[float]:
    """The published baseline: characters separated by blanks, and a vectoriser fitted on each query and its documents."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    spaced = [" ".join(text) for text in (query, *texts)]
    if not re.search(r"\w", "".join(spaced)):
        return [0.0] * len(texts)  # scikit-learn does not fit empty texts
    rows = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b").fit_transform(spaced)  # noqa: S106
    return [float(one) for one in cosine_similarity(rows[:1], rows[1:])[0]] if texts else []


@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=5)), max_size=4))
def test_character_tf_idf_equals_scikit_learn(asked: list[tuple[str, list[str]]]) -> None:
    got = cosines([QueryWithTexts(*one) for one in asked])
    wanted = [one for query, texts in asked for one in sklearn(query, texts)]
    assert got.tolist() == pytest.approx(wanted, abs=1e-12)


def test_punctuation_makes_no_document_like_a_query() -> None:
    """The published baseline counts only letters, digits and the underscore."""
    assert cosines([QueryWithTexts("能喝吗？", ["？？？", "。。", "能。", "能"])])[:2].tolist() == [0, 0]
    assert cosines([QueryWithTexts("能喝吗？", ["能，喝 吗", "能喝吗"])]).tolist() == pytest.approx([1, 1])
    asked = QueryWithTexts("ΟΔΟΣ?", ["οδος", "οσ"])
    assert cosines([asked]).tolist() == pytest.approx(sklearn(asked.query, [*asked.texts]))


def test_the_example_query_with_the_documents_of_the_sample() -> None:
    rows = map(json.loads, (SAMPLE / "test_query_doc.json").read_text(encoding="utf-8").splitlines())
    [worked] = [row for row in rows if row["query"] == WORKED.query]
    found = cosines([QueryWithTexts(worked["query"], [doc["title"] + doc["doc_text"] for doc in worked["docs"]])])
    assert found.round(3).tolist() == [0.164, 0.583, 0.15]  # docs/howto/verify-answers.md


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from([-0.5, 0.0, 0.1, 0.2, 0.3, 0.9]), st.booleans()), min_size=1, max_size=12)
)
def test_the_best_threshold_and_range_equal_an_exhaustive_search(rows: list[tuple[int, float, bool]]) -> None:
    query, score, gold = (np.array(column) for column in zip(*rows, strict=True))
    tried = [mean_f1(query, gold, score > one) for one in [-1.0, *score]]
    cut = best_threshold(query, score, gold)
    assert cut.f1 == pytest.approx(max(tried)) == pytest.approx(mean_f1(query, gold, score > cut.threshold))
    if gold.any():
        spans = [
            mean_f1(query, gold, (low <= score) & (score <= high)) for low, high in itertools.product(score, score) if low <= high
        ]
        span = best_span(query, score, gold)
        returned: Flags = (span.low <= score) & (score <= span.high)
        assert span.f1 == pytest.approx(max(spans)) == pytest.approx(mean_f1(query, gold, returned))


def test_a_threshold_lies_half_way_and_below_equal_scores() -> None:
    query, gold = np.array([1, 1, 1]), np.array([True, True, False])
    assert best_threshold(query, np.array([0.8, 0.6, 0.2]), gold) == pytest.approx((0.4, 1.0))
    assert best_threshold(query, np.array([0.8, 0.6, 0.6]), gold) == pytest.approx((-0.2, 0.8))


def predicted(conn: psycopg.Connection, run: str) -> dict[str, list[str]]:
    rows = conn.execute(
        "SELECT q.text, array_agg(d.doc_id ORDER BY d.place) FROM stc.answer_predictions p JOIN stc.answer_runs r ON r.id = p.run"
        " JOIN stc.answer_documents d ON d.id = p.document JOIN stc.answer_queries q ON q.id = p.query WHERE r.run = %s GROUP BY 1",
        [run],
    )
    return dict(rows.fetchall())


def test_the_published_threshold_returns_what_scikit_learn_would(conn: psycopg.Connection) -> None:
    other = Question("猫能吃葡萄吗", [Doc("x", "猫能吃葡萄吗", "不能。"), Doc("y", "zzz", "qqq"), Doc("z", "", "")])
    alone = Question("没有文档", [])
    put(conn, [WORKED, other, alone], split="test")
    put(conn, [other], set="decoy", split="test")
    made = baseline(conn, set="world", split="test", run="published")
    wanted = {
        one.query: [
            doc.doc_id
            for doc, cosine in zip(one.docs, sklearn(one.query, [doc.title + doc.text for doc in one.docs]), strict=True)
            if cosine > 0.2
        ]
        for one in (WORKED, other)
    }
    assert predicted(conn, "published") == wanted == {WORKED.query: ["d1", "d2", "d3"], other.query: ["x"]}
    assert (made.queries, made.documents, made.returned, made.abstained) == (3, 6, 4, 1)
    assert made.f1 == pytest.approx(0.8)  # the only query with gold: 2 · 2 / (3 + 2)
    assert conn.execute("SELECT params FROM stc.answer_runs").fetchone() == ({"threshold": 0.2},)


def test_a_range_of_lengths_is_found_on_another_split(conn: psycopg.Connection) -> None:
    def asks(name: str) -> Question:
        return Question(name, [Doc("s", "", "长" * 5), Doc("m", "", "长" * 20), Doc("l", "", "长" * 90)], gold=["m"])

    put(conn, [asks("一"), asks("二")], split="dev")
    put(conn, [asks("三")], split="test")
    made = baseline(conn, set="world", split="test", run="length", options=BaselineOptions(method="length", tune_on="dev"))
    assert (made.low, made.high, made.f1_tuned) == (20, 20, 1)
    assert predicted(conn, "length") == {"三": ["m"]}
    assert conn.execute("SELECT params FROM stc.answer_runs").fetchone() == (
        {"tuned_on": "dev", "low": 20, "high": 20, "f1_tuned": 1},
    )
    assert baseline(conn, set="world", split="test", run="all", options=BaselineOptions(method="all")).returned == 3


def test_vectors_find_documents_similar_to_the_query(conn: psycopg.Connection) -> None:
    docs = [Doc("near", "do goldfish sleep", "goldfish sleep"), Doc("far", "", "paint dries"), Doc("none", "", " ")]
    put(conn, [Question("do goldfish sleep", docs, gold=["near"])], split="dev")
    encoder = BagOfWords("words")
    made = baseline(
        conn, set="world", split="dev", run="near", options=BaselineOptions(method="embedding", tune_on="dev", model=encoder)
    )
    assert predicted(conn, "near") == {"do goldfish sleep": ["near"]}
    assert (made.model, made.f1, made.f1_tuned) == ("words", 1, 1)
    assert made.threshold is not None
    assert 0.2 < made.threshold < 0.9
    nothing = baseline(
        conn, set="world", split="dev", run="none", options=BaselineOptions(method="embedding", threshold=0.999, model=encoder)
    )
    assert (nothing.returned, nothing.abstained, nothing.f1) == (0, 1, 0)


@pytest.mark.long
def test_the_default_model(conn: psycopg.Connection) -> None:
    docs = [Doc("near", "Do goldfish sleep?", "They rest at night."), Doc("far", "Paint", "It dries in a day.")]
    put(conn, [Question("do goldfish sleep", docs, gold=["near"])], split="dev")
    assert (
        baseline(conn, set="world", split="dev", run="near", options=BaselineOptions(method="embedding", tune_on="dev")).model
        == "minilm"
    )
    assert predicted(conn, "near") == {"do goldfish sleep": ["near"]}


def test_a_run_is_replaced_entirely_or_kept(conn: psycopg.Connection) -> None:
    put(conn, [WORKED], split="dev")
    baseline(conn, set="world", split="dev", run="mine", options=BaselineOptions(method="all"))
    with pytest.raises(BadArgument, match="run 'mine' already exists"):
        baseline(conn, set="world", split="dev", run="mine", options=BaselineOptions(threshold=0.99))
    assert predicted(conn, "mine") == {WORKED.query: ["d1", "d2", "d3"]}
    made = baseline(conn, set="world", split="dev", run="mine", options=BaselineOptions(threshold=0.99), replace=True)
    assert (made.abstained, predicted(conn, "mine")) == (1, {})


WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"set": "wolrd"}, UnknownObject, "no data set 'wolrd'"),
    ({"split": "train"}, UnknownObject, "no split 'train'"),
    ({"method": "bm25"}, BadArgument, "unknown baseline 'bm25'"),
    ({"threshold": 2.0}, BadArgument, "the threshold is 2"),
    ({"threshold": float("nan")}, BadArgument, "the threshold is nan"),
    ({"threshold": 0.1, "tune_on": "dev"}, BadArgument, "together with --tune-on"),
    ({"threshold": 0.1, "method": "all"}, BadArgument, "a threshold is given for all"),
    ({"method": "length"}, BadArgument, "needs a range"),
    ({"method": "embedding"}, BadArgument, "needs a threshold"),
    ({"method": "all", "tune_on": "dev"}, BadArgument, "the method 'all' cannot be tuned"),
    ({"model": "minilm"}, BadArgument, "a model is given for tfidf"),
    ({"model": "nope", "method": "embedding", "threshold": 0.1}, UnknownObject, "no vectors of a model nope"),
    ({"tune_on": "test"}, StateError, "the split test of world has no gold"),
    ({"run": " "}, BadArgument, "the name of the run is empty"),
]


def test_errors(conn: psycopg.Connection) -> None:
    put(conn, [WORKED], split="dev")
    put(conn, [Question("无", [Doc("a", "", "x")])], split="test")
    for wrong, kind, match in WRONG:
        options = dict(wrong)
        with pytest.raises(kind, match=match):
            baseline(
                conn,
                set=options.pop("set", "world"),
                split=options.pop("split", "dev"),
                run=options.pop("run", "r"),
                options=BaselineOptions(**options),
            )
    assert conn.execute("SELECT count(*) FROM stc.answer_runs").fetchone() == (0,)


def test_the_command_prints_the_run_and_its_tuning(conn: psycopg.Connection, settings: Settings) -> None:
    put(conn, [WORKED], split="dev")
    asked = ["baseline", "world", "--split", "dev", "--name", "b", "--tune-on", "dev"]
    done = CliRunner().invoke(answers, asked, obj=settings, catch_exceptions=False)
    assert done.exit_code == 0
    assert "tuned on dev: mean F1" in done.output
    assert "split of the run" in done.output
    assert (
        CliRunner().invoke(answers, [*asked, "--replace", "--format", "csv"], obj=settings).output.startswith("run,method,model,")
    )
