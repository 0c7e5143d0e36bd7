"""The command ``stc db dump``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.db._backup import jobs_option, names, stoppable, tell
from stcollection.cli.output import ProgressBar
from stcollection.db.backup.dump import dump
from stcollection.db.backup.plain import dump_plain
from stcollection.db.backup.sample import dump_sample, size
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument


@click.command("dump")
@click.argument("folder", type=click.Path(path_type=Path))
@jobs_option
@click.option(
    "--sample", "drawn", metavar="1%|N", help="All that is judged, and so much of the other documents: a share, or a number."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the sample: the same draws the same documents.")
@click.option("--plain", is_flag=True, help="SQL of the published tables, for psql and servers without stcollection.")
@click.option("--with-hidden", is_flag=True, help="With --plain: the judgments of hidden editions too.")
@click.option("--with-schemas", "schemas", metavar="LIST", help="Dump these schemas of other people too, separated by commas.")
@click.pass_obj
def command(
    settings: Settings,
    folder: Path,
    jobs: int | None,
    drawn: str | None,
    seed: int,
    plain: bool,
    with_hidden: bool,
    schemas: str | None,
) -> None:
    """Write the collection to FOLDER, to be restored on any server.

    A dump holds all judgments, those of hidden editions too; plain SQL leaves these out. It holds rows and no code: restore runs
    nothing of it, except schemas that both commands name by --with-schemas.
    """
    if with_hidden and not plain:
        raise BadArgument("--with-hidden is for --plain", hint="A dump that is no plain SQL holds hidden editions in any case.")
    if schemas and (plain or drawn is not None):
        raise BadArgument("--with-schemas is for a whole dump", hint="Leave --plain and --sample out, or --with-schemas.")
    part = None if drawn is None else size(drawn)
    with stoppable(), ProgressBar("dumped", unit="tables") as progress:
        if plain:
            done = dump_plain(settings, folder, with_hidden=with_hidden, drawn=part, seed=seed, jobs=jobs, tell=tell)
        elif part is not None:
            done = dump_sample(settings, folder, drawn=part, seed=seed, jobs=jobs, tell=tell, progress=progress)
        else:
            done = dump(settings, folder, jobs=jobs, with_schemas=names(schemas), tell=tell, progress=progress)
    click.echo(
        f"dumped {settings.db!r} to {folder}: {done.manifest.rows:,} rows of {len(done.manifest.tables)} tables,"
        f" {done.manifest.bytes / 1e6:,.1f} MB in {len(done.manifest.files)} files"
    )
    hidden = [name for name, one in done.manifest.editions.items() if one["hidden"]]
    if hidden:
        tell(f"the dump holds the judgments of {', '.join(hidden)}: hidden from participants, so hand it to organisers alone")
    click.echo(f"digest {done.digest}")
