"""The command ``stc analysis compare``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from stcollection.analysis.corrections import CORRECTIONS
from stcollection.analysis.significance import FAMILIES, PairedTest, RunComparison, compare, places
from stcollection.cli.options import packed, together
from stcollection.cli.options.measures import edition_option, measure_option
from stcollection.cli.options.significance import alpha_option, permutations_option, seed_option, test_option
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.evaluation.measures import Measure, nDCG

_FEW = 25  # queries, below which the note says so
_NAMES = {
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "randomisation": "randomisation test",
    "bootstrap": "bootstrap",
}

_DRAWN = ("randomisation", "bootstrap")
_CORRECTED = {"holm": "Holm", "bh": "Benjamini-Hochberg", "hsd": "randomised Tukey HSD", "none": "no correction"}


_test_options = together(
    test_option,
    permutations_option,
    seed_option,
    click.option(
        "--correction",
        type=click.Choice([*CORRECTIONS, "hsd"]),
        default="holm",
        show_default=True,
        help="For many tests: Holm, Benjamini-Hochberg, randomised Tukey HSD (--test randomisation, all pairs), or none.",
    ),
    click.option(
        "--family",
        type=click.Choice(FAMILIES),
        default="measure",
        show_default=True,
        help="What counts as many: a measure's tests or all.",
    ),
    alpha_option,
    click.option(
        "--missing",
        type=click.Choice(["zero", "drop"]),
        default="zero",
        show_default=True,
        help="A query a run has nothing for: 0 (trec_eval -c), or not in its pairs.",
    ),
)


@click.command("compare")
@click.argument("runs", nargs=-1)
@edition_option
@measure_option(nDCG @ 10)
@click.option("--baseline", metavar="RUN", help="Compare each run with this one.  [default: all pairs]")
@_test_options
@click.option("--ranking", is_flag=True, help="The runs, best first, and which are not told apart from the best; all pairs alone.")
@format_option
@click.pass_obj
@packed(PairedTest, "test", test="kind")
def command(
    settings: Settings,
    /,
    runs: tuple[str, ...],
    measures: list[Measure],
    baseline: str | None,
    edition: str,
    test: PairedTest,
    ranking: bool,
    style: str,
) -> None:
    """Test RUNS (all if none is named) for differences: all pairs, or each with a baseline.

    Prints means, their difference with its interval, effect size d, queries won, tied and lost, p and p corrected. A star:
    corrected p below alpha.
    """
    if ranking and baseline is not None:
        raise BadArgument("--ranking with a baseline", hint="It is told from all pairs: leave --baseline out.", sqlstate="IR202")
    with connect(settings) as conn:
        found = compare(conn, edition=edition, measures=measures, runs=runs, baseline=baseline, test=test)
    if not found:
        raise BadArgument(
            "there is nothing to compare",
            hint="Name two runs, or one beside the baseline; 'stc runs list' shows them.",
            sqlstate="IR202",
        )
    click.echo(_ranking(found, test.alpha, style) if ranking else _table(found, test.alpha, style))
    click.echo(_note(found, test), err=True)
    families = Counter("" if test.family == "all" else one.measure for one in found if not math.isnan(one.p))
    least = max(families.values(), default=0) / (test.permutations + 1)
    if test.kind in _DRAWN and test.correction == "holm" and least >= test.alpha:
        click.echo("So few draws cannot tell any of so many pairs apart: raise --permutations.", err=True)


def _table(found: Sequence[RunComparison], alpha: float, style: str) -> str:
    if style in ("json", "csv"):
        return render([[_known(value) for value in one] for one in found], RunComparison._fields, style=style)
    several = len({one.measure for one in found}) > 1
    rows = [
        (
            *([one.measure] if several else []),
            one.run,
            one.against,
            _known(one.mean),
            _known(one.mean_against),
            _known(one.difference),
            _interval(one),
            _known(one.d),
            f"{one.wins}/{one.ties}/{one.losses}",
            _p(one.p),
            _p(one.corrected),
            "*" if one.corrected < alpha else "",
        )
        for one in found
    ]
    interval = f"{1 - alpha:.4g} interval"
    names = ["run", "against", "mean", "its mean", "difference", interval, "d", "won/tied/lost", "p", "corrected", ""]
    return render(rows, ["measure", *names] if several else names, style=style)


def _ranking(found: Sequence[RunComparison], alpha: float, style: str) -> str:
    ranked = places(found, alpha=alpha)
    if style in ("json", "csv"):
        return render([[_known(value) for value in one] for one in ranked], ranked[0]._fields, style=style)
    rows = [(one.measure, one.run, one.mean, _p(one.p), "=" if one.best else "") for one in ranked]
    return render(rows, ["measure", "run", "mean", "p to the best", "best"], style=style)


def _note(found: Sequence[RunComparison], test: PairedTest) -> str:
    """What was tested over how many queries, and over what the correction goes."""
    drawn = f" ({test.permutations:,} draws at most, seed {test.seed})" if test.kind in _DRAWN else ""
    sizes = sorted({one.queries for one in found})
    tests = sum(not math.isnan(one.p) for one in found)
    measures = list(dict.fromkeys(one.measure for one in found))
    over = (
        f"{tests} test{'' if tests == 1 else 's'}"
        if len(measures) == 1 or test.family == "all"
        else f"the tests of each measure, {tests} in all"
    )
    told = [
        f"{_NAMES[test.kind]}{drawn} on {' to '.join(str(size) for size in dict.fromkeys((sizes[0], sizes[-1])))} queries; "
        f"{_CORRECTED[test.correction]}{'' if test.correction == 'none' else f' over {over}'}; * is p < {test.alpha:g}."
    ]
    if tests < len(found):
        told.append(f"{len(found) - tests} pairs have too few queries in common for a test; they are not counted.")
    if sizes[0] < _FEW:
        told.append(f"{sizes[0]} queries are few: that no difference is found says little.")
    return "\n".join(told)


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _interval(one: RunComparison) -> str | None:
    return None if math.isnan(one.low) else f"{one.low:+.4f} … {one.high:+.4f}"


def _p(value: float) -> str | None:
    if math.isnan(value):
        return None
    return "<.0001" if value < 0.00005 else f"{value:.4f}"
