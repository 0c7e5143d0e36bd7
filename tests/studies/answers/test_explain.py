"""Explanations of the documents that a run returns."""

from __future__ import annotations

import json

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.analysis.columns import columns
from stcollection.cli.output import printable
from stcollection.db.settings import Settings
from stcollection.errors import UnknownObject
from stcollection.studies.answers.endorse import ClusterOptions, cluster
from stcollection.studies.answers.explain import ORDER, WIDTH, as_text, explanations, wrap
from tests.groups import answers
from tests.studies.answers.answer_worlds import WORKED, Doc, Question, one, put

LONG = Question(
    "\x1b[31m很长的问题" * 12,
    [Doc("a", "标题" * 40, "", {"答案" * 60: "1"}), Doc("b", "", "", {"no such long answer " * 12: "2"}), Doc("c", "", "")],
)


def test_the_worked_example(conn: psycopg.Connection) -> None:
    put(conn, [WORKED, LONG])
    cluster(conn, set="world", split="dev", run="r", options=ClusterOptions(method="correlation", model=None))
    [told] = explanations(conn, "r", WORKED.query)
    assert tuple(told) == ORDER
    assert told["returned"] == told["gold"] == ["d1", "d2"]
    assert (told["endorsement"], told["decided_by"], told["abstained"]) == (2, "documents", None)
    assert told["score"] == {"precision": 1, "recall": 1, "f1": 1}
    assert [[answer["doc_id"] for answer in group["answers"]] for group in told["clusters"]] == [["d1", "d2"], ["d3"]]
    assert [(one["cluster"], one["against"], one["oppose"]) for one in told["contradictions"]] == [(1, 2, 1)]
    assert one(conn, "SELECT (stc.answer_explanation('r', %s) ->> 'endorsement')::integer", [WORKED.query]) == (2,)
    with pytest.raises(UnknownObject, match="no query"):
        list(explanations(conn, "r", "another"))


def test_a_contradiction_within_a_cluster_is_reported(conn: psycopg.Connection) -> None:
    put(conn, [WORKED])
    conn.execute("UPDATE answer_pairs SET label = 1, relation = 'support' WHERE a = 2 AND b = 3")
    cluster(conn, set="world", split="dev", run="r", options=ClusterOptions(method="components", model=None))
    [told] = explanations(conn, "r", WORKED.query)
    assert (told["decided_by"], told["returned"]) == ("only", ["d1", "d2", "d3"])
    assert [(one["cluster"], one["against"], one["a"]["doc_id"], one["b"]["doc_id"]) for one in told["contradictions"]] == [
        (1, 1, "d1", "d3")
    ]
    assert "within 1, 1.00" in as_text(told, clean=printable)


def test_text_fits_the_terminal_without_control_characters(conn: psycopg.Connection) -> None:
    put(conn, [LONG])
    cluster(conn, set="world", split="dev", run="r", options=ClusterOptions(method="average", model=None))
    [told] = explanations(conn, "r")
    text = as_text(told, clean=printable)
    assert "\x1b" not in text
    assert max(columns(line) for line in text.split("\n")) <= WIDTH
    assert "documents without an answer: c" in text
    assert "gold is unknown" in text


def test_wrapping() -> None:
    assert wrap("", "  ", "    ") == [""]
    assert wrap("x" * 100, "", " ") == ["x" * 80, " " + "x" * 20]
    assert wrap("冰" * 45, "- ", "  ") == ["- " + "冰" * 39, "  " + "冰" * 6]
    assert wrap("a" * 50 + " " + "b" * 40, "", "  ") == ["a" * 50, "  " + "b" * 40]
    assert columns("e\u0301冰") == 3


def test_runs_without_clusters_and_without_results(conn: psycopg.Connection, settings: Settings) -> None:
    key = put(conn, [WORKED, Question("nothing", [])])
    (run,) = one(conn, "SELECT stc.answer_begin_run('base', %s, 'tfidf', '{\"model\": \"x\"}', false)", [key])
    conn.execute("INSERT INTO stc.answer_predictions VALUES (%s, 3, 1)", [run])
    told, empty = explanations(conn, "base")
    assert (told["clusters"], told["endorsement"], told["score"]["f1"]) == ([], None, 0)
    assert "does not group answers" in as_text(told, clean=printable)
    assert (empty["abstained"], empty["documents"]) == ("nothing found", [])
    assert "returns nothing" in as_text(empty, clean=printable)
    cluster(conn, set="world", split="dev", run="two", options=ClusterOptions(method="average", model=None, at_least=3))
    assert [told["abstained"] for told in explanations(conn, "two")] == ["too few documents", "no answers"]
    done = CliRunner().invoke(answers, ["explain", "base", "--format", "json"], obj=settings, catch_exceptions=False)
    assert [json.loads(line)["query"] for line in done.output.splitlines()] == [WORKED.query, "nothing"]
