"""Shifts of systems and families by the origin of queries, checked by hand, with numpy, and on TREC 2023 Deep Learning."""

from __future__ import annotations

import csv
import math
from itertools import pairwise
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import orjson
import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection.analysis.bias import NO_FAMILY, Bias, Resampling, bias
from stcollection.analysis.bias_model import ModelOptions, mixed_model
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, StcError, UnknownObject
from stcollection.evaluation.imported import read_families
from stcollection.qrels.load import import_qrels
from stcollection.runs.families import set_families
from tests import databases
from tests.analysis.bias_worlds import store
from tests.groups import analysis
from tests.groups import runs as runs_group

pytestmark = pytest.mark.slow

ORIGINS = {"h1": "human", "h2": "human", "g1": "gpt", "g2": "gpt", "t1": "t5"}
VALUES = {
    "a": {"h1": 0.8, "h2": 0.6, "g1": 0.5, "g2": 0.5, "t1": 0.2},
    "b": {"h1": 0.6, "h2": 0.4, "g1": 0.7, "g2": 0.9, "t1": 0.1},
    "c": {"h1": 0.5, "h2": 0.3, "g1": 0.4, "g2": 0.4, "t1": 0.3},
}
FAMILIES = {"a": "Other", "b": "GPT", "c": "Other"}


@databases.world
def world(conn: psycopg.Connection, tmp_path: Path) -> psycopg.Connection:
    store(conn, tmp_path, VALUES, origins=ORIGINS, families=FAMILIES)
    return conn


def test_shifts_by_hand(world: psycopg.Connection) -> None:
    # human means .7, .5, .4, and 1.6 / 3 over all systems; gpt means .5, .8, .4, and 1.7 / 3 over all
    by = {(one.run, one.origin): one for one in bias(world, edition="e").systems}
    b = by["b", "gpt"]
    assert b.mean == pytest.approx(0.8)
    assert b.difference == pytest.approx(0.3)
    assert b.relative == pytest.approx((0.8 - 1.7 / 3) - (0.5 - 1.6 / 3))
    assert b.z_shift == pytest.approx((0.8 - 1.7 / 3) / stdev([0.5, 0.8, 0.4]) - (0.5 - 1.6 / 3) / stdev([0.7, 0.5, 0.4]))
    assert (b.rank, b.rank_shift, b.queries, b.family) == (1, 1, 2, "GPT")
    assert by["a", "gpt"].rank_shift == -1
    assert by["c", "t5"].rank_shift == 2
    for run in VALUES:
        assert by[run, "human"][5:8] == (None, None, None)
        assert by[run, "human"].rank_shift is None


def test_families_are_the_means_of_their_systems_and_relative_shifts_cancel(world: psycopg.Connection) -> None:
    found = bias(world, edition="e")
    for one in found.families:
        own = [system for system in found.systems if system.family == one.family and system.origin == one.origin]
        assert (one.systems, one.queries) == (len(own), own[0].queries)
        assert one.mean == pytest.approx(mean(system.mean for system in own))
        for field in ("difference", "relative", "z_shift", "rank_shift"):
            values = [getattr(system, field) for system in own]
            assert getattr(one, field) == (None if one.origin == "human" else pytest.approx(mean(values)))
    for origin in ("gpt", "t5"):
        assert sum(one.relative or 0 for one in found.systems if one.origin == origin) == pytest.approx(0)


def test_intervals_over_queries_equal_draws_by_hand(world: psycopg.Connection) -> None:
    # Two queries per origin: a draw contains the first twice (1/4), each once (1/2), or the second twice (1/4).
    relative = np.array(
        [
            [VALUES["b"][query] - mean(VALUES[run][query] for run in VALUES) for query in pair]
            for pair in (("h1", "h2"), ("g1", "g2"))
        ]
    )
    draws = np.array([[1, 0], [0.5, 0.5], [0.5, 0.5], [0, 1]])
    every = sorted(float(draws[right] @ relative[1] - draws[left] @ relative[0]) for left in range(4) for right in range(4))
    [found] = [
        one for one in bias(world, edition="e", bootstrap=Resampling(20_000, alpha=0.2)).families if one[:2] == ("GPT", "gpt")
    ]
    assert found.relative_low == pytest.approx(every[0])
    assert found.relative_high == pytest.approx(every[-1])
    assert found.difference_low is not None
    assert found.difference_high is not None
    assert found.difference is not None
    assert found.difference_low < found.difference < found.difference_high


def test_intervals_over_systems_equal_draws_by_hand(world: psycopg.Connection) -> None:
    # Other consists of a and c, drawn as aa, ac, ca, cc; b is the only system of GPT and is always drawn.
    shift = {
        run: mean(VALUES[run][query] for query in ("g1", "g2")) - mean(VALUES[run][query] for query in ("h1", "h2"))
        for run in VALUES
    }
    every = sorted((x + y) / 2 - (x + y + shift["b"]) / 3 for x in (shift["a"], shift["c"]) for y in (shift["a"], shift["c"]))
    found = {one.family: one for one in bias(world, edition="e", bootstrap=Resampling(2000)).families if one.origin == "gpt"}
    assert found["Other"].systems_low == pytest.approx(every[0])
    assert found["Other"].systems_high == pytest.approx(every[-1])
    assert (found["GPT"].systems_low, found["GPT"].systems_high) == (None, None)


