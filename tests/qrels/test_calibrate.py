"""Grades of a machine mapped to those of people, compared with scikit-learn, and by hand."""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner
from sklearn.isotonic import isotonic_regression
from sklearn.metrics import accuracy_score, cohen_kappa_score

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.qrels.calibrate import PRIOR, Grades, calibration, fit
from stcollection.qrels.derive import derive
from stcollection.qrels.load import JudgmentOptions, import_qrels
from tests.groups import qrels

Judged = dict[tuple[str, str], int]


def drawn(seed: int, grades: int = 4) -> list[Grades]:
    draw = np.random.default_rng(seed)
    people = draw.integers(0, 4, 120)
    labels = np.clip(people + draw.integers(-1, 3, 120), 0, grades - 1)
    return [(at % 8, int(label), int(rel)) for at, (label, rel) in enumerate(zip(labels, people, strict=True))]


@pytest.mark.parametrize("seed", range(6))
def test_fit_equals_isotonic_regression_and_the_best_map(seed: int) -> None:
    pairs = drawn(seed)
    made = fit(pairs, range(5))  # nobody has judged a document with label 4
    mean = np.mean([rel for _, _, rel in pairs])
    by_label = [[rel for _, label, rel in pairs if label == grade] for grade in range(5)]
    smooth = [(sum(rels) + PRIOR * mean) / (len(rels) + PRIOR) for rels in by_label]
    weights = [len(rels) + PRIOR for rels in by_label]
    assert [grade.expected for grade in made] == pytest.approx(isotonic_regression(smooth, sample_weight=weights))
    assert [grade.pairs for grade in made] == [len(rels) for rels in by_label]

    def kappa(scale: tuple[int, ...]) -> float:
        return float(cohen_kappa_score([rel for *_, rel in pairs], [scale[label] for _, label, _ in pairs], weights="quadratic"))

    blocks = {grade.expected for grade in made}
    possible = [
        scale
        for scale in combinations_with_replacement(range(4), 5)
        if len({(grade.expected, rel) for grade, rel in zip(made, scale, strict=True)}) == len(blocks)
    ]
    assert kappa(tuple(grade.rel for grade in made)) == pytest.approx(max(map(kappa, possible)))


def test_one_label_and_one_grade() -> None:
    always = fit([(1, 1, 0), (2, 1, 2), (3, 1, 2)], [1])
    assert [(grade.label, grade.rel) for grade in always] == [(1, 1)]  # the mean, 1.33
    same = fit([(1, 0, 2), (2, 1, 2)], [0, 1])
    assert [grade.rel for grade in same] == [2, 2]


@pytest.fixture
def world(conn: psycopg.Connection, tmp_path: Path) -> list[Grades]:
    """Labels that are one too high on 8 queries, the people's grades of 15 documents each, and one query of people only."""
    pairs = drawn(3)

    def store(edition: str, place: int, origin: str, more: str = "") -> None:
        lines = "".join(f"q{pair[0]} 0 d{at} {pair[place]}\n" for at, pair in enumerate(pairs))
        (tmp_path / edition).write_text(lines + more)
        options = JudgmentOptions(origin=origin, annotator=origin)
        import_qrels(conn, tmp_path / edition, edition=edition, options=options)

    store("machine", 1, "llm")
    store("people", 2, "human", "q99 0 d1 2\nq99 0 d2 0\n")
    return pairs


@pytest.mark.slow
def test_agreement_is_cross_validated(conn: psycopg.Connection, world: list[Grades]) -> None:
    made = calibration(conn, "machine", "people")
    assert (made.queries, made.pairs, made.unused) == (8, len(world), 2)
    people = [rel for *_, rel in world]
    mapped = []
    for query, label, _ in world:
        scale = {grade.label: grade.rel for grade in fit([pair for pair in world if pair[0] != query], range(4))}
        mapped.append(scale[label])
    for agreed, labels in ((made.before, [label for _, label, _ in world]), (made.after, mapped)):
        assert agreed.accuracy == pytest.approx(accuracy_score(people, labels))
        assert agreed.kappa_quadratic == pytest.approx(cohen_kappa_score(people, labels, weights="quadratic"))
        assert agreed.mae == pytest.approx(np.mean(np.abs(np.subtract(labels, people))))
        assert agreed.bias == pytest.approx(np.mean(np.subtract(labels, people)))
    assert (made.after.kappa_quadratic or 0) > (made.before.kappa_quadratic or 0)


@pytest.mark.slow
@pytest.mark.usefixtures("world")
def test_the_command_derives_a_calibrated_edition(conn: psycopg.Connection, settings: Settings) -> None:
    done = CliRunner().invoke(qrels, ["derive", "better", "machine", "--calibrate-with", "people"], obj=settings)
    assert done.exit_code == 0, done.output
    assert "120 documents of 8 queries judged by both; 'after' is cross-validated over queries" in done.output
    assert "2 judgments of people not used: the model has not judged these documents" in done.stderr
    scale = calibration(conn, "machine", "people").scale
    rows = conn.execute(
        "SELECT b.rel, m.rel, b.origin FROM qrels b JOIN qrels m USING (query, doc)"
        " WHERE b.edition = stc.edition_key('better') AND m.edition = stc.edition_key('machine')"
    ).fetchall()
    assert len(rows) == 120
    assert all(rel == scale[label] and origin == "llm" for rel, label, origin in rows)


@pytest.mark.slow
@pytest.mark.usefixtures("world")
def test_calibrations_that_are_refused(conn: psycopg.Connection, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("q1 0 d1 2\n")
    import_qrels(conn, tmp_path / "one", edition="one")
    with pytest.raises(StateError, match=r"one:human and machine:llm judge the same documents for 1 query"):
        derive(conn, "new", ["machine"], calibrate_with="one")
    with pytest.raises(UnknownObject, match="edition 'people' has no judgments of the origin llm"):
        derive(conn, "new", ["people"], calibrate_with="machine")
    with pytest.raises(BadArgument, match="cannot be combined"):
        derive(conn, "new", ["machine"], calibrate_with="people", grades={0: 1})
    with pytest.raises(BadArgument, match="and 2 editions cannot be combined"):
        derive(conn, "new", ["machine", "one"], calibrate_with="people")
    with pytest.raises(UnknownObject, match="nowhere"):
        derive(conn, "new", ["machine"], calibrate_with="nowhere")
    assert conn.execute("SELECT count(*) FROM qrels_editions WHERE edition = 'new'").fetchone() == (0,)
