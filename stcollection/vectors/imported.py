"""Import vectors from a file of any format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import psycopg

from stcollection.declared import Option
from stcollection.vectors.incoming import DEFAULT, ForeignModel, ImportedVectors
from stcollection.vectors.npy import load_npy
from stcollection.vectors.parquet import load_parquet
from stcollection.vectors.sparse_files import load_sparse


def import_vectors(
    conn: psycopg.Connection,
    vectors: Annotated[Path, Option("VECTORS")],
    ids: Annotated[Path | None, Option("IDS.npy")] = None,
    *,
    field: Literal["title", "abstract", "content", "query"],
    made_by: ForeignModel = DEFAULT,
    docnos: Path | None = None,
    column: Annotated[str | None, Option(metavar="NAME", default="vector, or the only list of floats")] = None,
    skip: bool = False,
    progress: Callable[[int, int | None], None] | None = None,
) -> ImportedVectors:
    """Store the vectors of a file for a field, all or none: ``.parquet`` with ids, or ``.npy`` with a second file of ids.

    Sparse vectors are JSON lines of Pyserini with ids (``.jsonl``), or a SciPy matrix (``.npz``) with a second file of ids.

    :param vectors: File of vectors. :param ids: File of ids.
    :param field: Field of the vectors; query: vectors of the topics' queries, by query id.
    :param docnos: Text file with one docno or query id per line, instead of IDS.npy.
    :param column: For a Parquet file: column of the vectors.
    :param skip: Skip zero vectors and vectors of unknown documents or queries instead of rejecting the file.
    :raises StcError: as for :func:`load_npy` and :func:`load_parquet`.
    """
    if {".npz", ".json", ".jsonl"} & {*vectors.suffixes}:
        return load_sparse(
            conn, vectors=vectors, ids=ids, docnos=docnos, field=field, made_by=made_by, skip=skip, progress=progress
        )
    if vectors.suffix == ".parquet":
        return load_parquet(conn, path=vectors, column=column, field=field, made_by=made_by, skip=skip, progress=progress)
    return load_npy(conn, vectors=vectors, ids=ids, docnos=docnos, field=field, made_by=made_by, skip=skip, progress=progress)
