"""Pareto fronts: compared with pairwise comparison of all points; fronts of a stored run and of a search."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from stcollection.cli.retrieval.combination import pareto_command
from stcollection.db.settings import Settings
from stcollection.errors import StcError, from_postgres
from stcollection.retrieval.filters import Filter
from stcollection.retrieval.pareto import ParetoOptions, pareto
from tests.examples import examples
from tests.retrieval.combining import put_facts
from tests.retrieval.fusing import put_run
from tests.text.documents import build, clone

Point = Sequence[float | None]


def dominates(one: Point, other: Point) -> bool:
    first, second = ([-np.inf if x is None else x for x in point] for point in (one, other))
    return all(x >= y for x, y in zip(first, second, strict=True)) and any(x > y for x, y in zip(first, second, strict=True))


def peeled(points: Sequence[Point]) -> list[int]:
    """Return the front of each point by repeatedly removing the non-dominated points."""
    fronts = [0] * len(points)
    number = 0
    while 0 in fronts:
        number += 1
        left = [i for i, front in enumerate(fronts) if not front]
        for i in [i for i in left if not any(dominates(points[j], points[i]) for j in left)]:
            fronts[i] = number
    return fronts


def found(conn: psycopg.Connection, points: Sequence[Point], dims: int) -> list[int]:
    row = conn.execute(
        "SELECT stc.pareto_fronts(%s::double precision[], %s)", [[x for point in points for x in point], dims]
    ).fetchone()
    assert row is not None
    return list(row[0])


@pytest.fixture(scope="module")
def filled(server: Settings, admin: psycopg.Connection, template: str) -> Iterator[psycopg.Connection]:
    """Store six documents with words, grade levels and citations, and a run of five of them."""
    with clone(server, admin, template, "pareto") as conn:
        put_facts(
            conn,
            {
                1: {"textstat_fkgl": 18.0, "citations": 5, "year": 2001, "citation_percentile": 50.0},
                2: {"textstat_fkgl": 12.0, "citations": 5, "year": 2002, "citation_percentile": 50.0},
                3: {"textstat_fkgl": 12.0, "citations": 5, "year": 2003, "citation_percentile": 50.0},
                4: {"citations": 90, "year": 2004, "citation_percentile": 99.0},
                5: {"textstat_fkgl": 13.0, "citations": 4, "year": 2005, "citation_percentile": 40.0},
                6: {"textstat_fkgl": 5.0, "citations": 0, "year": 2006, "citation_percentile": 0.0},
            },
        )
        conn.execute(
            "INSERT INTO dblp_text (id, title, abstract) SELECT i, 'Voice ' || i, repeat('voice ', i) FROM generate_series(1, 6) i"
        )
        build(conn, "portable")
        put_run(conn, {"q": {1: 9.0, 2: 8.0, 3: 8.0, 4: 7.0, 5: 6.0}, "other": {6: 1.0}}, "base")
        yield conn


coordinate = st.integers(0, 4).map(float) | st.floats(-1e9, 1e9) | st.none()


@pytest.mark.slow
@examples(150)
@given(st.integers(1, 4).flatmap(lambda dims: st.lists(st.tuples(*[coordinate] * dims), min_size=1, max_size=25)))
def test_equal_to_peeling(filled: psycopg.Connection, points: list[tuple[float | None, ...]]) -> None:
    assert found(filled, points, len(points[0])) == peeled(points)


@pytest.mark.parametrize(("dims", "values"), [(2, 1000), (3, 1000), (3, 5), (5, 20)])
def test_many_points(filled: psycopg.Connection, dims: int, values: int) -> None:
    rng = np.random.default_rng(dims * values)
    points = rng.integers(0, values, (300, dims)).astype(float).tolist()
    fronts = found(filled, points, dims)
    assert fronts == peeled(points)
    assert len({*fronts}) > 3


def test_points_by_hand(filled: psycopg.Connection) -> None:
    #      best of the first, of both, equal to it, below it, below that, best of the second
    points: list[Point] = [[9.0, 0.0], [8.0, 8.0], [8.0, 8.0], [8.0, 7.0], [1.0, 7.0], [None, 9.0]]
    assert found(filled, points, 2) == [1, 1, 1, 2, 3, 1]
    assert found(filled, [[3.0], [1.0], [3.0], [None], [2.0]], 1) == [1, 3, 1, 4, 2]
    assert found(filled, [], 3) == []
    assert found(filled, [[float("nan"), 1.0], [0.0, 1.0], [-0.0, 1.0]], 2) == [2, 1, 1]
    for point, dims in (([1.0, 2.0, 3.0], 2), ([1.0], 0)):
        with pytest.raises(psycopg.Error) as error:
            found(filled, [point], dims)
        assert error.value.sqlstate == "IR202"


def test_the_front_of_a_stored_run_by_hand(filled: psycopg.Connection) -> None:
    # 3 before 2: ties by greater docno. Both are equal; 5 is worse by all measures; 4 is hard to read but cited.
    rows = pareto(filled, "q", run="base", options=ParetoOptions(measures=["relevance", "textstat_fkgl", "citations"], fronts=None))
    assert [(one.front, one.rank, one.doc, one.measured) for one in rows] == [
        (1, 1, 1, [9.0, 18.0, 5.0]),
        (1, 2, 3, [8.0, 12.0, 5.0]),
        (1, 3, 2, [8.0, 12.0, 5.0]),
        (1, 4, 4, [7.0, None, 90.0]),
        (2, 5, 5, [6.0, 13.0, 4.0]),
    ]
    assert [one.title for one in rows] == ["Voice 1", "Voice 3", "Voice 2", "Voice 4", "Voice 5"]
    assert [one.docno for one in pareto(filled, "q", run="base")] == ["1", "3", "2", "4"]


def test_directions_depth_and_filter(filled: psycopg.Connection) -> None:
    def front(*measures: str, k: int = 100, filter: Filter | None = None) -> list[int]:  # noqa: A002
        return [one.doc for one in pareto(filled, "q", run="base", options=ParetoOptions(measures=measures, k=k), filter=filter)]

    assert front("age") == [5]
    assert front("age:more") == [1]
    assert front("textstat_fkgl:more", "age") == [1, 5]
    assert front("textstat_fkgl:more", "age:more") == [1]
    assert front("citations", k=3) == [1, 3, 2]
    assert front("citations", filter={"year": [None, 2003]}) == [1, 3, 2]
    assert front("citations", filter={"year": [2002, None]}, k=2) == [3, 2]
    assert front("citations", filter={"year": [1800, 1900]}) == []


def test_the_front_of_a_search(filled: psycopg.Connection) -> None:
    ranked = filled.execute("SELECT doc, score, rank FROM bm25_search('voice', 4)").fetchall()
    rows = pareto(filled, "voice", system="bm25", options=ParetoOptions(k=4, measures=["relevance", "age:more"], fronts=None))
    assert sorted((one.doc, one.score, one.rank) for one in rows) == sorted(ranked)
    points: list[Point] = [[score, 2006.0 - (2000 + doc)] for doc, score, _ in ranked]  # the newest is of 2006
    assert {one.doc: one.front for one in rows} == dict(zip([doc for doc, _, _ in ranked], peeled(points), strict=True))
    assert all(one.measured == [one.score, 6.0 - one.doc] for one in rows)
    assert pareto(filled, "nothing of that kind", system="bm25") == []
    assert {
        one.doc for one in pareto(filled, "voice", system="bm25", filter={"year": 2003}, options=ParetoOptions(fronts=None))
    } == {3}


@pytest.mark.parametrize(
    ("state", "call", "what"),
    [
        ("IR101", "pareto_front('q', run => 'bsae')", "no run 'bsae'"),
        ("IR103", "pareto_front('qq', run => 'base')", "no query 'qq'"),
        ("IR103", "pareto_front(NULL, run => 'base')", "no query NULL"),
        ("IR107", "pareto_front('voice', system => 'nonsense')", "no system nonsense"),
        ("IR108", "pareto_front('q', measures => '{fkgl}', run => 'base')", "no measure fkgl"),
        ("IR108", "pareto_front('q', measures => '{NULL}', run => 'base')", "no measure NULL"),
        ("IR201", "pareto_front('q', 0, run => 'base')", "k is 0"),
        ("IR201", "pareto_front('q', run => 'base', fronts => 0)", "fronts is 0"),
        ("IR202", "pareto_front('q', measures => '{}', run => 'base')", "no measure is given"),
        ("IR202", "pareto_front('q', measures => '{age,age:more}', run => 'base')", "twice"),
        ("IR202", "pareto_front('q', measures => '{age:best}', run => 'base')", "must be more or less"),
        ("IR202", "pareto_front('q', run => 'base', filter => '{\"colour\": 1}')", "no key colour"),
    ],
)
def test_errors(filled: psycopg.Connection, state: str, call: str, what: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        filled.execute(f"SELECT * FROM {call}")
    told = from_postgres(error.value)
    assert isinstance(told, StcError)
    assert told.sqlstate == state
    assert what in told.message
    assert told.hint


def test_the_command(filled: psycopg.Connection, settings: Settings) -> None:
    here = replace(settings, db=filled.info.dbname)

    def run(*arguments: str, code: int = 0) -> tuple[str, str]:
        done = CliRunner().invoke(pareto_command, list(arguments), obj=here)
        assert done.exit_code == code, done.output
        return done.stdout, done.stderr

    out, _ = run("q", "--run", "base", "--measure", "relevance", "--measure", "age", "--fronts", "2", "--format", "json")
    assert [(row["front"], row["document"]) for row in json.loads(out)] == [(1, "1"), (1, "3"), (1, "4"), (1, "5"), (2, "2")]
    assert json.loads(out)[0] == {"front": 1, "rank": 1, "relevance": 9.0, "age": 5.0, "document": "1", "title": "Voice 1"}
    out, _ = run("voice", "--system", "bm25", "--measure", "citations", "--filter", "year=2005..")
    assert out.splitlines()[2].split() == ["1", out.splitlines()[2].split()[1], "4.0000", "5", "Voice", "5"]
    out, err = run("q", "--run", "base", "--filter", "year=1900")
    assert (out, err) == ("", "nothing found\n")
    run("q", "--run", "base", "-k", "0", code=2)
