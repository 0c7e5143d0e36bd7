"""Runs that machine labels favour: by their scores, compared with statsmodels, and by their provenance."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import psycopg
import pytest
import statsmodels.api as sm
from click.testing import CliRunner
from psycopg.types.json import Jsonb

from stcollection.analysis.board import BoardRequest, standings
from stcollection.analysis.labels import labels
from stcollection.bundle.make import make_bundle
from stcollection.cli.score import command as score_command
from stcollection.db.settings import Settings
from stcollection.errors import UnknownObject
from stcollection.evaluation.judging import judging_runs
from stcollection.evaluation.measures import nDCG
from stcollection.qrels.load import JudgmentOptions, import_qrels
from tests.evaluation.conftest import StoreQrels, StoreRun, store_qrels, store_run  # noqa: F401
from tests.groups import analysis

pytestmark = pytest.mark.slow

RUNS = 8


def test_expected_values_equal_statsmodels(conn: psycopg.Connection) -> None:
    draw = np.random.default_rng(3)
    people = draw.random(RUNS)
    machine = 0.3 + 0.5 * people + draw.normal(0, 0.02, RUNS)
    machine[5] += 0.3
    rows = conn.execute("SELECT * FROM stc.label_residuals(%s, %s, 0.1)", [people.tolist(), machine.tolist()]).fetchall()
    fitted = sm.OLS(machine, sm.add_constant(people)).fit()
    assert [row[4] for row in rows] == pytest.approx(fitted.outlier_test(method="bonf")[:, 2], abs=1e-9)
    for at, (place, expected, low, high, p) in enumerate(rows):
        others = np.arange(RUNS) != at
        line = sm.OLS(machine[others], sm.add_constant(people[others])).fit()
        frame = line.get_prediction([[1, people[at]]]).summary_frame(alpha=0.1 / RUNS)
        assert (place, expected) == (at + 1, pytest.approx(frame["mean"][0]))
        assert (low, high) == (pytest.approx(frame["obs_ci_lower"][0]), pytest.approx(frame["obs_ci_upper"][0]))
        assert (low <= machine[at] <= high) == (p >= 0.1) == (at != 5)


@pytest.mark.parametrize(
    ("people", "machine", "expected"),
    [
        ([0.1, 0.2, 0.3], [0.1, 0.2, 0.9], [None] * 3),  # too few
        ([0.2] * 5, [0.1, 0.2, 0.3, 0.4, 0.5], [None] * 5),  # equal values by people
        ([0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.4], [1] * 4),  # identical labels
        ([0.1, 0.2, 0.3, 0.4], [0.5] * 4, [1] * 4),  # a judge that always says 1
        ([0.1, 0.2, 0.3, 0.4, 0.5], [0.1, 0.2, 0.3, 0.4, 0.9], [1, 1, 1, 1, 0]),  # the others lie on a line
    ],
)
def test_residuals_of_few_or_equal_values(
    conn: psycopg.Connection, people: list[float], machine: list[float], expected: list[float | None]
) -> None:
    rows = conn.execute("SELECT p FROM stc.label_residuals(%s, %s)", [people, machine]).fetchall()
    assert [p if p is None or p in (0, 1) else 1 for (p,) in rows] == expected


def test_alpha_outside_its_range(conn: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error, match="alpha is 1"):
        conn.execute("SELECT * FROM stc.label_residuals('{1,2,3,4}', '{1,2,3,4}', 1)")


# Leaderboards from the tests of autojudge-evaluate, and two with ties, with what its version 1.1.0 prints for them (kendall,
# spearman, pearson, tauap_b, tau_gap, kendall@10), and rbo 0.1.3 (rbo_ext, p = .9).
PRINTED = [
    ([1, 2, 3, 4], [1, 2, 3, 4], [1, 1, 1, 1, 1, 1, 1]),
    ([1, 2, 3, 4], [1, 3, 2, 4], [2 / 3, 0.8, 0.8, 2 / 3, 2 / 3, 2 / 3, 0.955]),
    ([1, 2, 3, 4], [4, 3, 2, 1], [-1, -1, -1, -1, -1, -1, 0.783]),
    ([4, 3, 2, 1], [1, 3, 2, 4], [-2 / 3, -0.8, -0.8, -2 / 3, -2 / 3, -2 / 3, 0.828]),
    ([0.9, 0.5, 0.45, 0.2], [0.8, 0.5, 0.6, 0.1], [2 / 3, 0.8, 0.918308611, 2 / 3, 0.925925926, 2 / 3, 0.955]),
    (
        [0.623, 0.742, 0.795, 0.942, 0.74, 0.922, 0.029, 0.466, 0.943, 0.649, 0.901, 0.113, 0.469, 0.247],
        [0.7, 0.7, 0.6, 0.7, 0.6, 1.0, 0.3, 0.4, 1.0, 0.5, 0.9, 0.1, 0.3, 0.5],
        [0.732014417, 0.880300699, 0.860064091, 0.627729589, 0.556861751, 0.659966329, 0.748287142],
    ),
    (
        [0.5, 0.5, 0.4, 0.4, 0.3, 0.2, 0.1, 0.1, 0.05, 0.04, 0.03, 0.02],
        [0.4, 0.5, 0.4, 0.3, 0.3, 0.2, 0.2, 0.1, 0.05, 0.05, 0.03, 0.01],
        [0.944030209, 0.980532509, 0.965516787, 0.763023088, 1, 0.915729116, 0.9],
    ),
]


@pytest.mark.parametrize(("truth", "estimate", "printed"), PRINTED)
def test_coefficients_equal_those_of_autojudge_evaluate(
    conn: psycopg.Connection, truth: list[float], estimate: list[float], printed: list[float]
) -> None:
    names = [f"run_{n:02}" for n in range(len(truth))]
    row = conn.execute(
        "SELECT kendall_tau, spearman, pearson, tau_ap_b, tau_gap, top_tau, rbo"
        " FROM stc.compare_rankings(%s, %s::float[], %s::float[])",
        [names, truth, estimate],
    ).fetchone()
    assert row == pytest.approx(tuple(printed), abs=1e-8)


def test_rankings_of_one_run_have_no_coefficients(conn: psycopg.Connection) -> None:
    row = conn.execute("SELECT * FROM stc.compare_rankings('{a,b}', '{1,NULL}', '{1,2}')").fetchone()
    assert row == (None,) * 8


JUDGED, JUDGE = 12, "openai/GPT-4o-2024-08-06"


@pytest.fixture
def world(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels, tmp_path: Path) -> None:  # noqa: F811
    """Edition people, and the labels of a machine with noise; the run mine ranks by these labels."""
    draw = np.random.default_rng(8)
    true = draw.integers(0, 4, (JUDGED, 12))
    machine = np.where(draw.random(true.shape) < 0.4, draw.integers(0, 4, true.shape), true)

    def edition(grades: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> dict[str, dict[str, int]]:
        return {f"q{at}": {f"q{at}d{doc}": int(grade) for doc, grade in enumerate(row)} for at, row in enumerate(grades)}

    store_qrels(edition(true), "people")
    lines = [f"{query} 0 {doc} {grade}\n" for query, docs in edition(machine).items() for doc, grade in docs.items()]
    (tmp_path / "machine.qrels").write_text("".join(lines))
    options = JudgmentOptions(origin="llm", annotator=JUDGE)
    import_qrels(conn, tmp_path / "machine.qrels", edition="machine", options=options)
    for n in range(6):
        noisy = true + draw.normal(0, 0.5 + n / 2, true.shape)
        store_run(
            {f"q{q}": {f"q{q}d{d}": float(v) for d, v in enumerate(row)} for q, row in enumerate(noisy)}, f"run{n}", decoy=False
        )
    store_run({f"q{q}": {f"q{q}d{d}": float(v) for d, v in enumerate(row)} for q, row in enumerate(machine)}, "mine", decoy=False)


@pytest.mark.usefixtures("world")
def test_the_run_that_ranks_by_the_labels_is_favoured(conn: psycopg.Connection, settings: Settings) -> None:
    [row] = judging_runs(conn, "machine")
    assert (row.run, row.reason, row.judge, row.evidence) == ("mine", "scores", JUDGE, "people")
    [compared] = labels(conn, human="people", others=["machine"])
    [mine] = [system for system in compared.systems if system.run == "mine"]
    assert (row.value, row.expected, row.p) == (mine.value_other, mine.expected, mine.p)
    assert mine.value_other == pytest.approx(1.0)
    assert mine.high is not None
    assert mine.high < 1
    assert [(one.run, one.reason) for one in compared.judging] == [("mine", "scores")]
    assert judging_runs(conn, "people") == []
    assert judging_runs(conn, "machine", runs=["run1"]) == []
    assert judging_runs(conn, "machine", measure=None) == []
    done = CliRunner().invoke(analysis, ["labels", "people", "machine", "--table", "judging", "--format", "json"], obj=settings)
    assert [one["run"] for one in json.loads(done.output)] == ["mine"], done.output


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize(
    ("statement", "reason", "evidence"),
    [
        ("params = '{\"reranker\": {\"model\": \"gpt-4o\"}}'", "model", "gpt-4o"),
        ("family = 'GPT'", "model", "GPT"),
        ("metadata = '{\"method\": {\"retrieval\": [{\"method\": \"azure/gpt_4o-2024.08\"}, {\"name\": \"gpt-4o:2024-08-06\"}]}}'",
         "model", "gpt-4o:2024-08-06"),
        ("metadata = '{\"data\": {\"training data\": [{\"name\": \"machine\"}]}}'", "training", "machine"),
        ("params = '{\"tuned\": {\"edition\": \"machine\"}}'", "training", "machine"),
        ("params = '{\"model\": \"gpt-4\", \"note\": \"4o\"}'", None, None),  # another model
        ("metadata = '{\"data\": {\"test collection\": {\"qrels\": \"machine\"}}}'", None, None),
        ("metadata = '{\"research goal\": {\"publication\": {\"abstract\": \"gpt-4o-2024-08-06\"}}}'", None, None),
        ("params = '{\"k\": [3, null, true, \"2024\"]}'", None, None),
    ],
)  # fmt: skip
def test_the_provenance_names_the_judge(conn: psycopg.Connection, statement: str, reason: str | None, evidence: str | None) -> None:
    conn.execute(f"UPDATE st1_runs SET {statement} WHERE run = 'run3'")
    rows = judging_runs(conn, "machine", measure=None)
    assert [(row.run, row.reason, row.evidence) for row in rows] == ([("run3", reason, evidence)] if reason else [])


@pytest.mark.usefixtures("world")
def test_judges_of_derived_editions(conn: psycopg.Connection) -> None:
    conn.execute("SELECT derive_edition('both', '{machine}', 'majority')")
    conn.execute("UPDATE st1_runs SET params = %s WHERE run = 'run0'", [Jsonb({"model": "gpt-4o", "trained on": "machine"})])
    reasons = [(row.run, row.reason) for row in judging_runs(conn, "both")]
    assert reasons == [("run0", "model"), ("run0", "training"), ("mine", "scores")]


@pytest.mark.usefixtures("world")
def test_unknown_names(conn: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject, match="no edition 'nowhere'"):
        judging_runs(conn, "nowhere")
    with pytest.raises(UnknownObject, match="no run 'nothing'"):
        judging_runs(conn, "machine", runs=["nothing"])


@pytest.mark.usefixtures("world")
def test_faces_warn_about_favoured_runs(conn: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    expected = "mine scores 1.000 by the labels of openai/GPT-4o-2024-08-06; "
    for arguments in (["--edition", "machine"], ["--edition", "machine", "--significance", "-m", "nDCG@10"]):
        done = CliRunner().invoke(score_command, arguments, obj=settings)
        assert done.exit_code == 0, done.output
        assert f"warning: {expected}" in done.stderr
    done = CliRunner().invoke(score_command, ["--edition", "people"], obj=settings)
    assert "warning" not in done.stderr
    made = standings(conn, BoardRequest(edition="machine"), nDCG @ 10)
    assert [row.note.startswith(expected) for row in made.judging] == [True]
    make_bundle(conn, tmp_path / "collection.zip")
    with zipfile.ZipFile(tmp_path / "collection.zip") as bundle:
        editions = json.loads(bundle.read("bundle.json"))["editions"]
        sheet = bundle.read("datasheet.md").decode()
    favoured = {edition["edition"]: [row["run"] for row in edition["judging"]] for edition in editions}
    assert (favoured["machine"], favoured["people"]) == (["mine"], [])
    assert f"  - Warning: {expected}" in sheet
