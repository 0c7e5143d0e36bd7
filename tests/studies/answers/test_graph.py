"""The graph of a query's answers shows the groups of the run and the stored relations."""

from __future__ import annotations

from xml.etree import ElementTree

import psycopg
import pytest

from stcollection.errors import BadArgument, UnknownObject
from stcollection.plots.clusters import AnswerGraph, GraphAnswer, GraphEdge, GraphGroup, draw_clusters
from stcollection.studies.answers.endorse import ClusterOptions, cluster
from stcollection.studies.answers.graph import graph
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
    assert len(root.findall(f"{SVG}rect")) == 2
    assert not root.findall(f".//{SVG}script")
    texts = [one.text or "" for one in root.iter(f"{SVG}text")]
    [shown] = [one for one in texts if one.startswith("✓ d<1>")]
    assert shown.endswith("…")
    assert "<script>" in shown
    assert sum(2 if one == "长" else 1 for one in shown) <= 69
    assert "\u202e" not in draw_clusters(made)
    empty = ElementTree.fromstring(draw_clusters(AnswerGraph("q", "r", [], [], [])))  # noqa: S314
    assert "no answers" in [one.text for one in empty.iter(f"{SVG}text")]
