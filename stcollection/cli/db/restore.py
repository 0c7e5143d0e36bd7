"""The command ``stc db restore``."""

from __future__ import annotations

import click

from stcollection.cli.db._backup import jobs_option, names, print_note, stoppable
from stcollection.cli.output import ProgressBar, printable
from stcollection.counts import counted
from stcollection.db.backup.restore import check_free, restore
from stcollection.db.backup.source import opened
from stcollection.db.settings import Settings, named


@click.command("restore")
@click.argument("source")
@click.option("--db", "name", metavar="NAME", help="Collection to create.  [default: stc's own --db]")
@click.option("--digest", metavar="SHA256", help="Expected digest, as published with the dump; another one is an error.")
@jobs_option
@click.option(
    "--with-schemas",
    "schemas",
    metavar="LIST",
    help="Also restore these schemas of other owners. Comma-separated. NAME=LOGIN gives one to another participant or reader.",
)
@click.option("--shards", metavar="N", type=int, help="Distribute it over the servers of a Citus cluster, in N shards.")
@click.pass_obj
def command(
    settings: Settings,
    source: str,
    name: str | None,
    digest: str | None,
    jobs: int | None,
    schemas: str | None,
    shards: int | None,
) -> None:
    """Create a collection from a dump: a folder, a .tar file, or the http(s) address of a .tar file. It becomes visible when it is
    complete. An interrupted download continues with the next call.

    Nothing in the dump is executed, except schemas in --with-schemas, which run with a role that has no other rights. Later their
    code runs with the rights of their owners, who must be participants or readers on this server. Compare the digest with the one
    published with the dump, or give it as --digest. With --shards, the database must be prepared on every server; see
    docs/howto/cluster.md.
    """
    into = named(settings, name)
    check_free(into)  # before a long download
    with (
        stoppable(),
        ProgressBar("downloaded", unit="B", scale=True) as downloaded,
        opened(into, source, digest=digest, tell=print_note, progress=downloaded) as folder,
        ProgressBar("restored", unit="", scale=True) as progress,
    ):
        done = restore(
            into,
            folder,
            jobs=jobs,
            with_schemas=names(schemas),
            shards=shards,
            tell=print_note,
            progress=progress,
        )
    for note in done.notes:
        print_note(note)
    click.echo(
        f"restored {done.collection!r}: {counted(done.rows, 'row')} and"
        f" {counted(done.editions, 'edition')}, dumped on {printable(done.manifest.made)}"
        + (f"; upgraded from revision {done.manifest.revision} to {done.upgraded}" if done.upgraded else "")
    )
    click.echo(f"digest {done.digest}")
