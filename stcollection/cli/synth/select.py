"""The command ``stc synth select``."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import click

from stcollection.cli.options import packed
from stcollection.cli.options.synth import level_option
from stcollection.cli.output import format_option
from stcollection.cli.synth._match import distances, notes
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.synth.choose import select


@dataclass(frozen=True, kw_only=True)
class _Choice:
    """Which queries are chosen, and of how many passages."""

    n: int
    origin: str
    also: tuple[str, ...]
    level: int
    seed: int | None


@click.command("select")
@click.argument("study")
@click.option("--like", required=True, metavar="EDITION", help="Whose relevant judgments the queries are to be like.")
@click.option(
    "--n", type=click.IntRange(1, 1_000_000), default=250, show_default=True, help="Queries, each of a passage of its own."
)
@click.option("--origin", default="t5", show_default=True, help="Whose queries are matched.")
@click.option(
    "--also",
    multiple=True,
    metavar="ORIGIN",
    help="Another origin: its query of each chosen passage is chosen too. Repeat it for more.  [as gpt-4]",
)
@level_option
@click.option("--seed", type=click.IntRange(-(2**63), 2**63 - 1), help="Of ties between passages.  [default: the study's]")
@format_option
@packed(_Choice, "choice")
@click.pass_obj
def command(settings: Settings, /, study: str, like: str, choice: _Choice, style: str) -> None:
    """Choose of a STUDY's generated queries those that are like judged ones.

    The joint distribution of query length and number of query words found in the passage, without stopping or stemming, follows
    that of the relevant judgments of an edition. The same seed makes the same choice. Another select replaces it, until it is
    published.
    """
    with connect(settings) as conn:
        found, taken = select(conn, study, like=like, **asdict(choice))
    click.echo(distances(found, style))
    for line in notes(found, taken):
        click.echo(line, err=style in ("json", "csv"))
