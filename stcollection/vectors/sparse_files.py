"""Import sparse vectors that were made elsewhere: JSON lines of Pyserini and Anserini, or a SciPy matrix of compressed rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import psycopg
from psycopg import sql

from stcollection.counts import counted
from stcollection.errors import BadArgument, BadInput, translate
from stcollection.io.files import bad_line
from stcollection.io.jsonrows import json_rows
from stcollection.vectors.incoming import (
    DEFAULT,
    HINT_SKIP,
    ROWS,
    ForeignModel,
    ImportedVectors,
    check_once,
    find_documents,
    find_queries,
    model_name,
    store_query_vectors,
)
from stcollection.vectors.npy import read_ids
from stcollection.vectors.sparse import MOST_TERMS, STORAGE, SparseRows
from stcollection.vectors.store import QUERY, registered, require_idle, store, store_words

_ROOM = 2**20  # terms of a model whose vocabulary grows with the files imported
_HINT = "Nothing was stored."


@dataclass(frozen=True, kw_only=True)
class SparseFile:
    """Sparse vectors of a file.

    :param names: the document or query of each row. :param words: the word of each term; None if the file has numbers.
    """

    label: str
    names: list[str] | np.ndarray
    rows: SparseRows
    words: list[str] | None


def load_sparse(
    conn: psycopg.Connection,
    *,
    vectors: Path,
    ids: Path | None,
    docnos: Path | None,
    field: str,
    made_by: ForeignModel = DEFAULT,
    skip: bool = False,
    progress: Callable[[int, int | None], None] | None = None,
) -> ImportedVectors:
    """Store the sparse vectors of a file for a field, all or none; see :func:`take_sparse`.

    :param vectors: JSON lines of ``{"id": …, "vector": {word: weight}}``; or an ``.npz`` of ``scipy.sparse.save_npz``, with ids.
    :raises BadInput: the file is not such a file, or a weight is not a number.
    """
    if vectors.suffix == ".npz":
        source = _matrix(vectors, ids, docnos)
    elif ids is not None or docnos is not None:
        raise BadArgument(f"{vectors} has its ids in the field id", hint="Give the file alone.")
    else:
        source = _pyserini(vectors)
    return take_sparse(conn, source, field=field, made_by=made_by, skip=skip, progress=progress)


def _pyserini(path: Path) -> SparseFile:
    names: list[str] = []
    numbers: dict[str, int] = {}
    terms: list[int] = []
    weights: list[float] = []
    starts = [0]
    for line, row in json_rows(path):
        vector = row.get("vector")
        if not isinstance(vector, dict) or not isinstance(row.get("id"), str | int):
            layout = 'Each line has the fields id and vector: {"id": "d1", "vector": {"river": 1.5}}.'
            raise bad_line(path, line, "no id, or no vector of words and weights", hint=f"{_HINT} {layout}")
        for weight in vector.values():
            if isinstance(weight, bool) or not isinstance(weight, int | float):
                raise bad_line(path, line, f"the weight {weight!r} is not a number", hint=_HINT)
        names.append(str(row["id"]))
        some = sorted((numbers.setdefault(word, len(numbers)), float(weight)) for word, weight in vector.items())
        terms += [term for term, _ in some]
        weights += [weight for _, weight in some]
        starts.append(len(terms))
    with np.errstate(over="ignore"):  # an infinite weight is refused with its row
        values = np.array(weights).astype(np.float32)
    rows = SparseRows(
        dim=len(numbers), starts=np.array(starts, dtype=np.int64), terms=np.array(terms, dtype=np.int32), weights=values
    )
    return SparseFile(label=str(path), names=names, rows=rows, words=list(numbers))


def _matrix(path: Path, ids: Path | None, docnos: Path | None) -> SparseFile:
    from scipy import sparse  # imported late: loading takes a while

    try:
        matrix = sparse.csr_matrix(sparse.load_npz(path))
        matrix.check_format(full_check=True)
        matrix.sum_duplicates()
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise BadInput(f"{path} is not a sparse matrix: {reason}", hint="Write it with scipy.sparse.save_npz.") from error
    names = read_ids(path, ids, docnos)
    if matrix.shape[0] != len(names):
        raise BadInput(
            f"{path} has {counted(matrix.shape[0], 'row')}, {ids or docnos} has {len(names):,}",
            hint="Give files with the same number of rows: row i of one belongs to row i of the other.",
        )
    rows = SparseRows(
        dim=matrix.shape[1],
        starts=matrix.indptr.astype(np.int64),
        terms=matrix.indices.astype(np.int32),
        weights=matrix.data.astype(np.float32),
    )
    return SparseFile(label=str(path), names=names, rows=rows, words=None)


@translate()
def take_sparse(
    conn: psycopg.Connection,
    source: SparseFile,
    *,
    field: str,
    made_by: ForeignModel = DEFAULT,
    skip: bool = False,
    progress: Callable[[int, int | None], None] | None = None,
) -> ImportedVectors:
    """Store sparse vectors for a field in one transaction, with unchanged weights; they replace stored ones.

    A model that was only imported learns its vocabulary from the files of documents. Vectors of queries must share it.

    :param skip: skip and count vectors of unknown documents or queries and vectors without terms, instead of refusing the file.
    :raises BadInput: a document or query occurs twice; a vector has no term, too many, a negative weight or one that is not finite;
        or words are not in the vocabulary of the model.
    :raises UnknownObject, StateError: as :func:`stcollection.vectors.incoming.take`.
    """
    require_idle(conn)
    began = time.monotonic()
    what = "query" if field == QUERY else "document"
    check_once(source.label, source.names, what)
    rows, some = _checked(source, what, skip=skip)
    with conn.transaction():
        short, name, known = model_name(conn, field, made_by, sparse=True)
        dim = rows.dim if source.words is None else known.dim if known is not None else _ROOM
        conn.execute(
            "SELECT stc.add_vector_model(%s, %s, %s, query_prefix => %s, passage_prefix => %s, made_by => 'import', storage => %s)",
            [short, name, dim, made_by.query_prefix, made_by.passage_prefix, STORAGE],
        )
        space = registered(conn, short)
        if source.words is not None:
            terms, kept = _numbers(conn, source, short, grows=field != QUERY and space.dim == _ROOM)
            rows = _renumbered(rows, terms, kept, space.dim)
        if field == QUERY:
            exist, texts = find_queries(conn, source.label, source.names, skip=skip)
            use = np.flatnonzero(some & exist)
            pairs = rows[use].pairs()
            store_query_vectors(conn, source.label, short, [source.names[row] for row in use], texts, pairs)
            stored = len(use)
        else:
            ids, exist = find_documents(conn, source.label, source.names, skip=skip)
            use = np.flatnonzero(some & exist)
            stored = 0
            for start in range(0, len(use), ROWS):
                block = use[start : start + ROWS]
                stored += store(conn, [(field, ids[block], rows[block])], model=short, replace=True).stored
                if progress:
                    progress(start + len(block), len(source.names))
            conn.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(space.relation)))
    return ImportedVectors(
        model=short,
        stored=stored,
        unknown=int((~exist).sum()),
        empty=int((exist & ~some).sum()),
        seconds=time.monotonic() - began,
    )


def _checked(source: SparseFile, what: str, *, skip: bool) -> tuple[SparseRows, np.ndarray]:
    """Return the rows without zeros, and which have a term."""
    rows = source.rows
    owner = np.repeat(np.arange(len(rows)), rows.sizes)
    for wrong, fault in ((~np.isfinite(rows.weights), "that is not finite"), (rows.weights < 0, "below 0")):
        if wrong.any():
            row = int(owner[np.argmax(wrong)])
            raise BadInput(
                f"{source.label}: row {row:,} ({what} {source.names[row]}) has a weight {fault}: {rows.weights[np.argmax(wrong)]}",
                hint=f"{_HINT} Weights are positive numbers.",
            )
    positive = rows.weights > 0
    sizes = np.bincount(owner[positive], minlength=len(rows))
    most = MOST_TERMS // 2 if what == QUERY else MOST_TERMS
    if len(rows) and sizes.max() > most:
        row = int(np.argmax(sizes))
        raise BadInput(
            f"{source.label}: row {row:,} ({what} {source.names[row]}) has {counted(int(sizes[row]), 'term')};"
            f" at most {most:,} fit",
            hint=f"{_HINT} Keep the terms with the highest weights.",
        )
    some = sizes > 0
    if not some.all() and not skip:
        row = int(np.argmin(some))
        raise BadInput(f"{source.label}: row {row:,} ({what} {source.names[row]}) has no term", hint=f"{_HINT} {HINT_SKIP}")
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return SparseRows(dim=rows.dim, starts=starts, terms=rows.terms[positive], weights=rows.weights[positive]), some


def _numbers(conn: psycopg.Connection, source: SparseFile, model: str, *, grows: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of each word of the file in the vocabulary of the model, and which words it has.

    :param grows: add the words that it lacks.
    :raises BadInput: it lacks words of documents, or most words of queries. Other words of queries occur in no document.
    """
    words: Sequence[str] = source.words or []
    known: dict[str, int] = dict(conn.execute("SELECT word, term FROM stc.vector_terms WHERE model = %s", [model]).fetchall())
    new = [word for word in words if word not in known]
    if grows and new:
        if len(known) + len(new) > _ROOM:
            raise BadInput(
                f"{source.label}: the vocabulary of {model} would have {counted(len(known) + len(new), 'word')}",
                hint=f"{_HINT} A vocabulary has at most {_ROOM:,} words; these are probably not the terms of a model.",
            )
        store_words(conn, model, new, first=len(known))
        known |= {word: len(known) + place for place, word in enumerate(new)}
    elif new and (not known or 2 * len(new) > len(words)):
        raise BadInput(
            f"{source.label}: {len(new):,} of {counted(len(words), 'word')} are not in the vocabulary of {model},"
            f" such as {new[0]!r}",
            hint=f"{_HINT} Encode queries and documents with the same model, or import documents into a model of another name.",
        )
    return np.array([known.get(word, -1) for word in words], dtype=np.int32), np.array(
        [word in known for word in words], dtype=bool
    )


def _renumbered(rows: SparseRows, terms: np.ndarray, kept: np.ndarray, dim: int) -> SparseRows:
    """Return rows with other numbers of terms, in ascending order, without the terms that are not kept."""
    owner = np.repeat(np.arange(len(rows)), rows.sizes)
    use = kept[rows.terms] if len(rows.terms) else np.zeros(0, dtype=bool)
    owner, number, weights = owner[use], terms[rows.terms[use]], rows.weights[use]
    order = np.lexsort((number, owner))
    starts = np.searchsorted(owner, np.arange(len(rows) + 1)).astype(np.int64)
    return SparseRows(dim=dim, starts=starts, terms=number[order], weights=weights[order])
