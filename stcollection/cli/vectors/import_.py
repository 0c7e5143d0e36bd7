"""The command ``stc load --as vectors``."""

from __future__ import annotations

import click

from stcollection.cli.declared import Call, command
from stcollection.cli.output import ProgressBar
from stcollection.db.connection import connect
from stcollection.vectors.imported import import_vectors
from stcollection.vectors.incoming import ImportedVectors


@command(import_vectors)
def import_command(call: Call[ImportedVectors]) -> None:
    """Import vectors from other programs. A file is imported completely or not at all.

    VECTORS is an .npy of float[n, dim] with IDS.npy, integer[n] of ids or strings[n] of docnos; or a .parquet with a column id or
    docno and a column of lists of floats. Sparse vectors are a .jsonl of Pyserini, {"id": ..., "vector": {term: weight}}, or an
    .npz of SciPy with IDS.npy. With --field query, the ids are query ids, in Parquet in a column query, query_id, qid or id.
    Searches and runs use these vectors for the texts of the queries instead of embedding them.
    """
    if call.group("vectors").suffix == ".parquet" and (call.group("ids") or call.group("docnos")):
        raise click.UsageError("a Parquet file has its ids, or docnos, in a column")
    with connect(call.settings) as conn, ProgressBar("import", unit="vectors") as bar:
        imported = call(conn, progress=bar)
    field, skipped = call.group("field"), ""
    if imported.unknown or imported.empty:
        unknown = "queries" if field == "query" else "documents"
        skipped = f"; skipped: {imported.unknown:,} of unknown {unknown}, {imported.empty:,} of zeros"
    click.echo(f"stored {imported.stored:,} {field} vectors of {imported.model}{skipped}")
