"""Combinations of relevance, readability and credibility: equal to the definitions, ranked, exported and imported again."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from stcollection.cli.retrieval.combination import combine_command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, StcError, UnknownObject
from stcollection.retrieval.combine import Combined, combine
from stcollection.retrieval.fuse import FusionRule, fuse
from stcollection.runs.export import export_run
from stcollection.runs.load import ImportOptions, import_runs
from tests import databases
from tests.examples import examples
from tests.retrieval.combining import combined, put_facts, world
from tests.retrieval.fusing import by_rank, put_documents, put_run, stored
from tests.text.documents import clone

pytestmark = pytest.mark.slow

READABLE = {"relevance": 0.5, "textstat_fkgl": 0.5}


def fill(conn: psycopg.Connection) -> None:
    """Store three documents of one query; the most relevant is hardest to read, the last has no abstract."""
    put_facts(
        conn,
        {
            1: {"textstat_fkgl": 20.0, "citations": 0, "citation_percentile": 0.0, "year": 2020},
            2: {"textstat_fkgl": 8.0, "citations": 9, "citation_percentile": 100.0, "year": 2011},
            3: {"citations": None, "year": None},
            4: {"textstat_fkgl": 14.0, "citations": 99, "citation_percentile": 50.0, "year": 2016},
        },
    )
    put_run(conn, {"q": {1: 9.0, 2: 5.0, 3: 1.0}}, "base")


@databases.world
def small(conn: psycopg.Connection) -> psycopg.Connection:
    fill(conn)
    return conn


@pytest.fixture(scope="module")
def shared(server: Settings, admin: psycopg.Connection, template: str) -> Iterator[psycopg.Connection]:
    """Return the same data, for tests that store only a run named new."""
    with clone(server, admin, template, "combine") as conn:
        fill(conn)
        yield conn


def scores(conn: psycopg.Connection, run: str, query: str = "q") -> dict[int, float]:
    return dict(stored(conn, run)[query])


def test_by_hand(small: psycopg.Connection) -> None:
    done = combine(small, run="base", name="new", weights=READABLE)
    assert (done.queries, done.ranked) == (1, 3)
    # Relevance by minmax: 1, .5, 0. Grade levels by linear(20, 8): 0, 1, and for the unknown one their mean, .5.
    assert stored(small, "new")["q"] == [(2, 0.75), (1, 0.5), (3, 0.25)]
    assert small.execute("SELECT DISTINCT rel_score = comb_score FROM rankings WHERE run = 'new'").fetchall() == [(True,)]


@pytest.mark.parametrize(
    ("weights", "transforms", "missing", "expected"),
    [
        (READABLE, {}, "zero", {1: 0.5, 2: 0.75, 3: 0.0}),
        ({"relevance": 1, "textstat_fkgl": 3}, {}, "zero", {1: 0.25, 2: 0.875, 3: 0.0}),
        ({"textstat_fkgl": 7}, {}, "mean", {1: 0.0, 2: 1.0, 3: 0.5}),
        ({"relevance": 2, "textstat_fkgl": 0}, {"relevance": "rank"}, "mean", {1: 1.0, 2: 2 / 3, 3: 1 / 3}),
        ({"relevance": 1}, {"relevance": "reciprocal(9)"}, "mean", {1: 1.0, 2: 10 / 11, 3: 10 / 12}),
        ({"relevance": 1}, {"relevance": "linear(0,10)"}, "mean", {1: 0.9, 2: 0.5, 3: 0.1}),
        ({"citations": 1}, {"citations": "log(0,99)"}, "zero", {1: 0.0, 2: 0.5, 3: 0.0}),
        ({"citations": 1}, {"citations": "log(99,0)"}, "zero", {1: 1.0, 2: 0.5, 3: 0.0}),
        # Of the corpus's three grade levels 8, 14, 20, lower is better; mid-ranks count half of each.
        ({"textstat_fkgl": 1}, {"textstat_fkgl": "percentile"}, "zero", {1: 1 / 6, 2: 5 / 6, 3: 0.0}),
        ({"textstat_fkgl": 1}, {"textstat_fkgl": "percentile(more)"}, "zero", {1: 5 / 6, 2: 1 / 6, 3: 0.0}),
        ({"textstat_fkgl": 1}, {"textstat_fkgl": "logistic(8,-12)"}, "zero", {1: 1 / (1 + math.e), 2: 0.5, 3: 0.0}),
        ({"citation_percentile": 1}, {}, "mean", {1: 0.0, 2: 1.0, 3: 0.5}),
        # In 2020, the newest document's year: 0 citations in 1 year, 9 in 10.
        ({"citations_per_year": 1}, {"citations_per_year": "linear(0,1)"}, "zero", {1: 0.0, 2: 0.9, 3: 0.0}),
        ({"age": 1}, {"age": " Linear( 9 , 0 ) "}, "zero", {1: 1.0, 2: 0.0, 3: 0.0}),
    ],
)
def test_each_transform_by_hand(
    shared: psycopg.Connection, weights: dict[str, float], transforms: dict[str, str], missing: str, expected: dict[int, float]
) -> None:
    combine(shared, run="base", name="new", weights=weights, transforms=transforms, missing=missing, replace=True)
    found = scores(shared, "new")
    assert found == pytest.approx(expected, abs=1e-12)
    assert list(found) == by_rank({doc: float(np.float32(score)) for doc, score in found.items()})


@pytest.mark.parametrize("missing", ["mean", "zero"])
@pytest.mark.parametrize("relevance", ["minmax", "rank", "reciprocal"])
def test_equal_to_the_definitions(conn: psycopg.Connection, relevance: str, missing: str) -> None:
    facts = world(3)
    put_facts(conn, facts)
    put_documents(conn, range(31, 33))
    rng = np.random.default_rng(9)
    queries = {
        f"q{n}": {int(doc): float(rng.integers(0, 6)) for doc in rng.choice(range(1, 33), 8 + 3 * n, replace=False)}
        for n in range(5)
    }
    queries["one"] = {32: 3.0}  # without any facts
    put_run(conn, queries, "base")
    weights = {"relevance": 3.0, "textstat_fkgl": 1.0, "textstat_fre": 0.5, "citations": 0.25, "citation_percentile": 2.0}
    transforms = {
        "relevance": relevance, "textstat_fkgl": "percentile", "textstat_fre": "logistic(30,8)", "citations": "log(2,300)",
        "citation_percentile": "linear(10,70)",
    }  # fmt: skip
    combine(conn, run="base", name="new", weights=weights, transforms=transforms, missing=missing, depth=12)
    found = stored(conn, "new")
    assert found.keys() == queries.keys()
    for query, ranking in queries.items():
        expected = combined(ranking, facts, weights=weights, transforms=transforms, missing=missing)
        # Sums of the same parts may differ only in their last bits.
        assert dict(found[query]) == pytest.approx({doc: expected[doc] for doc, _ in found[query]}, abs=1e-12)
        kept = [round(expected[doc], 6) for doc, _ in found[query]]
        assert len(kept) == min(12, len(ranking))
        assert kept == sorted((round(value, 6) for value in expected.values()), reverse=True)[: len(kept)]
        assert [doc for doc, _ in found[query]] == by_rank({doc: float(np.float32(score)) for doc, score in found[query]})


number = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))


@examples(60)
@given(
    name=st.sampled_from(["linear", "log", "logistic"]),
    a=number,
    b=number,
    values=st.lists(number | st.none(), min_size=2, max_size=20),
)
def test_transforms_are_monotone_and_stay_in_the_unit_interval(
    shared: psycopg.Connection, name: str, a: float, b: float, values: list[float | None]
) -> None:
    if name == "log":
        a, b = abs(a), abs(b)
    if math.log1p(abs(a)) == math.log1p(abs(b)) or b == 0:
        return
    found = shared.execute(
        "SELECT x, stc.combine_transform(%s, x, %s, %s) FROM unnest(%s::double precision[]) x ORDER BY x", [name, a, b, values]
    ).fetchall()
    moved = [one for x, one in found if x is not None]
    assert all(0 <= one <= 1 for one in moved)
    assert all(one is None for x, one in found if x is None)
    better = b > 0 if name == "logistic" else b > a
    assert moved == sorted(moved, reverse=not better)


def test_every_measure_of_a_document_is_there_with_a_transform_of_its_direction(shared: psycopg.Connection) -> None:
    columns = {
        name
        for (name,) in shared.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'document_measures'::regclass AND attnum > 1"
            " AND atttypid = 'double precision'::regtype"
        )
    }
    measures = {
        name
        for (name,) in shared.execute(
            "SELECT column_name FROM information_schema.columns"
            " WHERE (table_schema, table_name) = ('stc', 'st1_complexity_metrics')"
        )
    } - {"id", "resources"}
    known = shared.execute("SELECT measure, more FROM stc.combine_measures() WHERE kind <> 'relevance'").fetchall()
    assert {name for name, _ in known} == columns
    assert len(measures) == 20
    assert measures < columns
    for name, more in known:
        plan = shared.execute("SELECT name, a, b FROM stc.combine_plan(%s)", [json.dumps({name: 1})]).fetchone()
        assert plan is not None
        assert (plan[2] > plan[1]) is more, name
        row = shared.execute(
            f'SELECT a FROM stc.combine_plan(%s, \'{{"{name}": "percentile"}}\')', [json.dumps({name: 1})]
        ).fetchone()
        assert row == (1.0 if more else 0.0,)


def test_what_a_document_does_not_say(conn: psycopg.Connection) -> None:
    """An abstract without words, a NaN, an invalid year and a stub all count as missing values."""
    put_facts(
        conn,
        {
            1: {"textstat_fkgl": 0.0, "year": 0, "citations": 3},
            2: {"textstat_fkgl": math.nan, "year": 9999},
            3: {"textstat_fkgl": 8.0, "read_long_words": 30.0, "year": 2001, "citations": 8},
        },
    )
    conn.execute("UPDATE st1_complexity_metrics SET read_tok = NULL WHERE id = 1")
    conn.execute("INSERT INTO dblp (id, docno, doc, stub) VALUES (4, '4', '{}', true)")
    conn.execute("INSERT INTO stc.credibility_basis (as_of, least, documents) VALUES (2004, 10, 3)")
    names = ["textstat_fkgl", "long_word_share", "age", "citations_per_year"]
    found: dict[int, list[float | None]] = dict(
        conn.execute("SELECT doc, measured FROM stc.combine_values('{1,2,3,4}', %s)", [names]).fetchall()
    )
    assert found == {1: [None] * 4, 2: [None] * 4, 3: [8.0, 0.3, 3.0, 2.0], 4: [None] * 4}


def test_the_new_run_is_ranked_and_scored_as_any(small: psycopg.Connection) -> None:
    small.execute("INSERT INTO qrels_editions (edition) VALUES ('e')")
    small.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, 2, 1 FROM qrels_editions e, st1_queries q"
    )
    combine(small, run="base", name="new", weights=READABLE)
    found: dict[str, float] = dict(small.execute("SELECT run, reciprocal_rank FROM evaluate('{base,new}', 'e')").fetchall())
    assert found == {"base": 0.5, "new": 1.0}
    fuse(small, name="fused", runs=["new"], rule=FusionRule(method="sum", norm="none"))  # by the scores that rank it
    assert stored(small, "fused") == stored(small, "new")


def test_params_make_it_again(small: psycopg.Connection) -> None:
    combine(
        small,
        run="base",
        name="new",
        weights={"relevance": 3, "textstat_fkgl": 1, "citations": 0},
        transforms={"textstat_fkgl": "percentile"},
        missing="zero",
        depth=2,
    )
    [(params, made)] = small.execute(
        "SELECT n.params, (SELECT to_jsonb(made) #>> '{}' FROM st1_runs WHERE run = 'base') FROM st1_runs n WHERE run = 'new'"
    ).fetchall()
    assert params == {
        "system": "combination",
        "depth": 2,
        "missing": "zero",
        "weights": {"relevance": 3, "textstat_fkgl": 1},
        "transforms": {"relevance": "minmax", "textstat_fkgl": "percentile(less)"},
        "source": {"run": "base", "made": made, "params": {"of": "tests", "nothing": None}},
    }
    combine(
        small,
        run=params["source"]["run"],
        name="again",
        weights=params["weights"],
        transforms=params["transforms"],
        missing=params["missing"],
        depth=params["depth"],
    )
    assert stored(small, "again") == stored(small, "new")
    assert len(stored(small, "new")["q"]) == 2


def test_keep_fills_comb_score_and_leaves_the_order(small: psycopg.Connection) -> None:
    before = stored(small, "base")
    done = combine(small, run="base", name=None, weights=READABLE)
    assert (done.run, done.ranked) == ("base", 3)
    assert stored(small, "base") == before
    assert small.execute("SELECT comb_score FROM rankings WHERE run = 'base' ORDER BY rank").fetchall() == [
        (0.5,),
        (0.75,),
        (0.25,),
    ]
    [(params,)] = small.execute("SELECT params FROM st1_runs WHERE run = 'base'").fetchall()
    assert params["of"] == "tests"
    assert params["combined"]["weights"] == READABLE
    combine(small, run="base", name=None, weights={"relevance": 1})  # filled scores are filled again
    assert small.execute("SELECT comb_score FROM rankings WHERE run = 'base' ORDER BY rank").fetchall() == [(1.0,), (0.5,), (0.0,)]
    decoy = small.execute("SELECT count(comb_score) FROM rankings WHERE run = '~base'").fetchone()
    assert decoy == (0,)


def test_keep_does_not_take_a_score_that_the_run_came_with(small: psycopg.Connection) -> None:
    small.execute("UPDATE stc.st1_rankings SET comb_score = 0.1 WHERE doc = 1")
    with pytest.raises(BadArgument, match="already has a comb_score") as error:
        combine(small, run="base", name=None, weights=READABLE)
    assert error.value.sqlstate == "IR202"
    combine(small, run="base", name=None, weights=READABLE, replace=True)
    assert small.execute("SELECT comb_score FROM rankings WHERE run = 'base' AND doc = 1").fetchone() == (0.5,)


def test_a_submission_carries_both_scores_and_gives_both_rankings_again(small: psycopg.Connection, tmp_path: Path) -> None:
    combine(small, run="base", name="new", weights=READABLE)
    combine(small, run="base", name=None, weights=READABLE)
    file = tmp_path / "both.json"
    with file.open("wb") as out:
        export_run(small, "base", out, layout="simpletext")
    records = {record["doc_id"]: record for record in json.loads(file.read_text())}
    assert {doc: (one["rel_score"], one["comb_score"]) for doc, one in records.items()} == {
        1: (1.0, 0.5),
        2: (0.5, 0.75),
        3: (0.0, 0.25),
    }
    list(import_runs(small, [file], name="by-relevance"))
    list(import_runs(small, [file], name="by-comb", options=ImportOptions(score="comb")))
    assert [doc for doc, _ in stored(small, "by-relevance")["q"]] == [doc for doc, _ in stored(small, "base")["q"]]
    assert stored(small, "by-comb") == stored(small, "new")

    with file.open("wb") as out:
        export_run(small, "new", out, layout="simpletext")
    list(import_runs(small, [file], name="back"))
    assert stored(small, "back") == stored(small, "new")


def test_a_trec_file_has_no_comb_score(small: psycopg.Connection, tmp_path: Path) -> None:
    file = tmp_path / "plain.run"
    file.write_text("q Q0 1 1 0.5 tag\n")
    with pytest.raises(BadArgument, match="no comb_score"):
        list(import_runs(small, [file], options=ImportOptions(score="comb")))


def test_nothing_computed_yet(conn: psycopg.Connection) -> None:
    put_documents(conn, range(1, 3))
    put_run(conn, {"q": {1: 2.0, 2: 1.0}}, "base")
    for measure, command in (("textstat_fkgl", "complexity compute"), ("citation_percentile", "complexity credibility")):
        with pytest.raises(StateError, match=f"base has a value of {measure}") as error:
            combine(conn, run="base", name="new", weights={"relevance": 1, measure: 1})
        assert error.value.sqlstate == "IR405"
        assert error.value.hint is not None
        assert command in error.value.hint
    combine(conn, run="base", name="new", weights={"relevance": 1, "textstat_fkgl": 0})  # a measure with weight 0 need not exist
    conn.execute("INSERT INTO st1_runs (run) VALUES ('empty')")
    with pytest.raises(StateError, match="empty has no document"):
        combine(conn, run="empty", name="other")


@pytest.mark.parametrize(
    ("state", "arguments", "what"),
    [
        ("IR101", {"run": "bsae"}, "no run 'bsae'"),
        ("IR108", {"weights": {"textstat_fkg": 1}}, "no measure textstat_fkg"),
        ("IR108", {"weights": {"fkgl); DROP TABLE dblp; --": 1}}, "no measure"),
        ("IR108", {"transforms": {"nonsense": "linear(0,1)"}}, "no measure nonsense"),
        ("IR201", {"depth": 0}, "depth is 0"),
        ("IR202", {"weights": {}}, "no measure is given"),
        ("IR202", {"weights": {"relevance": 0}}, "no weight is above 0"),
        ("IR202", {"weights": {"relevance": -1}}, "weight of relevance is -1"),
        ("IR202", {"weights": {"relevance": "much"}}, "weight of relevance"),
        ("IR202", {"transforms": {"citations": "log(0,9)"}}, "transform but no weight"),
        ("IR202", {"transforms": {"textstat_fkgl": "cubic(1,2)"}}, "unknown transform"),
        ("IR202", {"transforms": {"textstat_fkgl": "linear"}}, "wrong number of parameters"),
        ("IR202", {"transforms": {"textstat_fkgl": "linear(1)"}}, "wrong number of parameters"),
        ("IR202", {"transforms": {"textstat_fkgl": "linear(8,8)"}}, "invalid parameters"),
        ("IR202", {"transforms": {"textstat_fkgl": "linear(8,x)"}}, "parameters must be numbers"),
        ("IR202", {"transforms": {"textstat_fkgl": "linear(8,1e999)"}}, "parameters must be numbers"),
        ("IR202", {"transforms": {"textstat_fkgl": "linear(8,NaN)"}}, "parameters must be numbers"),
        ("IR202", {"transforms": {"textstat_fkgl": "log(-5,3)"}}, "invalid parameters"),
        ("IR202", {"transforms": {"textstat_fkgl": "logistic(8,0)"}}, "invalid parameters"),
        ("IR202", {"transforms": {"textstat_fkgl": "percentile(best)"}}, "the direction must be"),
        ("IR202", {"transforms": {"textstat_fkgl": "minmax"}}, "not available for this measure"),
        ("IR202", {"transforms": {"relevance": "percentile"}}, "not available for this measure"),
        ("IR202", {"transforms": {"relevance": "rank(3)"}}, "wrong number of parameters"),
        ("IR202", {"missing": "worst"}, "worst"),
        ("IR202", {"name": "base"}, "one of its sources"),
        ("IR202", {"name": "~base"}, "already"),
        ("IR202", {"name": " "}, "the name of the run is empty"),
    ],
)
def test_errors(shared: psycopg.Connection, state: str, arguments: dict[str, object], what: str) -> None:
    given = {"run": "base", "name": "wrong", "weights": READABLE, **arguments}
    with pytest.raises(StcError, match=what) as error:
        combine(shared, **given)  # type: ignore[arg-type]
    assert error.value.sqlstate == state
    assert error.value.hint
    assert shared.execute("SELECT 1 FROM st1_runs WHERE run = 'wrong'").fetchall() == []


def test_a_score_beyond_single_precision(small: psycopg.Connection) -> None:
    small.execute("UPDATE stc.st1_rankings SET rel_score = 1e39 WHERE rank = 1")
    with pytest.raises(BadArgument, match=r"1e\+39"):
        combine(small, run="base", name="new", weights=READABLE)
    combine(small, run="base", name="new", weights=READABLE, transforms={"relevance": "rank"})


def test_replace(small: psycopg.Connection) -> None:
    combine(small, run="base", name="new", weights=READABLE)
    done: Combined = combine(small, run="base", name="new", weights={"relevance": 1}, replace=True)
    assert [(part.measure, part.transform) for part in done.parts] == [("relevance", "minmax")]
    assert scores(small, "new") == {1: 1.0, 2: 0.5, 3: 0.0}
    with pytest.raises(UnknownObject, match="no run"):
        combine(small, run="old", name="new", replace=True)
    assert scores(small, "new") == {1: 1.0, 2: 0.5, 3: 0.0}


def test_the_command(small: psycopg.Connection, settings: Settings) -> None:
    def run(*arguments: str, code: int = 0) -> tuple[str, str]:
        done = CliRunner().invoke(combine_command, ["base", *arguments], obj=settings)
        assert done.exit_code == code, done.output
        return done.stdout, done.stderr

    out, err = run("--name", "new", "-w", "relevance=3", "-w", "textstat_fkgl=1", "-t", "textstat_fkgl=linear(20,5)")
    assert out == "new: 3 documents for 1 query\n"
    assert err == "comb_score = 0.75 · relevance by minmax + 0.25 · textstat_fkgl by linear(20,5)\n"
    [(params, metadata)] = small.execute("SELECT params, metadata FROM st1_runs WHERE run = 'new'").fetchall()
    assert params["transforms"]["textstat_fkgl"] == "linear(20,5)"
    assert metadata["method"]["retrieval"][0]["weights"] == {"relevance": 3, "textstat_fkgl": 1}
    out, err = run("--in-place")
    assert out == "base: 3 documents have a comb_score, for 1 query\n"
    assert "0.7 · relevance by minmax + 0.2 · textstat_fkgl by linear(20,8) + 0.1 · citation_percentile by linear(0,100)" in err
    run(code=2)
    run("--in-place", "--name", "other", code=2)
    for wrong in (["-w", "relevance"], ["-w", "relevance=x"], ["-w", "relevance=nan"], ["-w", "=1"], ["-t", "textstat_fkgl="] * 2):
        run("--name", "other", *wrong, code=2)
