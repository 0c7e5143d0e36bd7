"""Agreement of annotators equals scikit-learn and the package krippendorff; means of measures at each grade."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any, cast

import krippendorff
import numpy as np
import psycopg
import pytest
from click.testing import CliRunner
from sklearn.metrics import cohen_kappa_score

from stcollection.analysis.annotations import AnnotationBootstrap, agreement, annotator_agreement, means
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from tests.complexity.grading import BSC, HUM, MSC, Row, grade, put_documents, put_facts
from tests.groups import annotations_

pytestmark = pytest.mark.slow

GROUPS = {"h1": HUM, "h2": HUM, "h3": HUM, "b1": BSC, "b2": BSC, "m1": MSC}


def some_rows(documents: int = 60) -> list[Row]:
    """Return noisy grades of a hidden difficulty; each annotator skips some documents."""
    random = np.random.default_rng(3)
    rows: list[Row] = []
    for doc, difficulty in enumerate(random.normal(size=documents)):
        for annotator, group in GROUPS.items():
            if random.random() < 0.6:
                value = int(np.digitize(difficulty + random.normal(scale=0.7), [-0.5, 0.6]))
                rows.append((f"d{doc}", annotator, group, value, 2 - value if annotator != "h3" else None))
    return rows


@pytest.fixture
def graded(conn: psycopg.Connection) -> psycopg.Connection:
    put_documents(conn, [f"d{doc}" for doc in range(60)], textstat_fkgl={f"d{doc}": doc % 7 for doc in range(60)})
    grade(conn, some_rows())
    return conn


def by_annotator() -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {name: {} for name in GROUPS}
    for doc, annotator, _, value, _ in some_rows():
        assert value is not None
        found[annotator][doc] = value
    return found


def pairs(a: str, b: str) -> tuple[list[int], list[int]]:
    given = by_annotator()
    both = sorted(given[a].keys() & given[b].keys())
    return [given[a][doc] for doc in both], [given[b][doc] for doc in both]


def kappa(a: str, b: str, weights: str | None) -> float:
    return float(cohen_kappa_score(*pairs(a, b), weights=weights, labels=[0, 1, 2]))


def alpha(units: list[list[int]]) -> float:
    """Return krippendorff's alpha of units of any size."""
    table = np.full((max(map(len, units)), len(units)), np.nan)
    for at, unit in enumerate(units):
        table[: len(unit), at] = unit
    return float(krippendorff.alpha(reliability_data=table, level_of_measurement="ordinal", value_domain=[0, 1, 2]))


def of_documents(annotators: list[str]) -> list[list[int]]:
    given = by_annotator()
    return [[given[name][f"d{doc}"] for name in annotators if f"d{doc}" in given[name]] for doc in range(60)]


def members(group: str | None) -> list[str]:
    return [name for name, of in GROUPS.items() if group is None or of == group]


def test_pairs_of_annotators_equal_scikit_learn(graded: psycopg.Connection) -> None:
    rows = {(one.annotator_a, one.annotator_b): one for one in annotator_agreement(graded)}
    assert len(rows) == 15
    for (a, b), one in rows.items():
        x, y = pairs(a, b)
        assert one.documents == len(x)
        assert one.accuracy == pytest.approx(np.mean(np.equal(x, y)))
        assert (one.kappa, one.kappa_linear, one.kappa_quadratic) == pytest.approx(
            tuple(kappa(a, b, weights) for weights in (None, "linear", "quadratic"))
        )


def test_within_between_and_over_all(graded: psycopg.Connection) -> None:
    rows = agreement(graded)
    assert [(one.group_a, one.group_b) for one in rows] == [
        (BSC, BSC),
        (MSC, MSC),
        (HUM, HUM),
        (BSC, MSC),
        (BSC, HUM),
        (MSC, HUM),
        (None, None),
    ]
    for one in rows:
        same = one.group_a == one.group_b
        compared = (
            list(combinations(members(one.group_a), 2)) if same else list(product(members(one.group_a), members(one.group_b)))
        )
        if not compared:  # the group has only one annotator
            assert (one.annotators, one.documents, one.pairs, one.accuracy, one.kappa, one.alpha_ordinal) == (
                1,
                0,
                0,
                None,
                None,
                None,
            )
            continue
        told = [pairs(a, b) for a, b in compared]
        sizes = [len(x) for x, _ in told]
        assert one.pairs == sum(sizes)
        assert one.accuracy == pytest.approx(sum(np.equal(x, y).sum() for x, y in told) / sum(sizes))
        for weights, value in ((None, one.kappa), ("linear", one.kappa_linear), ("quadratic", one.kappa_quadratic)):
            assert value == pytest.approx(np.average([kappa(a, b, weights) for a, b in compared], weights=sizes))
        across = [[x, y] for a, b in told for x, y in zip(a, b, strict=True)]
        units = of_documents(members(one.group_a)) if same else across
        assert one.alpha_ordinal == pytest.approx(alpha(units))
    assert rows[-1].annotators == 6
    assert rows[-1].documents == sum(len(unit) > 1 for unit in of_documents(members(None)))


