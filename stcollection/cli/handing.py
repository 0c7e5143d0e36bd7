"""``stc db dump · restore``: a collection handed over."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from stcollection.cli.output import Progress
from stcollection.cli.telling import printable
from stcollection.db.backup.dump import dump
from stcollection.db.backup.plain import dump_plain
from stcollection.db.backup.restore import restore
from stcollection.db.backup.sample import dump_sample, size
from stcollection.db.settings import Settings, named
from stcollection.errors import BadArgument

_jobs = click.option("--jobs", type=int, metavar="N", help="Tables and indexes at a time.  [default: one a core, at most 8]")


def _tell(message: str) -> None:
    click.echo(printable(message), err=True)


def _names(given: str | None) -> list[str]:
    """The names of a list separated by commas, each once."""
    return list(dict.fromkeys(one.strip() for one in (given or "").split(",") if one.strip()))


@contextmanager
def _stoppable() -> Iterator[None]:
    """Have a stop by the system (SIGTERM) clean up as ctrl-C does."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@click.command("dump")
@click.argument("folder", type=click.Path(path_type=Path))
@_jobs
@click.option(
    "--sample", "drawn", metavar="1%|N", help="All that is judged, and so much of the other documents: a share, or a number."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the sample: the same draws the same documents.")
@click.option("--plain", is_flag=True, help="SQL of the published tables, for psql and servers without stcollection.")
@click.option("--with-hidden", is_flag=True, help="With --plain: the judgments of hidden editions too.")
@click.option("--with-schemas", "schemas", metavar="LIST", help="Dump these schemas of other people too, separated by commas.")
@click.pass_obj
def dump_(
    settings: Settings, folder: Path, jobs: int | None, drawn: str | None, seed: int, plain: bool, with_hidden: bool,
    schemas: str | None,
) -> None:  # fmt: skip
    """Write the collection to FOLDER, to be restored on any server.

    A dump holds all judgments, those of hidden editions too; plain SQL leaves these out. It holds rows and no code: restore runs
    nothing of it, except schemas that both commands name by --with-schemas.
    """
    if with_hidden and not plain:
        raise BadArgument("--with-hidden is for --plain", hint="A dump that is no plain SQL holds hidden editions in any case.")
    if schemas and (plain or drawn is not None):
        raise BadArgument("--with-schemas is for a whole dump", hint="Leave --plain and --sample out, or --with-schemas.")
    part = None if drawn is None else size(drawn)
    with _stoppable(), Progress("dumped", unit="tables") as progress:
        if plain:
            done = dump_plain(settings, folder, with_hidden=with_hidden, drawn=part, seed=seed, jobs=jobs, tell=_tell)
        elif part is not None:
            done = dump_sample(settings, folder, drawn=part, seed=seed, jobs=jobs, tell=_tell, progress=progress)
        else:
            done = dump(settings, folder, jobs=jobs, with_schemas=_names(schemas), tell=_tell, progress=progress)
    click.echo(
        f"dumped {settings.db!r} to {folder}: {done.manifest.rows:,} rows of {len(done.manifest.tables)} tables,"
        f" {done.manifest.bytes / 1e6:,.1f} MB in {len(done.manifest.files)} files"
    )
    hidden = [name for name, one in done.manifest.editions.items() if one["hidden"]]
    if hidden:
        _tell(f"the dump holds the judgments of {', '.join(hidden)}: hidden from participants, so hand it to organisers alone")
    click.echo(f"digest {done.digest}")


@click.command("restore")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--db", "name", metavar="NAME", help="The collection to make.  [default: as stc's own --db]")
@_jobs
@click.option("--with-schemas", "schemas", metavar="LIST", help="Restore these schemas of other people too, separated by commas.")
@click.option("--skip-unknown", is_flag=True, help="Of a dump of version 0.1: leave out objects that are not the collection's.")
@click.pass_obj
def restore_(settings: Settings, folder: Path, name: str | None, jobs: int | None, schemas: str | None, skip_unknown: bool) -> None:
    """Make a collection from a dump in FOLDER. It is seen only once it is whole.

    Nothing of the dump is executed, except schemas named by --with-schemas: those run as a role without other rights. Compare the
    digest with the one that the maker of the dump published.
    """
    with _stoppable(), Progress("restored", unit="", scale=True) as progress:
        done = restore(
            named(settings, name), folder, jobs=jobs, with_schemas=_names(schemas), skip_unknown=skip_unknown, tell=_tell,
            progress=progress,
        )  # fmt: skip
    for note in done.notes:
        _tell(note)
    click.echo(
        f"restored {done.collection!r}: {done.rows:,} rows and {done.editions} editions as they were dumped on"
        f" {printable(done.manifest.made)}"
        + (f"; upgraded from revision {done.manifest.revision} to {done.upgraded}" if done.upgraded else "")
    )
    click.echo(f"digest {done.digest}")
