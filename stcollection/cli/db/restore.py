"""The command ``stc db restore``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.db._backup import jobs_option, names, stoppable, tell
from stcollection.cli.output import ProgressBar, printable
from stcollection.db.backup.restore import restore
from stcollection.db.settings import Settings, named


@click.command("restore")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--db", "name", metavar="NAME", help="The collection to make.  [default: as stc's own --db]")
@jobs_option
@click.option("--with-schemas", "schemas", metavar="LIST", help="Restore these schemas of other people too, separated by commas.")
@click.option("--skip-unknown", is_flag=True, help="Of a dump of version 0.1: leave out objects that are not the collection's.")
@click.pass_obj
def command(settings: Settings, folder: Path, name: str | None, jobs: int | None, schemas: str | None, skip_unknown: bool) -> None:
    """Make a collection from a dump in FOLDER. It is seen only once it is whole.

    Nothing of the dump is executed, except schemas named by --with-schemas: those run as a role without other rights. Compare the
    digest with the one that the maker of the dump published.
    """
    with stoppable(), ProgressBar("restored", unit="", scale=True) as progress:
        done = restore(
            named(settings, name),
            folder,
            jobs=jobs,
            with_schemas=names(schemas),
            skip_unknown=skip_unknown,
            tell=tell,
            progress=progress,
        )
    for note in done.notes:
        tell(note)
    click.echo(
        f"restored {done.collection!r}: {done.rows:,} rows and {done.editions} editions as they were dumped on"
        f" {printable(done.manifest.made)}"
        + (f"; upgraded from revision {done.manifest.revision} to {done.upgraded}" if done.upgraded else "")
    )
    click.echo(f"digest {done.digest}")
