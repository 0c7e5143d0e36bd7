"""The command ``stc vectors import``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options import packed
from stcollection.cli.options.embeddings import PREFIXES
from stcollection.cli.output import ProgressBar
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.incoming import ForeignModel
from stcollection.vectors.npy import load_npy
from stcollection.vectors.parquet import load_parquet
from stcollection.vectors.store import DOCUMENT_FIELDS, QUERY


@click.command("import")
@click.argument("vectors_file", metavar="VECTORS", type=click.Path(path_type=Path))
@click.argument("ids_file", metavar="[IDS.npy]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--field",
    type=click.Choice((*DOCUMENT_FIELDS, QUERY)),
    required=True,
    help="Field of the vectors; query: vectors of the topics' queries, by query id.",
)
@click.option("--model", metavar="SHORT", help="Name of the model in the collection.  [default: minilm]")
@click.option("--name", metavar="NAME", help="For a new model: its sentence-transformers name or folder, used to embed queries.")
@PREFIXES[0]
@PREFIXES[1]
@click.option(
    "--docnos", type=click.Path(path_type=Path), help="Text file with one docno or query id per line, instead of IDS.npy."
)
@click.option(
    "--column", metavar="NAME", help="For a Parquet file: column of the vectors.  [default: vector, or the only list of floats]"
)
@click.option(
    "--skip", is_flag=True, help="Skip zero vectors and vectors of unknown documents or queries instead of rejecting the file."
)
@packed(ForeignModel, "made_by")
@click.pass_obj
def command(
    settings: Settings,
    vectors_file: Path,
    ids_file: Path | None,
    field: str,
    made_by: ForeignModel,
    docnos: Path | None,
    column: str | None,
    skip: bool,
) -> None:
    """Import vectors from other programs. A file is imported completely or not at all.

    VECTORS is an .npy of float[n, dim] with IDS.npy, integer[n] of ids or strings[n] of docnos; or a .parquet with a column id or
    docno and a column of lists of floats. With --field query, the ids are query ids, in Parquet in a column query, query_id, qid or
    id. Searches and runs use these vectors for the texts of the queries instead of embedding them.
    """
    with connect(settings) as conn, ProgressBar("import", unit="vectors") as bar:
        if vectors_file.suffix == ".parquet":
            if ids_file or docnos:
                raise click.UsageError("a Parquet file has its ids, or docnos, in a column")
            done = load_parquet(conn, path=vectors_file, column=column, field=field, made_by=made_by, skip=skip, progress=bar)
        else:
            done = load_npy(
                conn, vectors=vectors_file, ids=ids_file, docnos=docnos, field=field, made_by=made_by, skip=skip, progress=bar
            )
    unknown = "queries" if field == QUERY else "documents"
    left_out = f"; skipped: {done.unknown:,} of unknown {unknown}, {done.empty:,} of zeros" if done.unknown or done.empty else ""
    click.echo(f"stored {done.stored:,} {field} vectors of {done.model}{left_out}")