def test_intervals_equal_documents_drawn_by_hand(graded: psycopg.Connection) -> None:
    """Whole documents are drawn, and each draw is scored by krippendorff; another generator gives about the same interval."""
    rows = agreement(graded, groups=[HUM, BSC], bootstrap=AnnotationBootstrap(resamples=2000))
    random = np.random.default_rng(8)
    for one, annotators in ((rows[1], members(HUM)), (rows[-1], members(HUM) + members(BSC))):
        units = [unit for unit in of_documents(annotators) if len(unit) > 1]
        drawn = [alpha([units[at] for at in random.integers(0, len(units), len(units))]) for _ in range(400)]
        assert one.low is not None
        assert one.high is not None
        assert (one.low, one.high) == pytest.approx(tuple(np.percentile(drawn, [2.5, 97.5])), abs=0.06)
    again = agreement(graded, groups=[HUM, BSC], bootstrap=AnnotationBootstrap(resamples=2000))
    assert again == rows
    assert agreement(graded, groups=[HUM, BSC], bootstrap=AnnotationBootstrap(resamples=2000, seed=2)) != rows
    assert agreement(graded, groups=[MSC], bootstrap=AnnotationBootstrap())[0].low is None


def test_aspects_are_compared_separately(graded: psycopg.Connection) -> None:
    """All but one annotator graded credibility, with reversed grades: the two left in the group agree as before."""
    one = agreement(graded, aspect="credibility", groups=[HUM])[0]
    assert (one.annotators, one.pairs) == (2, len(pairs("h1", "h2")[0]))
    assert one.kappa == pytest.approx(kappa("h1", "h2", None))


def test_unknown_names(graded: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject, match="there is no group of annotators 'CS bachelors'") as error:
        agreement(graded, groups=["CS bachelors"])
    assert error.value.sqlstate == "IR111"
    assert "Did you mean 'CS bachelor'?" in (error.value.hint or "")
    with pytest.raises(BadArgument, match="aspect is 'beauty'"):
        agreement(graded, aspect=cast(Any, "beauty"))
    with pytest.raises(UnknownObject, match="there is no measure 'textstat_fkg'") as error:
        means(graded, measures=["textstat_fkg"])
    assert error.value.sqlstate == "IR108"
    assert "Did you mean 'textstat_fkgl'?" in (error.value.hint or "")
    graded.execute("DELETE FROM stc_all.annotations WHERE aspect = 'credibility'")
    with pytest.raises(StateError, match="nobody in the group CS master graded credibility"):
        agreement(graded, aspect="credibility", groups=[MSC])
    for bad in ({"resamples": 0}, {"seed": -1}, {"level": 1.0}):
        with pytest.raises(BadArgument):
            AnnotationBootstrap(**bad)


def test_means_by_hand(conn: psycopg.Connection) -> None:
    put_documents(conn, ["a", "b", "c", "n"], textstat_fkgl={"a": 1.0, "b": 2.0, "c": 6.0}, nltk_sent={"a": 5, "b": float("nan")})
    grade(
        conn,
        [("a", "h1", HUM, 1, 0), ("a", "h2", HUM, 1, 0), ("b", "h1", HUM, 1, 0), ("c", "m1", MSC, 1, 1), ("n", "m1", MSC, 2, 0)],
    )
    got = [tuple(one) for one in means(conn, measures=["textstat_fkgl"])]
    sd = 0.5**0.5  # of 1 and 2: both annotators gave document a grade 1, which counts once
    assert got[0] == ("textstat_fkgl", MSC, 1, 1, 1, 6.0, None, None)
    assert got[1] == pytest.approx(("textstat_fkgl", HUM, 1, 2, 3, 1.5, sd, 0.5))
    over_all = float(np.std([1, 2, 6], ddof=1))
    assert got[2] == pytest.approx(("textstat_fkgl", None, 1, 3, 4, 3.0, over_all, over_all / 3**0.5))
    assert len(got) == 3
    assert [(one.measure, one.n, one.grades) for one in means(conn, measures=["nltk_sent"])] == [("nltk_sent", 1, 2)] * 2
    assert {one.measure for one in means(conn)} - {"read_tok"} == {"textstat_fkgl", "nltk_sent"}


def test_credibility_measures_come_from_the_record(conn: psycopg.Connection) -> None:
    put_documents(conn, ["a", "b", "c"])
    put_facts(conn, {"a": (2020, 30, 7), "b": (2011, 5, None), "c": (0, 8, 4)})
    conn.execute("INSERT INTO stc.citation_ranks (id, by_year, percentile) VALUES (1, 80, 80)")
    grade(conn, [(doc, "h1", HUM, None, 2) for doc in "abc"])

    def told() -> dict[str, tuple[int, float]]:
        return {one.measure: (one.n, one.mean) for one in means(conn, aspect="credibility", groups=[HUM]) if one.group}

    assert told() == {
        "citations": (3, 43 / 3),
        "references": (2, 5.5),
        "citations_per_year": (2, (30 / 1 + 5 / 10) / 2),
        "citation_percentile": (1, 80),
    }
    conn.execute("INSERT INTO stc.credibility_basis (as_of, least, documents) VALUES (2024, 1, 3)")
    assert told()["citations_per_year"] == pytest.approx((2, (30 / 5 + 5 / 14) / 2))


def test_the_default_is_the_means_of_20_measures(graded: psycopg.Connection) -> None:
    columns = graded.execute("SELECT stc.annotation_measures()").fetchone()
    assert columns is not None
    assert len(columns[0]) == 20
    assert columns[0][0] == "nltk_sent"
    assert columns[0][-1] == "textstat_fre"


@pytest.mark.parametrize("style", ["table", "json", "csv", "markdown", "latex"])
def test_the_commands_print(graded: psycopg.Connection, settings: Settings, style: str) -> None:
    def run(*arguments: str) -> str:
        done: Any = CliRunner().invoke(annotations_, [*arguments, "--format", style], obj=settings)
        assert done.exit_code == 0, done.output
        return str(done.stdout)

    assert "kappa" in run("agreement", "--resamples", "20")
    assert HUM in run("agreement", "--aspect", "complexity", "--annotators")
    assert "fkgl" in run("means")
    assert "h1" in run("status")
