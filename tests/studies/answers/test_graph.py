"""The graph of a query's answers shows the groups of the run and the stored relations."""

from __future__ import annotations

import csv
from pathlib import Path
from xml.etree import ElementTree

import psycopg
import pytest

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.plots.table import table
from stcollection.studies.answers.drawing import AnswerGraph, GraphAnswer, GraphEdge, GraphGroup, draw_clusters
from stcollection.studies.answers.endorse import ClusterOptions, cluster
from stcollection.studies.answers.graph import graph, grouped_queries
from tests.acceptance.conftest import runner
from tests.studies.answers.answer_worlds import WORKED, Doc, Question, put

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def world(conn: psycopg.Connection) -> psycopg.Connection:
    put(conn, [WORKED, Question("空的", [Doc("e", "", "")])])
    cluster(conn, set="world", split="dev", run="labels", options=ClusterOptions(method="correlation", model=None))
    return conn


def test_it_has_the_groups_and_relations_of_the_run(world: psycopg.Connection) -> None:
    made = graph(world, "labels", WORKED.query)
    assert [(one.documents, one.returned, [answer.doc_id for answer in one.answers]) for one in made.groups] == [
        (2, True, ["d1", "d2"]),
        (1, False, ["d3"]),
    ]
    assert [[answer.gold for answer in one.answers] for one in made.groups] == [[True, True], [False]]
    first, second, third = (answer.answer for one in made.groups for answer in one.answers)
    assert {frozenset((a, b)) for a, b, _ in made.supports} == {frozenset((first, second))}
    assert {frozenset((a, b)) for a, b, _ in made.contradictions} == {frozenset((first, third)), frozenset((second, third))}
    assert made.counts() == "2 groups, 1 support, 2 contradictions"
    assert graph(world, "labels", "空的").groups == []


def test_queries_with_groups_and_the_data_of_a_graph(world: psycopg.Connection) -> None:
    assert grouped_queries(world, "labels") == [WORKED.query]  # the other query has no answer
    assert grouped_queries(world, "labels", words="喝冰") == [WORKED.query]
    assert grouped_queries(world, "labels", words="%") == []
    with pytest.raises(UnknownObject, match="nothing"):
        grouped_queries(world, "nothing")
    columns, rows = table(graph(world, "labels", WORKED.query))
    found = [dict(zip(columns, row, strict=True)) for row in rows]
    assert [(one["kind"], one["group"], one["document"], one["relevant"]) for one in found[:3]] == [
        ("answer", 1, "d1", True),
        ("answer", 1, "d2", True),
        ("answer", 2, "d3", False),
    ]
    assert [(one["kind"], one["document"], one["other document"], one["probability"]) for one in found[3:]] == [
        ("support", "d1", "d2", 1),
        ("contradiction", "d1", "d3", 1),
        ("contradiction", "d2", "d3", 1),
    ]


def test_the_command_writes_the_data(world: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    done = runner(settings)(
        "answers", "graph", "labels", WORKED.query, "--out", str(tmp_path / "g.svg"), "--out", str(tmp_path / "g.csv")
    )
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "g.csv").read_text(encoding="utf-8").splitlines()))
    assert [one["kind"] for one in rows] == ["answer"] * 3 + ["support"] + ["contradiction"] * 2


def test_unknown_names_and_values(world: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject, match="nothing"):
        graph(world, "nothing", WORKED.query)
    with pytest.raises(UnknownObject, match="how"):
        graph(world, "labels", "how")
    with pytest.raises(BadArgument, match="least is 2"):
        graph(world, "labels", WORKED.query, least=2)


def test_each_relation_is_an_arc_and_texts_are_only_texts() -> None:
    hostile = '<script>alert(1)</script>\x00\u202e & "quoted" \' \n' + "长" * 200
    made = AnswerGraph(
        hostile,
        "r",
        [GraphGroup(1, True, [GraphAnswer(1, "d<1>", hostile, True)]), GraphGroup(1, False, [GraphAnswer(2, "d2", "b", None)])],
        [],
        [GraphEdge(1, 2, 0.75)],
    )
    root = ElementTree.fromstring(draw_clusters(made))  # noqa: S314
    assert len(root.findall(f"{SVG}path")) == 1
    assert len(root.findall(f"{SVG}rect")) == 3  # the ground and two groups
    assert not root.findall(f".//{SVG}script")
    texts = [one.text or "" for one in root.iter(f"{SVG}text")]
    [shown] = [one for one in texts if one.startswith("✓ d<1>")]
    assert shown.endswith("…")
    assert "<script>" in shown
    assert sum(2 if one == "长" else 1 for one in shown) <= 69
    assert "\u202e" not in draw_clusters(made)
    empty = ElementTree.fromstring(draw_clusters(AnswerGraph("q", "r", [], [], [])))  # noqa: S314
    assert "no answers" in [one.text for one in empty.iter(f"{SVG}text")]
