"""The command ``stc qrels seal``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import changed_edition_argument
from stcollection.cli.options.removal import yes_option
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.score import judge
from stcollection.qrels.editions import seal


@click.command("seal")
@changed_edition_argument
@yes_option
@click.pass_obj
def command(settings: Settings, edition: str, yes: bool) -> None:
    """Seal an EDITION before publication: nothing can be added to it any more.

    Stores the SHA-256 of its contents, which equals that of the file written by 'stc qrels export': check it with sha256sum.
    """
    if not yes:
        click.confirm(f"Seal the edition {edition!r}? It cannot be opened again.", abort=True)
    with connect(settings) as conn:
        done = seal(conn, edition)
        judge(conn, edition=edition)  # so that the first scoring does not wait
    told = f"already sealed on {done.sealed:%F}" if done.already else "sealed"
    click.echo(f"{edition}: {told}, {counted(done.judgments, 'judgment')}, SHA-256 {done.fingerprint}")
