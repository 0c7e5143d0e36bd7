"""The command ``stc qrels drop``."""

from __future__ import annotations

import click

from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.editions import drop_edition


@click.command("drop")
@click.argument("edition")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--even-sealed", is_flag=True, help="Also a sealed one, on which others may rely.")
@click.pass_obj
def command(settings: Settings, edition: str, yes: bool, even_sealed: bool) -> None:
    """Remove an EDITION, all of it; the one way to remove judgments."""
    if not yes:
        click.confirm(f"Remove the edition {edition!r} and all its judgments?", abort=True)
    with connect(settings) as conn:
        count = drop_edition(conn, edition, even_sealed=even_sealed)
    click.echo(f"removed the edition {edition!r}: {count:,} judgments")
