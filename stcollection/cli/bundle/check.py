"""The command ``stc bundle check``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.files import FILE
from stcollection.cli.output import printable
from stcollection.counts import counted
from stcollection.io.bundle.archive import check


@click.command("check")
@click.argument("file", type=FILE)
@click.option("--hash", "digest", metavar="SHA256", help="Expected hash, as cited; another one is an error.")
def command(file: Path, digest: str | None) -> None:
    """Compare the checksums of a bundle, without a database.

    Prints its hash, and the hash of its data: all files except environment.json, which has the versions of the software.
    """
    found = check(file, digest=digest)
    editions, hidden, runs = (len(found.manifest[name]) for name in ("editions", "hidden", "runs"))
    click.echo(
        f"{file}: intact, {counted(len(found.files), 'file')} of {found.bytes / 1e6:,.1f} MB: collection"
        f" {printable(found.manifest['collection'])}, {counted(editions, 'edition')} ({hidden:,} hidden), {counted(runs, 'run')}"
    )
    click.echo(f"hash {found.digest}\ndata {found.data_digest}")