def test_difficulty(world: psycopg.Connection) -> None:
    found = {one.origin: one for one in bias(world, edition="e").difficulty}
    assert list(found) == ["human", "gpt", "t5"]
    assert found["human"].mean == pytest.approx(3.2 / 6)
    assert found["t5"].difference == pytest.approx(0.2 - 3.2 / 6)
    assert found["human"].low == pytest.approx(1.3 / 3)  # h2 drawn twice
    assert (found["t5"].low, found["t5"].difference_low) == (None, None)  # only one query


def test_the_same_seed_makes_the_same_intervals(world: psycopg.Connection) -> None:
    def ends(seed: int) -> list[float | None]:
        return [one.low for one in bias(world, edition="e", bootstrap=Resampling(7, seed, 0.3)).difficulty]

    assert ends(1) == ends(1)
    assert len({tuple(ends(seed)) for seed in range(6)}) > 1


def test_missing_values_and_small_groups_are_noted(conn: psycopg.Connection, tmp_path: Path) -> None:
    values = {**VALUES, "d": {query: 0.5 for query in ORIGINS if query != "g1"}}
    store(conn, tmp_path, values, origins=ORIGINS, families=FAMILIES)
    found = bias(conn, edition="e")
    [row] = [one for one in found.families if one.family == NO_FAMILY and one.origin == "gpt"]
    assert row.systems == 1
    assert row.mean == pytest.approx(0.25)
    assert found.notes == [
        "only one query has the origin t5: no interval over queries",
        "1 system (d) without a family: see the row 'no family'; set families with 'stc load --as families'",
        "only one system in GPT, no family: no interval over systems",
        "few systems, so their interval is unreliable: Other 2",
        "1 system (d) had no ranking or score for some queries: 1 value counted as 0",
    ]


def test_a_single_origin_and_a_single_family_are_noted(conn: psycopg.Connection, tmp_path: Path) -> None:
    store(
        conn,
        tmp_path,
        {"a": {"q1": 0.5, "q2": 0.7}, "b": {"q1": 0.5, "q2": 0.7}},
        origins={"q1": "human", "q2": "human"},
        families={"a": "T5", "b": "T5"},
    )
    found = bias(conn, edition="e")
    assert found.notes[0] == "all queries have the origin human: there is nothing to compare"
    assert "all systems belong to one family, T5" in found.notes[1]
    assert all(one.relative is None and one.relative_low is None for one in found.families)
    assert [one.rank for one in found.systems] == [1, 1]


def test_systems_that_do_not_differ_have_no_z(conn: psycopg.Connection, tmp_path: Path) -> None:
    store(
        conn, tmp_path, {"a": {"q1": 0.5, "q2": 0.7}, "b": {"q1": 0.5, "q2": 0.1}}, origins={"q1": "human", "q2": "t5"}, families={}
    )
    assert [one.z_shift for one in bias(conn, edition="e").systems] == [None] * 4


def test_unknown_names_are_reported(world: psycopg.Connection, tmp_path: Path) -> None:
    with pytest.raises(UnknownObject, match="'f'"):
        bias(world, edition="f")
    with pytest.raises(UnknownObject, match="'x'"):
        bias(world, edition="e", runs=["x"])
    for reference in ("all", "", "gpt-4"):
        with pytest.raises(BadArgument, match=f"no judged queries of origin '{reference}'") as error:
            bias(world, edition="e", reference=reference)
        assert error.value.hint == "Available origins: gpt, human, t5."
    wrong: list[dict[str, Any]] = [{"times": 0}, {"seed": -1}, {"alpha": 1.0}]
    for values in wrong:
        with pytest.raises(BadArgument):
            Resampling(**values)
    (tmp_path / "bare.qrels").write_text("h1 0 d 1\n")
    import_qrels(world, tmp_path / "bare.qrels", edition="bare")
    with pytest.raises(StateError, match="no run has a value of nDCG@10 on edition 'bare'"):
        bias(world, edition="bare")


def test_families_of_stored_runs(world: psycopg.Connection, tmp_path: Path) -> None:
    file = tmp_path / "families.tsv"
    file.write_text("a\tOther\tx\nb\tT5\nz\tGPT\n")
    done = set_families(world, read_families(file, systems={"a", "b", "c"}))
    assert (done.added, done.changed, done.unchanged, done.unknown, done.without) == (0, 1, 1, ["z"], [])
    assert world.execute("SELECT string_agg(family, ',' ORDER BY run) FROM st1_runs").fetchone() == ("Other,T5,Other",)
    assert read_families(file) == {"b": "T5", "z": "GPT"}  # without a list of known systems, the first row counts as a header
    with pytest.raises(StateError, match="none of these runs"):
        set_families(world, {"z": "GPT"})
    with pytest.raises(BadArgument, match="run a has no family"):
        set_families(world, {"a": " "})


