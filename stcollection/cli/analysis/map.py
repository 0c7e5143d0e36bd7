"""The command ``stc analysis map``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click
import numpy as np

from stcollection.analysis.map.export import export_map
from stcollection.analysis.map.records import DocumentMap
from stcollection.analysis.map.store import STEPS, document_map, map_folder
from stcollection.cli.declared import Call, Style
from stcollection.cli.declared import command as declared_command
from stcollection.cli.options.files import OutputPath
from stcollection.cli.output import ProgressBar, render
from stcollection.counts import counted
from stcollection.db.connection import connect

_OUT = click.option("--out", type=OutputPath(), metavar="FILE", help="Write docno, x, y, cluster as CSV to FILE.")


@declared_command(document_map, omit=("folder",))
def command(call: Call[DocumentMap], *, out: Annotated[Path | None, _OUT], style: Style = "table") -> None:
    """Place the documents on a map by their vectors, group them, and print the groups.

    Nearby documents have similar vectors: of the abstract, or of the title without one. The vectors are reduced to 50 dimensions by
    PCA and to two by t-SNE; k-means groups the documents, and each group is named by its most characteristic words. The map is
    stored in the home folder until the vectors change. The page shows the map that this command makes without options.
    """
    with connect(call.settings, autocommit=True) as conn, ProgressBar("map", unit="steps") as bar:
        found = call(conn, folder=map_folder(call.settings), tell=lambda step: bar(STEPS.index(step), len(STEPS), step))
        if out is not None:
            export_map(conn, found, out=out)
    sizes = np.bincount(found.clusters, minlength=len(found.names)).tolist()
    rows = [(at, name, size, size / len(found.docs)) for at, (name, size) in enumerate(zip(found.names, sizes, strict=True), 1)]
    click.echo(render(rows, ["cluster", "words", "documents", "share"], style=style))
    if found.total > len(found.docs):
        click.echo(f"a sample of {len(found.docs):,} of {counted(found.total, 'document')}", err=True)
