"""Options for scoring runs: the edition, the measures and trec_eval's rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from stcollection.cli.options import Command
from stcollection.cli.options.completion import complete_measures
from stcollection.evaluation.kinds import GROUPS
from stcollection.evaluation.measures import Measure, parse_measure, parse_measures
from stcollection.evaluation.typed import measures_named as measures_named
from stcollection.evaluation.typed import names_typed as names_typed

MEASURES_HELP = (
    "Measure: nDCG@10 or ndcg_cut_10, P@20, P.5,10, AP, RBP(p=0.8), official, all_trec, … Repeatable, or "
    "comma-separated.  ['stc show measures' lists them; default: the official ones]"
)


def _one_measure(_: click.Context, __: click.Parameter, name: str) -> Measure:
    """Parse the measure of ``-m`` of a command that takes one."""
    return parse_measure(name)


def one_measure_option(use: str, *names: str) -> Callable[[Command], Command]:
    """Return the option ``-m`` of a command that takes one measure, by default nDCG@10. :param names: of its parameter."""
    return click.option(
        "-m",
        "--measure",
        *names,
        default="nDCG@10",
        show_default=True,
        callback=_one_measure,
        shell_complete=complete_measures,
        help=use,
    )


def measures_or(*default: Measure) -> Callable[[click.Context, click.Parameter, Sequence[str]], list[Measure]]:
    """Return a callback for ``-m``: the named measures, or the default ones."""

    def named(_: click.Context, __: click.Parameter, names: Sequence[str]) -> list[Measure]:
        return measures_named(names) or list(default)

    return named


def aliases(names: Sequence[str]) -> dict[str, Measure]:
    """Return the typed names of measures that are printed under another name: ``P_10`` for P@10, ``map`` for AP.

    :param names: values of ``-m``.
    """
    found: dict[str, Measure] = {}
    for name in names_typed(names):
        several = parse_measures(name)
        for measure in several if name not in GROUPS else ():
            found[name if len(several) == 1 else measure.trec_eval] = measure
    return {name: measure for name, measure in found.items() if name != str(measure)}


measures_option = click.option(
    "-m", "--measure", "measures", multiple=True, callback=measures_or(), help=MEASURES_HELP, shell_complete=complete_measures
)


MOST = 2**31 - 1
