"""Tables of pairwise comparisons of runs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from stcollection.analysis.significance import PairedTest, RunComparison, places
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.errors import BadArgument

_FEW = 25  # queries; the note warns below this number
_NAMES = {
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "randomisation": "randomisation test",
    "bootstrap": "bootstrap",
}

_DRAWN = ("randomisation", "bootstrap")
_CORRECTED = {"holm": "Holm", "bh": "Benjamini-Hochberg", "hsd": "randomised Tukey HSD", "none": "no correction"}


def check_ranking(ranking: bool, baseline: str | None) -> None:
    """Refuse ``--ranking`` together with ``--baseline``."""
    if ranking and baseline is not None:
        raise BadArgument("--ranking with a baseline", hint="The ranking is computed from all pairs. Remove --baseline.")


def print_comparisons(found: Sequence[RunComparison], test: PairedTest, *, ranking: bool, style: str, hint: str) -> None:
    """Print one row per pair, or one row per run with ``--ranking``. Print the test and its settings on stderr.

    :param hint: the next step if there is no pair.
    """
    if not found:
        raise BadArgument("there is nothing to compare", hint=hint)
    click.echo(_ranking(found, test.alpha, style) if ranking else _table(found, test.alpha, style))
    aside(_note(found, test))
    families = Counter("" if test.family == "all" else one.measure for one in found if not math.isnan(one.p))
    least = max(families.values(), default=0) / (test.permutations + 1)
    if test.kind in _DRAWN and test.correction == "holm" and least >= test.alpha:
        aside("The p values cannot fall below alpha with so few permutations for so many pairs: raise --permutations.")


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
    """Return a sentence on the test, the number of queries, and the scope of the correction."""
    drawn = f"(at most {counted(test.permutations, 'permutation')}, seed {test.seed})" if test.kind in _DRAWN else ""
    sizes = sorted({one.queries for one in found})
    tests = sum(not math.isnan(one.p) for one in found)
    measures = list(dict.fromkeys(one.measure for one in found))
    over = (
        f"{counted(tests, 'test')}" if len(measures) == 1 or test.family == "all" else f"the tests of each measure, {tests} in all"
    )
    told = [
        f"{_NAMES[test.kind]}{drawn} on {' to '.join(str(size) for size in dict.fromkeys((sizes[0], sizes[-1])))} queries; "
        f"{_CORRECTED[test.correction]}{'' if test.correction == 'none' else f' over {over}'}; * is p < {test.alpha:g}."
    ]
    if tests < len(found):
        told.append(
            f"{counted(len(found) - tests, 'pair has', 'pairs have')} too few queries in common for a test; they are not counted."
        )
    if sizes[0] < _FEW:
        told.append(f"{counted(sizes[0], 'query is', 'queries are')} few: a real difference can go undetected.")
    return "\n".join(told)


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _interval(one: RunComparison) -> str | None:
    return None if math.isnan(one.low) else f"{one.low:+.4f} … {one.high:+.4f}"


def _p(value: float) -> str | None:
    if math.isnan(value):
        return None
    return "<.0001" if value < 0.00005 else f"{value:.4f}"
