"""``stc evaluation``: score runs, rank systems."""

from __future__ import annotations

from collections.abc import Sequence

import click
import psycopg

from stcollection.cli import scoring
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import OFFICIAL, Measure, parse_measure
from stcollection.evaluation.score import leaderboard, score

# The seven official measures, how much of the relevant is reached, and how far the judgments can be trusted.
LEADERBOARD = (*OFFICIAL, Measure("R", 100), Measure("Judged", 10))


@click.group()
def evaluation() -> None:
    """Score runs and rank systems; every measure equal to trec_eval 9."""


evaluation.add_command(scoring.import_)
evaluation.add_command(scoring.compare_output_)
evaluation.add_command(scoring.preferences)
evaluation.add_command(scoring.zscores_)


def _measures(_: click.Context, __: click.Parameter, names: tuple[str, ...]) -> list[Measure]:
    return [parse_measure(part) for name in names for part in name.replace(",", " ").split()]


edition_option = click.option("--edition", required=True, help="The edition of the judgments.  ['stc qrels editions' lists them]")
measures_option = click.option(
    "-m", "--measure", "measures", multiple=True, callback=_measures,
    help="nDCG@10 or ndcg_cut_10, P@20, RR, Bpref, AP, R@100, Judged@10; repeat it, or use commas.  [default: the official ones]",
)  # fmt: skip
complete_option = click.option(
    "--complete/--retrieved", default=True, show_default=True,
    help="Count a query the run has nothing for as 0 (trec_eval -c), or leave it out of the mean.",
)  # fmt: skip


@evaluation.command("score")
@click.argument("runs", nargs=-1)
@edition_option
@measures_option
@complete_option
@click.option("-q", "--per-query", is_flag=True, help="A row for each query, not the mean alone.")
@format_option
@click.pass_obj
def score_(
    settings: Settings, runs: tuple[str, ...], edition: str, measures: list[Measure], complete: bool, per_query: bool, style: str
) -> None:
    """Score RUNS (all if none is named) against one edition of the judgments."""
    measures = measures or list(OFFICIAL)
    with connect(settings) as conn:
        if not per_query:
            _print_means(conn, runs, edition, measures, complete, style)
            return
        table: dict[tuple[str, str], dict[str, float]] = {}
        for one in score(conn, runs=runs, edition=edition, measures=measures, complete=complete):
            table.setdefault((one.run, one.query), {})[str(one.measure)] = one.value
    names = [str(measure) for measure in measures]
    rows = [(run, query, *(values[name] for name in names)) for (run, query), values in table.items()]
    click.echo(render(rows, ["run", "query", *names], style=style))


@evaluation.command("leaderboard")
@edition_option
@measures_option
@complete_option
@format_option
@click.pass_obj
def leaderboard_(settings: Settings, edition: str, measures: list[Measure], complete: bool, style: str) -> None:
    """Every run, best first by the first measure."""
    with connect(settings) as conn:
        _print_means(conn, (), edition, measures, complete, style)


def _print_means(
    conn: psycopg.Connection, runs: Sequence[str], edition: str, measures: Sequence[Measure], complete: bool, style: str
) -> None:
    measures = measures or LEADERBOARD
    rows = leaderboard(conn, edition=edition, measures=measures, runs=runs, complete=complete)
    click.echo(render([(row.run, *row.values) for row in rows], ["run", *map(str, measures)], style=style))
