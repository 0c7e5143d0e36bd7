"""The command ``stc qrels impact``."""

from __future__ import annotations

from dataclasses import dataclass

import click
import orjson

from stcollection.analysis.impact import Impact, QueryShift, Shift, impact, impact_queries
from stcollection.cli.options import packed
from stcollection.cli.options.measures import one_measure_option
from stcollection.cli.options.queries import queries_option
from stcollection.cli.output import format_option, marked, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure

_SHOWN = 5  # number of runs that moved most


@dataclass(frozen=True, kw_only=True)
class ScoredRuns:
    """What to score the editions with, as keywords of :func:`impact`. :param every: all queries of each edition."""

    measure: Measure
    runs: tuple[str, ...]
    every: bool
    queries: str


@dataclass(frozen=True, kw_only=True)
class ImpactTable:
    """What to print."""

    per_query: bool
    style: str


@click.command("impact")
@click.argument("a")
@click.argument("b")
@one_measure_option("Measure that ranks the runs: nDCG@10 or ndcg_cut_10, AP, P@20, …")
@click.option("-r", "--runs", "runs", multiple=True, help="Use this run. Repeatable.  [default: all]")
@queries_option
@click.option("--all", "every", is_flag=True, help="Average over all queries of each edition.  [default: queries that both judge]")
@click.option(
    "-p", "--persistence", "p", default=0.9, show_default=True, help="Persistence of rank-biased overlap, between 0 and 1."
)
@click.option("-q", "--per-query", is_flag=True, help="Print the shift of each run on each query, largest first.")
@format_option
@click.pass_obj
@packed(ScoredRuns, "scored")
@packed(ImpactTable, "table")
def command(settings: Settings, a: str, b: str, p: float, scored: ScoredRuns, table: ImpactTable) -> None:
    """Show how scores and the ranking of systems change if edition B replaces edition A.

    Scores every stored run on both editions and prints the shifts of its mean and rank. Compares the two rankings by Kendall's
    tau-b, tau_ap (A is the reference) and rank-biased overlap.
    """
    by, style = scored.measure, table.style
    with connect(settings) as conn:
        if table.per_query:
            shifts = impact_queries(conn, a, b, **vars(scored))
            names = [field.replace("value_a", a).replace("value_b", b) for field in QueryShift._fields]
            click.echo(render(shifts, names if style in ("table", "markdown", "latex") else list(QueryShift._fields), style=style))
            return
        done = impact(conn, a, b, p=p, **vars(scored))
    if style == "csv":
        click.echo(render(done.runs, list(Shift._fields), style=style))
    elif style == "json":
        told = {
            "a": a, "b": b, "measure": str(by), "kendall_tau": done.kendall_tau, "tau_ap": done.tau_ap, "rbo": done.rbo,
            "runs": [one._asdict() for one in done.runs],
        }  # fmt: skip
        click.echo(orjson.dumps(marked(told), option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo(impact_text(done, a, b, str(by), style))


def impact_text(done: Impact, a: str, b: str, measure: str, style: str) -> str:
    rows = [(one.run, one.value_a, one.value_b, one.shift, one.rank_a, one.rank_b, _moved(one)) for one in done.runs]
    headers = ["run", f"{measure} by {a}", f"by {b}", "shift", f"rank by {a}", f"by {b}", "moved"]
    over = sorted({(one.queries_a, one.queries_b) for one in done.runs})
    queries = ", ".join(counted(x, "query") if x == y else f"{x:,} and {counted(y, 'query')}" for x, y in over)
    values = [("Kendall's tau-b", done.kendall_tau), ("tau_ap", done.tau_ap), ("RBO", done.rbo)]
    figures = ", ".join(f"{name} {'–' if value is None else f'{value:.4f}'}" for name, value in values)
    told = [render(rows, headers, style=style), "", f"{counted(len(rows), 'run')} on {queries}: {figures}"]
    movers = sorted((one for one in done.runs if one.rank_a != one.rank_b), key=lambda one: -abs(one.rank_a - one.rank_b))[:_SHOWN]
    if movers:
        told.append("moved most: " + ", ".join(f"{one.run} {one.rank_a} → {one.rank_b}" for one in movers))
    return "\n".join(told)


def _moved(one: Shift) -> str:
    """Return ``+2`` for a gain of two ranks."""
    return f"{one.rank_a - one.rank_b:+d}" if one.rank_a != one.rank_b else ""
