"""The command ``stc db upgrade``."""

from __future__ import annotations

import click

from stcollection.cli.options.removal import yes_option
from stcollection.cli.output import printable
from stcollection.counts import counted
from stcollection.db.adoption import preview
from stcollection.db.plan import format_plan, plan
from stcollection.db.settings import Settings
from stcollection.db.upgrade import PATIENCE, Step, upgrade


@click.command("upgrade")
@click.option("--force", is_flag=True, help="Reinstall all functions and views, including those changed by hand.")
@click.option("--restrict", is_flag=True, help="Revoke the rights of PUBLIC on a database that stcollection did not create.")
@click.option("--adopt", is_flag=True, help="Install a collection in a database of others, after listing what that creates.")
@yes_option
@click.option("--plan", "planned", is_flag=True, help="List revisions, locks and estimated times, and change nothing.")
@click.option("--dry-run", is_flag=True, help="Print the statements and roll them back.")
@click.option(
    "--wait",
    "patience",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    default=PATIENCE,
    show_default=True,
    help="Seconds to keep trying while other sessions hold locks.",
)
@click.pass_obj
def command(
    settings: Settings, force: bool, restrict: bool, adopt: bool, yes: bool, planned: bool, dry_run: bool, patience: float
) -> None:
    """Upgrade tables and functions to this version, in one transaction. Then add missing checks and indexes.

    Readers wait for at most about a second. If the command is interrupted, run it again: it continues.

    Objects of other owners are never replaced or dropped. If they have names that the upgrade needs, it lists them and changes
    nothing. A database with such objects that is not a collection becomes one only with --adopt; 'stc db uninstall' undoes that.
    """
    if planned:
        for line in preview(settings) or format_plan(plan(settings), db=settings.db):
            click.echo(printable(line))
        return
    if adopt and not dry_run and (creates := preview(settings)):
        for line in creates:
            click.echo(printable(line))
        if not yes:
            click.confirm("Create all of this?", abort=True)
    step = upgrade(
        settings,
        force=force,
        restrict=restrict,
        adopt=adopt,
        patience=patience,
        tell=lambda sentence: click.echo(f"stc: {printable(sentence)}", err=True),
        dry_run=(lambda statement: click.echo(f"{statement}\n")) if dry_run else None,
    )
    if dry_run:
        click.echo(f"-- {settings.db!r}: nothing was changed (revision {step.before or 'none'} → {step.after})")
        return
    if step.before == step.after and not step.objects:
        click.echo(f"{settings.db!r} is up to date (revision {step.after})")
    else:
        click.echo(
            f"{settings.db!r}: revision {step.before or 'none'} → {step.after}, {counted(step.objects, 'file')} of sql/ installed"
        )
        for note in step.notes:
            click.echo(f"note: {printable(note)}", err=True)
    _tell_more(step)


def _tell_more(step: Step) -> None:
    for note in step.code:
        click.echo(f"note: {printable(note)}", err=True)
    for repair in step.repairs:
        click.echo(f"repaired: {printable(repair)}")
    if step.roles:
        click.echo(step.roles)
