"""The command ``stc synth review check``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import edition_argument
from stcollection.cli.options.synth import level_option
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.synth.review import FEWEST, CheckedSubtopic, check_reviewed


@click.command("check")
@edition_argument
@click.option(
    "--min-relevant",
    "fewest",
    type=click.IntRange(1, 2**31 - 1),
    default=FEWEST,
    show_default=True,
    help="Smallest number of relevant documents per query.",
)
@level_option
@format_option
@click.pass_obj
def command(settings: Settings, edition: str, fewest: int, level: int, style: str) -> None:
    """Check that each query published from an article reaches enough relevant documents in EDITION.

    'stc synth cut EDITION' excludes the queries with too few.
    """
    with connect(settings) as conn:
        found = check_reviewed(conn, edition, fewest=fewest, level=level)
    click.echo(render(found, CheckedSubtopic._fields, style=style))
    counts = [(state, sum(one.state == state for one in found)) for state in ("enough", "too few", "not judged")]
    told = ", ".join(f"{count:,} {state}" for state, count in counts if count)
    click.echo(f"\n{told or 'no query was published from an article'}", err=style in ("json", "csv"))
