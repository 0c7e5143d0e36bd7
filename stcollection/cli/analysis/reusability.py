"""The command ``stc analysis reusability``."""

from __future__ import annotations

from functools import partial

import click

from stcollection.analysis.reusability import BY, LeftOut, pool_of, summarise
from stcollection.analysis.reusability import reusability as leave_out
from stcollection.cli.analysis._table import table
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.queries import queries_option
from stcollection.cli.options.reusability import measures_option
from stcollection.cli.output import format_option
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import StateError
from stcollection.evaluation.measures import Measure


@click.command("reusability")
@click.argument("runs", nargs=-1)
@edition_option
@measures_option
@click.option(
    "--by",
    type=click.Choice(BY),
    default="run",
    show_default=True,
    help="Leave out one run at a time, or one team with all its runs.",
)
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    help="Depth of the pool that the runs contributed to.  [default: the stored pool's, else 10]",
)
@click.option("--pool", metavar="POOL", help="Use the depth and the runs of this stored pool.")
@queries_option
@format_option
@click.pass_obj
def command(
    settings: Settings,
    runs: tuple[str, ...],
    edition: str,
    measures: list[Measure],
    by: str,
    depth: int | None,
    pool: str | None,
    queries: str,
    style: str,
) -> None:
    """Leave each run out of the pool: documents that only this run contributed become unjudged, and all runs are scored again.

    For each run, prints the documents that only it contributed, how many of them are relevant, and its score and rank before and
    after. Also prints tau and tau_ap of the rankings of all runs, and the largest loss in ranks of any run. Without RUN, leaves
    out each run of the collection in turn. Nothing is stored.
    """
    with connect(settings) as conn:
        depth, filled = pool_of(conn, pool=pool, depth=depth, runs=runs)
        of = partial(leave_out, conn, edition=edition, depth=depth, by=by, runs=filled, queries=queries)
        found = [(str(one), of(measure=one)) for one in measures]
    if not any(rows for _, rows in found):
        raise StateError("there is no run with a ranking", hint="'stc runs import' stores some.", sqlstate="IR405")
    click.echo(table([(measure, row) for measure, rows in found for row in rows], LeftOut._fields, style, alone=by == "run"))
    for measure, rows in found:
        done = summarise(rows)
        click.echo(
            f"{measure}: {counted(done.left_out, by)} left out, one at a time, of a pool of depth {depth}: tau "
            f"{_number(done.tau)} in the mean, {_number(done.lowest_tau)} at least, tau_ap {_number(done.tau_ap)}; at "
            f"most {counted(done.max_drop, 'rank')} lost; a run loses {done.lost:.1%} of its score, {done.most_lost:.1%} at "
            "most.",
            err=True,
        )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
