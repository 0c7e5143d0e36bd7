"""Options that say by what runs are measured: the edition, the measures, trec_eval's rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from stcollection.evaluation.measures import Measure
from stcollection.evaluation.typed import measures_named as measures_named
from stcollection.evaluation.typed import names_typed as names_typed

MEASURES_HELP = (
    "nDCG@10 or ndcg_cut_10, P@20, P.5,10, AP, RBP(p=0.8), official, all_trec, …; repeat it, or use commas."
    "  ['stc evaluation measures' lists them; default: the official ones]"
)


def measures_or(*default: Measure) -> Callable[[click.Context, click.Parameter, Sequence[str]], list[Measure]]:
    """A callback for ``-m``: the measures named, or those of the default where none is."""
    return lambda _, __, names: measures_named(names) or list(default)


def measure_option(*default: Measure, **more: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``-m`` of a command whose measures are the default where none is named."""
    help_ = f"nDCG@10, AP, …; repeat it, or use commas.  [default: {', '.join(map(str, default))}]"
    return click.option("-m", "--measure", "measures", multiple=True, callback=measures_or(*default), help=help_, **more)


measures_option = click.option("-m", "--measure", "measures", multiple=True, callback=measures_or(), help=MEASURES_HELP)
edition_option = click.option("--edition", required=True, help="The edition of the judgments.  ['stc qrels editions' lists them]")
complete_option = click.option(
    "-c/-r", "--complete/--retrieved", default=True, show_default=True,
    help="Count a query the run has nothing for as 0 (trec_eval -c), or leave it out of the mean.",
)  # fmt: skip
level_option = click.option(
    "-l", "--level", type=click.IntRange(-32768, 32767), default=1, show_default=True,
    help="The least grade that is relevant; gains stay.",
)  # fmt: skip
judged_option = click.option("-J", "--judged-only", is_flag=True, help="Take documents that are not judged out of the rankings.")
max_option = click.option("-M", "--max-rank", type=click.IntRange(min=1), help="Documents a query that count.  [default: all]")
rules_option = click.option(
    "--rules", type=click.Choice(["trec_eval 9", "trec_eval 10"]), default="trec_eval 9", show_default=True,
    help="Scores in single precision, the stored ranks; or in double precision.",
)  # fmt: skip
