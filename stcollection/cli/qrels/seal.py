"""The command ``stc qrels seal``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import changed_edition_argument
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.incoming import seal


@click.command("seal")
@changed_edition_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(settings: Settings, edition: str, yes: bool) -> None:
    """Close an EDITION for good, before it is published: nothing is added to it any more, by whatever way.

    Keeps the SHA-256 of what it says, which is that of the file 'stc qrels export' writes: sha256sum checks it.
    """
    if not yes:
        click.confirm(f"Seal the edition {edition!r}? It cannot be opened again.", abort=True)
    with connect(settings) as conn:
        done = seal(conn, edition)
    told = f"sealed already on {done.sealed:%F}" if done.already else "sealed"
    click.echo(f"{edition}: {told}, {done.judgments:,} judgments, SHA-256 {done.fingerprint}")
