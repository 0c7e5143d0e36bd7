"""The command ``stc qrels pool make``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options import packed
from stcollection.cli.options.files import FILE
from stcollection.cli.options.pools import relevant_option
from stcollection.cli.options.queries import queries_option
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.io.files import read_text
from stcollection.qrels import pools as stored
from stcollection.qrels.guidelines import set_guidelines


@click.command("make")
@click.argument("name")
@click.argument("runs", nargs=-1)
@click.option("--depth", type=int, help="Number of ranks of each run to pool.  [default: 10; with --most-useful 100]")
@click.option(
    "--min-teams",
    "teams",
    type=int,
    default=1,
    show_default=True,
    help="Keep documents ranked within the depth by at least N teams.",
)
@click.option("--strata", metavar="STRATA", help="Sampling rate per range of best ranks, such as 1-10:1.0,11-50:0.2.")
@click.option(
    "--most-useful",
    "effect",
    type=int,
    metavar="N",
    help="Pool the N documents whose judgments should change the ranking of runs most.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed for sampling and for the order shown to assessors.")
@queries_option
@click.option("--exclude", "without", metavar="EDITION", help="Skip documents judged in EDITION; --most-useful also uses them.")
@click.option("--measure", default="AP", show_default=True, help="Measure for --most-useful: AP or nDCG@k.")
@relevant_option
@click.option("--as-of", "as_of", metavar="YYYY-MM-DD", help="Only documents that were in the collection on this day.")
@click.option(
    "--grades",
    metavar="SCALE",
    default="0-2",
    show_default=True,
    callback=lambda _, __, scale: stored.read_scale(scale),
    help="Scale of the grades: 0-2 or 0=not relevant,1=relevant.",
)
@click.option("--guidelines", type=FILE, help="Text file with guidelines that assessors read beside each document.")
@click.pass_obj
@packed(stored.PoolRules, "rules")
def command(
    settings: Settings,
    /,
    name: str,
    runs: tuple[str, ...],
    rules: stored.PoolRules,
    queries: str,
    without: str | None,
    grades: dict[str, str],
    guidelines: Path | None,
) -> None:
    """Make a pool from the top documents of runs. Without RUN, use all stored runs.

    Equal seeds give the same pool in the same order, on any server.
    """
    with connect(settings) as conn, conn.transaction():
        done = stored.make_pool(conn, name, runs=runs, rules=rules, queries=queries, without=without, grades=grades)
        if guidelines is not None:
            set_guidelines(conn, name, read_text(guidelines))
    click.echo(f"{name}: {counted(done.documents, 'document')} for {counted(done.pooled_queries, 'query')}")
    if done.without_text:
        aside(f"{done.without_text:,} of them have no text in the collection to judge them by")