def stc(settings: Settings, group: object, *arguments: str) -> Result:
    return CliRunner().invoke(group, arguments, obj=settings)  # type: ignore[arg-type]


def test_the_commands(settings: Settings, world: psycopg.Connection, tmp_path: Path) -> None:
    done = stc(settings, analysis, "bias", "e", "--resamples", "50")
    assert done.exit_code == 0, done.output
    assert "GPT       gpt" in done.stdout
    assert "only one query has the origin t5" in done.stderr
    told = orjson.loads(stc(settings, analysis, "bias", "e", "--format", "json", "--show", "systems").stdout)
    assert [row["run"] for row in told["systems"]] == [one.run for one in bias(world, edition="e").systems]
    assert told["notes"]
    table = stc(settings, analysis, "bias", "e", "--format", "csv", "--show", "difficulty").stdout
    assert [row["origin"] for row in csv.DictReader(table.splitlines())] == ["human", "gpt", "t5"]
    assert isinstance(stc(settings, analysis, "bias", "e", "--format", "csv").exception, BadArgument)
    (tmp_path / "f.csv").write_text("run,family\nc,T5\nz,GPT\n")
    done = stc(settings, runs_group, "families", str(tmp_path / "f.csv"))
    assert done.stdout == "family of 0 runs set, of 1 changed, of 0 unchanged\n"
    assert done.stderr == "1 not stored, skipped: z\n"
    for file, text in (("empty.tsv", ""), ("wide.tsv", "run\tfamily\na\n"), ("two.tsv", "run\tfamily\na\tX\na\tY\n")):
        (tmp_path / file).write_text(text)
        assert isinstance(stc(settings, runs_group, "families", str(tmp_path / file)).exception, StcError)


@pytest.fixture
def dl23(conn: psycopg.Connection, data: Path, tmp_path: Path) -> psycopg.Connection:
    """TREC 2023 Deep Learning with GPT-4's labels and the origins of its queries."""
    folder = data / "trec-dl" / "dl23"
    with (folder / "query_info.tsv").open() as file:
        info = list(csv.DictReader(file, delimiter="\t"))
    origins = {row["qid"]: "human" if row["Synthetic"] == "0" else "gpt-4" if row["isGPT4"] == "1" else "t5" for row in info}
    values: dict[str, dict[str, float]] = {}
    with (folder / "systems.gpt4.ndcgeval").open() as file:
        for run, measure, query, value in (line.split() for line in file if "ndcg_cut_10\t" in line):
            if query != "all" and measure == "ndcg_cut_10":
                values.setdefault(run, {})[query] = float(value)
    store(conn, tmp_path, values, origins=origins, families=read_families(folder / "systems.tsv"), edition="gpt4")
    return conn


def test_deep_learning_2023(dl23: psycopg.Connection) -> None:
    found: Bias = bias(dl23, edition="gpt4")
    assert not found.notes
    shifts = {(one.family, one.origin): one for one in found.families}
    assert {family: one.systems for (family, origin), one in shifts.items() if origin == "human"} == {
        "GPT": 6,
        "Other": 13,
        "T5": 8,
        "T5+GPT": 8,
    }
    relative = {key: round(one.relative, 3) for key, one in shifts.items() if one.relative is not None}
    assert relative == {
        ("GPT", "gpt-4"): 0.015,
        ("Other", "gpt-4"): 0.000,
        ("T5", "gpt-4"): -0.013,
        ("T5+GPT", "gpt-4"): 0.001,
        ("GPT", "t5"): -0.059,
        ("Other", "t5"): 0.016,
        ("T5", "t5"): 0.010,
        ("T5+GPT", "t5"): 0.009,
    }
    # No interval over queries excludes 0: a different sample of queries could reverse any bias under GPT-4's labels.
    assert all((one.relative_low or 0) < 0 < (one.relative_high or 0) for one in found.families if one.origin != "human")
    hard = {one.origin: (one.queries, round(one.mean, 3)) for one in found.difficulty}
    assert hard == {"human": (51, 0.732), "gpt-4": (18, 0.729), "t5": (13, 0.617)}


@pytest.mark.long
def test_the_model_of_deep_learning_2023(dl23: psycopg.Connection) -> None:
    plain, honest = (mixed_model(dl23, edition="gpt4", options=ModelOptions(by_query=by_query)) for by_query in (False, True))
    for one in (plain, honest):
        assert (one.observations, one.systems, one.queries, one.converged) == (2870, 35, 82, True)
        assert one.interaction is not None
        assert one.interaction.df == 6
    assert plain.interaction is not None
    assert plain.interaction.p < 0.001
    assert honest.interaction is not None
    assert honest.interaction.p > 0.3
    for left, right in zip(plain.effects, honest.effects, strict=True):
        assert left.estimate == pytest.approx(right.estimate, abs=1e-6)
    assert [one.component for one in honest.variances] == ["system", "query", "query x family", "residual"]
    assert math.fsum(one.share for one in honest.variances) == pytest.approx(1)
    assert all(before.effect != after.effect for before, after in pairwise(plain.effects))
