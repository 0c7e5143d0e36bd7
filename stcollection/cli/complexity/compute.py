"""The command ``stc complexity compute``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.actors import actors_options
from stcollection.cli.output import ProgressBar
from stcollection.complexity.compute import compute
from stcollection.counts import counted
from stcollection.db.connection import connect, conninfo
from stcollection.db.pool import RayActors
from stcollection.db.settings import Settings


@click.command("compute")
@click.option(
    "--nltk-data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of NLTK data with CMUdict and punkt_tab.  [default: the data included in stcollection]",
)
@click.option("--recompute", is_flag=True, help="Recompute measures that other versions of the libraries or data produced.")
@click.option("--workers", type=click.IntRange(min=1), help="Number of worker processes.  [default: one per core, at most 8]")
@click.option("--rows", type=click.IntRange(min=1), default=1000, show_default=True, help="Abstracts per transaction.")
@actors_options
@click.pass_obj
def command(
    settings: Settings,
    nltk_data: Path | None = None,
    recompute: bool = False,
    workers: int | None = None,
    rows: int = 1000,
    actors: RayActors | None = None,
) -> None:
    """Compute the readability of abstracts that are new or changed, with NLTK and CMUdict, readability and textstat."""
    connect(settings).close()  # raises an error if it is not a collection of this version
    with ProgressBar("measuring", unit="abstracts", scale=True) as progress:
        done = compute(
            conninfo(settings),
            nltk_data=nltk_data,
            recompute=recompute,
            workers=workers,
            rows=rows,
            actors=actors,
            progress=progress,
        )
    rate = f", {done.documents / done.seconds:,.0f} a second" if done.documents else ""
    click.echo(f"measured {counted(done.documents, 'abstract')} in {done.seconds:.1f} s{rate}")
    if done.bare:
        click.echo(f"{counted(done.bare, 'document has', 'documents have')} no abstract, and so no measures")
    if done.changed:
        click.echo(f"{counted(done.changed, 'abstract')} changed during the run; run the command again for them")
    versions = done.resources.versions
    told = [f"{name} {version}" for name, version in versions.items() if name in ("nltk", "readability", "textstat")]
    told.append(done.resources.dictionary)
    told += [f"{name} {digest[:8]}" for name, digest in done.resources.files.items() if name.startswith("punkt")]
    click.echo(f"with {', '.join(told)}; fingerprint {done.resources.fingerprint[:16]}")
