"""The command ``stc db warm``."""

from __future__ import annotations

import click

from stcollection.cli.output import ProgressBar, render
from stcollection.cli.quiet import aside
from stcollection.db.costs import size_text
from stcollection.db.settings import Settings
from stcollection.db.warm import PARTS, warm


@click.command("warm")
@click.option("--part", "parts", type=click.Choice(PARTS), multiple=True, help="Only this part; repeatable.  [default: all]")
@click.pass_obj
def command(settings: Settings, parts: tuple[str, ...]) -> None:
    """Read indexes, vectors and texts into memory, so that the first searches do not wait for the disk.

    Useful after a restart of the machine, before many people search a large collection, and with '--part texts' before a run by
    boolean. The most useful parts come first; parts that do not fit into memory are left out. Nothing is changed. Of a server other
    than the embedded one only tables are read. There the extension pg_prewarm also reads indexes:
    SELECT pg_prewarm(relation, 'read') FROM stc.search_files().
    """
    with ProgressBar("read", unit="B", scale=True) as bar:
        done = warm(settings, parts=parts or PARTS, progress=bar)
    rows = [(one.part, size_text(one.bytes), size_text(one.read), f"{one.seconds:.1f}") for one in done]
    click.echo(render(rows, ["part", "size", "read", "seconds"], style="table"))
    if any(one.read < one.bytes for one in done):
        aside(
            "the rest does not fit into memory"
            if settings.embedded
            else "to read indexes too: CREATE EXTENSION pg_prewarm; SELECT pg_prewarm(relation, 'read') FROM stc.search_files()"
        )
