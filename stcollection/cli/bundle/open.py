"""The command ``stc bundle open``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.bundle.open import open_bundle
from stcollection.cli.options.files import FILE
from stcollection.cli.output import printable
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.settings import Settings

_SHOWN = 20


@click.command("open")
@click.argument("file", type=FILE)
@click.option("--hash", "digest", metavar="SHA256", help="Expected hash, as cited; another one is an error.")
@click.pass_context
def command(ctx: click.Context, file: Path, digest: str | None) -> None:
    """Load a bundle into a collection (--db NAME), compute the leaderboard again, and compare it with the bundle.

    A new or empty collection becomes visible when it is complete. In other collections, runs, queries and judgments are added; if
    one contradicts a stored one, nothing is stored. No network is needed. Exit code 3 if a score differs in any digit.
    """
    settings: Settings = ctx.obj
    done = open_bundle(settings, file, digest=digest)
    for note in done.notes:
        aside(printable(note))
    found = done.bundle.manifest
    click.echo(
        f"{'created' if done.created else 'added to'} {done.collection!r}: {counted(len(found['editions']), 'edition')},"
        f" {counted(len(found['runs']), 'run')}, hash {done.bundle.digest}"
    )
    if not done.differences:
        click.echo(f"leaderboard: {counted(done.means, 'mean')} and {done.scores:,} scores are equal to the last digit")
        return
    click.echo(f"leaderboard: {len(done.differences):,} of {done.means + done.scores:,} values differ:")
    for one in done.differences[:_SHOWN]:
        place = f"{one.edition} {one.run} {one.query or 'mean'} {one.measure}"
        click.echo(printable(f"  {place}: {one.stored or 'missing'} in the bundle, {one.computed or 'missing'} here"))
    ctx.exit(3)
