"""The command ``stc analysis map``."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from stcollection.analysis.map.export import export_map
from stcollection.analysis.map.records import MapOptions
from stcollection.analysis.map.store import STEPS, document_map, map_folder
from stcollection.cli.options import packed
from stcollection.cli.options.files import OutputPath
from stcollection.cli.output import ProgressBar, format_option, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("map")
@click.option("--documents", type=int, default=5000, show_default=True, help="Number of documents; more are sampled.")
@click.option("--clusters", type=int, default=8, show_default=True, help="Number of clusters, at most 8.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the sample, of t-SNE and of k-means.")
@click.option("--model", metavar="NAME", help="Embedding model.  [default: the collection's]")
@packed(MapOptions, "options")
@click.option("--out", type=OutputPath(), metavar="FILE", help="Write docno, x, y, cluster as CSV to FILE.")
@click.option("--recompute", "again", is_flag=True, help="Recompute a stored map.")
@format_option
@click.pass_obj
def command(settings: Settings, options: MapOptions, out: Path | None, again: bool, style: str) -> None:
    """Place the documents on a map by their vectors, group them, and print the groups.

    Nearby documents have similar vectors: of the abstract, or of the title without one. The vectors are reduced to 50 dimensions by
    PCA and to two by t-SNE; k-means groups the documents, and each group is named by its most characteristic words. The map is
    stored in the home folder until the vectors change. The page shows the map that this command makes without options.
    """
    wanted = options.checked()
    with connect(settings, autocommit=True) as conn, ProgressBar("map", unit="steps") as told:
        found = document_map(
            conn,
            options=wanted,
            folder=map_folder(settings),
            again=again,
            tell=lambda step: told(STEPS.index(step), len(STEPS), step),
        )
        if out is not None:
            export_map(conn, found, out=out)
    sizes = np.bincount(found.clusters, minlength=len(found.names)).tolist()
    rows = [(at, name, size, size / len(found.docs)) for at, (name, size) in enumerate(zip(found.names, sizes, strict=True), 1)]
    click.echo(render(rows, ["cluster", "words", "documents", "share"], style=style))
    if found.total > len(found.docs):
        click.echo(f"a sample of {len(found.docs):,} of {counted(found.total, 'document')}", err=True)
