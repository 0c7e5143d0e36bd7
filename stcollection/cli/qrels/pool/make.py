"""The command ``stc qrels pool make``."""

from __future__ import annotations

import click

from stcollection.cli.options import packed
from stcollection.cli.options.pools import names, relevant_option
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels import pools as stored


@click.command("make")
@click.argument("name")
@click.argument("runs", nargs=-1)
@click.option("--depth", type=int, help="Ranks of each run that are pooled.  [default: 10; with --effect 100]")
@click.option("--teams", type=int, default=1, show_default=True, help="Only what runs of so many teams have within the depth.")
@click.option("--strata", metavar="STRATA", help="A share of each stratum of best ranks, as 1-10:1.0,11-50:0.2.")
@click.option("--effect", type=int, metavar="N", help="The N documents that are expected to tell the runs apart best.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of what is drawn and of the order it is shown in.")
@click.option("--queries", metavar="NAMES", callback=names, help="Only these, separated by commas.  [default: all]")
@click.option("--without", metavar="EDITION", help="Leave out what it has judged; with --effect it is what is known so far.")
@click.option("--measure", default="AP", show_default=True, help="That the effect is expected on: AP or nDCG@k.")
@relevant_option
@click.option(
    "--grades",
    default="0-2",
    show_default=True,
    callback=lambda _, __, scale: stored.read_scale(scale),
    help="The scale, as 0-2 or 0=not relevant,1=relevant.",
)
@click.pass_obj
@packed(stored.PoolRules, "rules")
def command(
    settings: Settings,
    /,
    name: str,
    runs: tuple[str, ...],
    rules: stored.PoolRules,
    queries: list[str],
    without: str | None,
    grades: dict[str, str],
) -> None:
    """Make a pool of the first documents of RUNS, of all stored runs if none is named.

    The same seed gives the same pool in the same order, on any server.
    """
    with connect(settings) as conn:
        done = stored.make_pool(conn, name, runs=runs, rules=rules, queries=queries, without=without, grades=grades)
    click.echo(f"{name}: {done.documents:,} documents for {done.pooled_queries:,} queries")
    if done.without_text:
        aside(f"{done.without_text:,} of them have no text here by which they could be assessed")
