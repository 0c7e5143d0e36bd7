"""Scores of the documents that runs return: by hand, and against scikit-learn."""

from __future__ import annotations

import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.studies.answers.scores import leaderboard, means, scores
from tests.groups import answers
from tests.studies.answers.answer_worlds import Doc, Question, one, put

DOCS = [Doc(name, "", "") for name in "abcd"]
WORLD = [
    Question("喝冰水吗", DOCS, gold=["a", "b"], template="may"),
    Question("how many", DOCS, gold=["c"], template="count"),
    Question("unknown", DOCS),
]


def store(conn: psycopg.Connection, run: str, key: int, returned: dict[int, str]) -> None:
    """Store a run. :param returned: documents by place of the query."""
    (made,) = one(conn, "SELECT stc.answer_begin_run(%s, %s, 'tfidf', '{}', false)", [run, key])
    for place, names in returned.items():
        conn.execute(
            "INSERT INTO stc.answer_predictions SELECT %s, d.id, q.id FROM stc.answer_queries q JOIN stc.answer_documents d"
            " ON d.query = q.id"
            " WHERE q.set = %s AND q.place = %s AND d.doc_id = ANY (%s)",
            [made, key, place, list(names)],
        )


def test_by_hand(conn: psycopg.Connection) -> None:
    key = put(conn, WORLD)
    store(conn, "r", key, {1: "acd", 3: "a"})
    store(conn, "decoy", key, {1: "ab", 2: "c"})
    assert [one[4:] for one in scores(conn, "r")] == [
        (1, 3, 2, 1 / 3, 0.5, 0.4),
        (0, 0, 1, 0.0, 0.0, 0.0),
        (0, 1, 0, 0.0, 0.0, 0.0),
    ]
    [mean] = means(conn, ["r"])
    assert mean[2:5] == (2, 1, 1)  # the third query is left out
    assert mean[5:] == pytest.approx((1 / 6, 0.25, 0.2, 1 / 3, 1 / 3, 1 / 3))
    assert one(conn, "SELECT queries, round(f1 * 3e6) FROM stc.answer_mean_scores(ARRAY['r'], empty => true)", []) == (3, 400_000)
    store(conn, "silent", key, {})
    assert [row[9] for row in scores(conn, "silent")] == [0.0, 0.0, 1.0]  # nothing is returned, and there is no gold


@pytest.mark.slow
@given(returned=st.sets(st.sampled_from("abcd")), gold=st.sets(st.sampled_from("abcd")))
@hypothesis_settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_equal_to_scikit_learn(conn: psycopg.Connection, returned: set[str], gold: set[str]) -> None:
    with conn.transaction(force_rollback=True):
        store(conn, "r", put(conn, [Question("q", DOCS, gold=sorted(gold))]), {1: "".join(sorted(returned))})
        [found] = scores(conn, "r")
    told = precision_recall_fscore_support(
        [name in gold for name in "abcd"], [name in returned for name in "abcd"], average="binary", zero_division=1.0
    )
    assert found.f1 == pytest.approx(told[2])
    if returned and gold:
        assert found[7:] == pytest.approx(told[:3])


def test_the_leaderboard(conn: psycopg.Connection) -> None:
    key = put(conn, WORLD)
    store(conn, "good", key, {1: "ab", 2: "c"})
    store(conn, "poor", key, {1: "ac"})
    other = put(conn, WORLD, split="test")
    store(conn, "elsewhere", other, {1: "ab"})
    best, last = leaderboard(conn, set="world", split="dev")
    assert (best.run, best.f1, best.low, best.high, best.p) == ("good", 1.0, 1.0, 1.0, None)
    assert (last.run, last.f1, last.p, last.corrected) == ("poor", 0.25, 0.5, 0.5)  # both queries differ: 2 of 4 assignments
    assert leaderboard(conn, set="world", split="dev") == [best, last]
    against = leaderboard(conn, set="world", split="dev", baseline="poor")
    assert [one.p for one in against] == [0.5, None]
    parts = leaderboard(conn, set="world", split="dev", by="language")
    assert [(one.part, one.run, one.queries, one.f1) for one in parts] == [
        ("other", "good", 1, 1.0),
        ("other", "poor", 1, 0.0),
        ("zh", "good", 1, 1.0),
        ("zh", "poor", 1, 0.5),
    ]
    parts = leaderboard(conn, set="world", split="dev", by="template")
    assert [(one.part, one.run, one.f1) for one in parts[:2]] == [("(none)", "good", None), ("(none)", "poor", None)]
    with pytest.raises(BadArgument, match="does not belong to world dev"):
        leaderboard(conn, set="world", split="dev", baseline="elsewhere")
    with pytest.raises(BadArgument, match="by is 'author'"):
        leaderboard(conn, set="world", split="dev", by="author")
    with pytest.raises(UnknownObject, match="no run 'god'"):
        scores(conn, "god")


@pytest.mark.slow
def test_the_commands(conn: psycopg.Connection, settings: Settings) -> None:
    key = put(conn, WORLD)
    store(conn, "good", key, {1: "ab", 2: "c"})

    def run(*words: str) -> str:
        return CliRunner().invoke(answers, [*words], obj=settings, catch_exceptions=False).output

    assert "good" in run("leaderboard", "world", "--split", "dev")
    assert "queries without gold, left out: 1" in run("leaderboard", "world", "--split", "dev")
    assert "喝冰水吗" in run("score", "good", "-q")
    assert '"f1": 1.0' in run("score", "good", "--format", "json")
