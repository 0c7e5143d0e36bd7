"""Options for scoring runs: the edition, the measures and trec_eval's rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from stcollection.cli.options import Command, packed, together
from stcollection.evaluation.kinds import GROUPS, KINDS, Kind
from stcollection.evaluation.measures import Measure, parse_measure, parse_measures
from stcollection.evaluation.score import ScoreRules
from stcollection.evaluation.typed import measures_named as measures_named
from stcollection.evaluation.typed import names_typed as names_typed

MEASURES_HELP = (
    "Measure: nDCG@10 or ndcg_cut_10, P@20, P.5,10, AP, RBP(p=0.8), official, all_trec, … Repeatable, or "
    "comma-separated.  ['stc evaluation measures' lists them; default: the official ones]"
)


def _one_measure(_: click.Context, __: click.Parameter, name: str) -> Measure:
    """Parse the measure of ``-m`` of a command that takes one."""
    return parse_measure(name)


def one_measure_option(use: str, *names: str) -> Callable[[Command], Command]:
    """Return the option ``-m`` of a command that takes one measure, by default nDCG@10. :param names: of its parameter."""
    return click.option(
        "-m", "--measure", *names, default="nDCG@10", show_default=True, callback=_one_measure, shell_complete=complete, help=use
    )


def measures_or(*default: Measure) -> Callable[[click.Context, click.Parameter, Sequence[str]], list[Measure]]:
    """Return a callback for ``-m``: the named measures, or the default ones."""

    def named(context: click.Context, _: click.Parameter, names: Sequence[str]) -> list[Measure]:
        context.meta[_TYPED] = names
        return measures_named(names) or list(default)

    return named


_TYPED = "stc.measures"


def aliases(names: Sequence[str] | None = None) -> dict[str, Measure]:
    """Return the typed names of measures that are printed under another name: ``P_10`` for P@10, ``map`` for AP.

    :param names: values of ``-m``; None for those of the running command.
    """
    found: dict[str, Measure] = {}
    for name in names_typed(click.get_current_context().meta.get(_TYPED, ()) if names is None else names):
        several = parse_measures(name)
        for measure in several if name not in GROUPS else ():
            found[name if len(several) == 1 else measure.trec_eval] = measure
    return {name: measure for name, measure in found.items() if name != str(measure)}


def complete(_: click.Context, __: click.Parameter, typed: str) -> list[str]:
    """Complete the name of a measure, with its usual cutoffs."""
    names = dict.fromkeys([*GROUPS, *(name for kind in KINDS.values() for name in _names(kind))])
    return [name for name in names if name.lower().startswith(typed.lower())]


def _names(kind: Kind) -> list[str]:
    """Return the names of a kind of measure, in ir_measures and in trec_eval."""
    measures = parse_measures(kind.name)
    return [name for one in measures for name in (str(one), one.trec_eval)]


def measure_option(*default: Measure) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``-m`` of a command with its own default measures."""
    help_ = f"Measure: nDCG@10, AP, … Repeatable, or comma-separated.  [default: {', '.join(map(str, default))}]"
    return click.option(
        "-m", "--measure", "measures", multiple=True, callback=measures_or(*default), help=help_, shell_complete=complete
    )


measures_option = click.option(
    "-m", "--measure", "measures", multiple=True, callback=measures_or(), help=MEASURES_HELP, shell_complete=complete
)
complete_option = click.option(
    "-c/-r",
    "--complete/--retrieved",
    default=True,
    show_default=True,
    help="Count a query without documents in a run as 0 (trec_eval -c), or leave it out of the mean.",
)
level_option = click.option(
    "-l",
    "--min-grade",
    "level",
    type=click.IntRange(-32768, 32767),
    default=1,
    show_default=True,
    help="Lowest grade that counts as relevant. Gains do not change.",
)
judged_option = click.option(
    "-J", "--judged-only", is_flag=True, help="Remove unjudged documents from the rankings before scoring."
)
max_option = click.option(
    "-M", "--max-rank", type=click.IntRange(min=1), help="Number of documents per query that count.  [default: all]"
)
rules_option = click.option(
    "--rules",
    type=click.Choice(["trec_eval 9", "trec_eval 10"]),
    default="trec_eval 9",
    show_default=True,
    help="Compatibility: scores in single precision, with the stored ranks; or scores in double precision.",
)


def scoring_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``-l``, ``-J``, ``-M`` and ``--rules``, passed to the command as ``how``."""
    options = together(level_option, judged_option, max_option, rules_option)
    return options(packed(ScoreRules, "how", level="min_grade", rules="version")(command))


MOST = 2**31 - 1
