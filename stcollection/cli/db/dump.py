"""The command ``stc db dump``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.db._backup import jobs_option, names, print_note, stoppable
from stcollection.cli.options.files import OutputPath
from stcollection.cli.options.licences import licence_option
from stcollection.cli.output import ProgressBar
from stcollection.counts import counted
from stcollection.db.backup.dump import dump
from stcollection.db.backup.plain import dump_plain
from stcollection.db.backup.sample import Excerpt, dump_sample, size
from stcollection.db.backup.single import SUFFIX, packed
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument


@click.command("dump")
@click.argument("target", type=OutputPath(folder=True))
@jobs_option
@click.option(
    "--sample", "drawn", metavar="1%|N", help="Dump all judged documents and a sample of the others: a percentage or a number."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the sample. Equal seeds select equal documents.")
@licence_option("Dump the text only of documents with these licences")
@click.option("--plain", is_flag=True, help="Write the published tables as SQL, for psql and servers without stcollection.")
@click.option("--with-hidden", is_flag=True, help="With --plain: include hidden editions and all runs.")
@click.option("--with-schemas", "schemas", metavar="LIST", help="Also dump these schemas of other owners. Comma-separated.")
@click.pass_obj
def command(
    settings: Settings,
    /,
    *,
    target: Path,
    jobs: int | None,
    drawn: str | None,
    seed: int,
    licences: tuple[str, ...],
    plain: bool,
    with_hidden: bool,
    schemas: str | None,
) -> None:
    """Dump the collection to the folder TARGET, or to one file if its name ends with .tar, for 'stc db restore' on any server.

    A dump includes the judgments of hidden editions; --plain leaves them out, and runs of teams that are not shared. It contains
    rows and no code, except for schemas in --with-schemas, which 'stc db restore' restores only if it also names them.

    With --licence, judged and ranked documents of other licences are stubs with only their name; other documents are left out.
    """
    if with_hidden and not plain:
        raise BadArgument("--with-hidden needs --plain", hint="A dump without --plain always includes hidden editions.")
    part = Excerpt(None if drawn is None else size(drawn), seed, licences) if drawn is not None or licences else None
    if schemas and (plain or part is not None):
        raise BadArgument("--with-schemas needs a full dump", hint="Remove --plain, --sample and --licence, or --with-schemas.")
    if plain and target.suffix == SUFFIX:
        raise BadArgument(f"--plain writes a folder, not {target.name}", hint="Name a folder, or omit --plain.")
    with stoppable(), ProgressBar("dumped", unit="tables") as progress, packed(target) as folder:
        if plain:
            done = dump_plain(settings, folder, with_hidden=with_hidden, part=part, jobs=jobs, tell=print_note)
        elif part is not None:
            done = dump_sample(settings, folder, part=part, jobs=jobs, tell=print_note, progress=progress)
        else:
            done = dump(settings, folder, jobs=jobs, with_schemas=names(schemas), tell=print_note, progress=progress)
    click.echo(
        f"dumped {settings.db!r} to {target}: {counted(done.manifest.rows, 'row')} of"
        f" {counted(len(done.manifest.tables), 'table')},"
        f" {done.manifest.bytes / 1e6:,.1f} MB in {counted(len(done.manifest.files), 'file')}"
    )
    hidden = [name for name, one in done.manifest.editions.items() if one["hidden"]]
    if hidden:
        print_note(
            f"the dump contains the judgments of {', '.join(hidden)}, which are hidden from participants: share it with "
            "organisers only"
        )
    click.echo(f"digest {done.digest}")
