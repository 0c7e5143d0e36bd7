"""The command ``stc load --as bundle``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.bundle.open import new_collection, open_bundle
from stcollection.cli.options.completion import DB, complete_collections
from stcollection.cli.options.files import FILE
from stcollection.cli.output import printable
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.settings import Settings, named

_SHOWN = 20


@click.command("open")
@click.argument("file", type=FILE)
@click.option("--hash", "digest", metavar="SHA256", help="Expected hash, as cited; another one is an error.")
@click.option(
    "--into",
    metavar="NAME",
    shell_complete=complete_collections,
    help="Add the bundle to this collection, which may have contents.  [default: create a collection]",
)
@click.pass_context
def command(ctx: click.Context, file: Path, digest: str | None, into: str | None) -> None:
    """Load a bundle into a new collection, compute the leaderboard again, and compare it with the bundle.

    --db NAME names the new collection. By default it has the name of the file; STC_DB does not count. It becomes visible when it is
    complete. --into NAME adds runs, queries and judgments to an existing collection; if one contradicts a stored one, nothing is
    stored. No network is needed. Exit code 3 if a score differs in any digit.
    """
    given = ctx.meta.get(DB) or ctx.find_root().params.get("db")
    if into and given and into != given:
        raise click.UsageError("Give --into or --db, not both.")
    settings: Settings = named(ctx.obj, into or given)
    if not (into or given):
        settings = new_collection(settings, file)
    done = open_bundle(settings, file, digest=digest, existing=into is not None)
    for note in done.notes:
        aside(printable(note))
    found = done.bundle.manifest
    click.echo(
        f"{'created' if done.created else 'added to'} {done.collection!r}: {counted(len(found['editions']), 'edition')},"
        f" {counted(len(found['runs']), 'run')}, hash {done.bundle.digest}"
    )
    if not done.differences:
        click.echo(f"leaderboard: {counted(done.means, 'mean')} and {counted(done.scores, 'score')} are equal to the last digit")
        return
    click.echo(f"leaderboard: {len(done.differences):,} of {counted(done.means + done.scores, 'value')} differ:")
    for one in done.differences[:_SHOWN]:
        place = f"{one.edition} {one.run} {one.query or 'mean'} {one.measure}"
        click.echo(printable(f"  {place}: {one.stored or 'missing'} in the bundle, {one.computed or 'missing'} here"))
    ctx.exit(3)
