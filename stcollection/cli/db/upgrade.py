"""The command ``stc db upgrade``."""

from __future__ import annotations

import click

from stcollection.cli.output import printable
from stcollection.db.settings import Settings
from stcollection.db.upgrade import PATIENCE, upgrade


@click.command("upgrade")
@click.option("--force", is_flag=True, help="Put every function and view in anew, those changed by hand too.")
@click.option("--restrict", is_flag=True, help="Revoke the rights of PUBLIC on a database that stcollection did not create.")
@click.option("--dry-run", is_flag=True, help="Print every statement, roll all of them back.")
@click.option(
    "--wait",
    "patience",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    default=PATIENCE,
    show_default=True,
    help="Go on trying so long while other sessions hold what must change.",
)
@click.pass_obj
def command(settings: Settings, force: bool, restrict: bool, dry_run: bool, patience: float) -> None:
    """Put tables and functions in step with this version; all of it or nothing. Readers go on meanwhile.

    Objects of others are never replaced or dropped: if one has a name that is needed, all such are listed and nothing changes.
    """
    step = upgrade(
        settings,
        force=force,
        restrict=restrict,
        patience=patience,
        tell=lambda sentence: click.echo(f"stc: {printable(sentence)}", err=True),
        dry_run=(lambda statement: click.echo(f"{statement}\n")) if dry_run else None,
    )
    if dry_run:
        click.echo(f"-- {settings.db!r}: nothing was changed (revision {step.before or 'none'} → {step.after})")
        return
    if step.before == step.after and not step.objects:
        click.echo(f"{settings.db!r} is in step already (revision {step.after})")
    else:
        click.echo(f"{settings.db!r}: revision {step.before or 'none'} → {step.after}, {step.objects} files of sql/ put in step")
        for note in step.notes:
            click.echo(f"note: {note}", err=True)
    for repair in step.repairs:
        click.echo(f"repaired: {printable(repair)}")
    if step.roles:
        click.echo(step.roles)
