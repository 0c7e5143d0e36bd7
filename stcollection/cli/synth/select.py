"""The command ``stc synth select``."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import click

from stcollection.cli.options import packed
from stcollection.cli.options.queries import set_option
from stcollection.cli.options.synth import level_option
from stcollection.cli.output import format_option
from stcollection.cli.synth._match import distances, notes
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.synth.choose import select


@dataclass(frozen=True, kw_only=True)
class _Choice:
    """Which queries to select, and for how many passages."""

    n: int
    origin: str
    also: tuple[str, ...]
    level: int
    seed: int | None
    queries: str


@click.command("select")
@click.argument("study")
@click.option(
    "--match", "like", required=True, metavar="EDITION", help="Edition whose relevant judgments the queries should resemble."
)
@click.option(
    "--size",
    "n",
    type=click.IntRange(1, 1_000_000),
    default=250,
    show_default=True,
    help="Number of queries, each from a different passage.",
)
@set_option("Match only the judged queries of a set")
@click.option("--origin", default="t5", show_default=True, help="Origin of the queries to match.")
@click.option(
    "--also",
    multiple=True,
    metavar="ORIGIN",
    help="Also select the query of this origin for each selected passage, such as gpt-4. Repeatable.",
)
@level_option
@click.option("--seed", type=click.IntRange(-(2**63), 2**63 - 1), help="Seed for ties between passages.  [default: the study's]")
@format_option
@packed(_Choice, "choice")
@click.pass_obj
def command(settings: Settings, /, study: str, like: str, choice: _Choice, style: str) -> None:
    """Select generated queries of STUDY that resemble judged ones.

    Matches the joint distribution of query length and number of query words found in the passage (without stopping or stemming) to
    that of the relevant judgments of an edition. Equal seeds make equal selections. A new selection
    replaces the previous one, unless that is published.
    """
    with connect(settings) as conn:
        found, taken = select(conn, study, like=like, **asdict(choice))
    click.echo(distances(found, style))
    for line in notes(found, taken):
        click.echo(line, err=style in ("json", "csv"))
