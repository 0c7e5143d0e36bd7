"""Import vectors that were made elsewhere, a whole file or nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg import sql

from stcollection.declared import Option
from stcollection.errors import BadArgument, BadInput, UnknownObject, translate
from stcollection.vectors.model import DEFAULT_NAME, DEFAULT_SHORT, PassagePrefix, QueryPrefix, Vectors, full_name
from stcollection.vectors.queries import replace_vectors
from stcollection.vectors.store import DOCUMENT_FIELDS, QUERY, add, registered, require_idle, store

ROWS = 20_000  # rows in memory at once: 30 MB with 384 dimensions
# Deviation from length 1 that rounding can cause (half precision: a thousandth): such rows are stored bit by bit.
_ROUNDING = {"vector": 1e-6, "halfvec": 1e-3}
_HINT_SKIP = "Use --skip to omit rows that cannot be stored."

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class VectorFile:
    """A file of vectors.

    :param label: its path, for messages. :param names: the document of each row, as dblp.id or docno; or its query id.
    :param parts: the vectors in the order of the names, as blocks float[some, dim].
    """

    label: str
    names: Ids | list[str]
    dim: int
    parts: Callable[[], Iterator[npt.NDArray[np.floating]]]


@dataclass(frozen=True, kw_only=True)
class ForeignModel:
    """The model that made the vectors of a file.

    A new model is registered with the dimension of the vectors. Name and prefixes are by default those that are stored, else the
    short name and no prefixes.

    :param model: Name of the model in the collection.
    :param name: For a new model: its sentence-transformers name or folder, used to embed queries.
    """

    model: Annotated[str | None, Option(metavar="SHORT", default="minilm")] = None
    name: Annotated[str | None, Option(metavar="NAME")] = None
    query_prefix: QueryPrefix = None
    passage_prefix: PassagePrefix = None


DEFAULT = ForeignModel()


@dataclass(frozen=True, kw_only=True)
class ImportedVectors:
    """Counts of an import.

    :param unknown: skipped rows of documents that are not in the corpus, or of queries that are not stored.
    :param empty: skipped rows of zeros.
    """

    model: str
    stored: int
    unknown: int
    empty: int
    seconds: float


@translate()
def take(
    conn: psycopg.Connection,
    source: VectorFile,
    *,
    field: str,
    made_by: ForeignModel = DEFAULT,
    skip: bool = False,
    progress: Callable[[int, int | None], None] | None = None,
) -> ImportedVectors:
    """Store the vectors of a file for a field in one transaction, normalised to length 1; they replace stored ones.

    :param field: title, abstract or content of documents; or query, for vectors of queries by query id.
    :param skip: skip and count rows of unknown documents or queries and rows of zeros, instead of refusing the file.
    :raises BadInput: a document or query occurs twice, a vector is zero or not finite, or two vectors belong to one query text.
    :raises UnknownObject: a document is not in the corpus, a query is not stored or has no text, or the field or, for queries, the
        model does not exist.
    :raises StateError: the model has another dimension, name or prefix.
    """
    require_idle(conn)
    began = time.monotonic()
    if field not in (*DOCUMENT_FIELDS, QUERY):
        raise UnknownObject(
            f"there are no vectors of a field {field}",
            hint=f"The fields are {', '.join((*DOCUMENT_FIELDS, QUERY))}.",
            sqlstate="IR106",
        )
    what = "query" if field == QUERY else "document"
    _once(source, what)
    stored = empty = start = 0
    with conn.transaction():
        short = made_by.model or registered(conn).model
        known = conn.execute("SELECT name FROM stc.vector_models WHERE model = %s", [short]).fetchone()
        if field == QUERY and known is None and short != DEFAULT_SHORT:
            raise UnknownObject(
                f"there are no vectors of a model {short}",
                hint="Import the vectors of its documents first: --field abstract. 'stc show models' lists the models.",
                sqlstate="IR105",
            )
        name = (
            full_name(made_by.name) if made_by.name else (known[0] if known else DEFAULT_NAME if short == DEFAULT_SHORT else short)
        )
        conn.execute(
            "SELECT stc.add_vector_model(%s, %s, %s, query_prefix => %s, passage_prefix => %s, made_by => 'import')",
            [short, name, source.dim, made_by.query_prefix, made_by.passage_prefix],
        )
        space = registered(conn, short)
        if field == QUERY:
            stored, exist, empty = _store_queries(conn, source, short, skip=skip)
            return ImportedVectors(
                model=short, stored=stored, unknown=int((~exist).sum()), empty=empty, seconds=time.monotonic() - began
            )
        ids, exist = _documents(conn, source, skip=skip)
        new = space.storage == "vector" and _new(conn, space.relation, ids[exist])
        for part in source.parts():
            rows = slice(start, start + len(part))
            unit, some = _unit(source, part, start, what, rounding=_ROUNDING[space.storage], skip=skip)
            use = some & exist[rows]
            if new and add(conn, field, ids[rows][use], unit[use], relation=space.relation):
                stored += int(use.sum())
            else:
                new = False
                stored += store(conn, [(field, ids[rows][use], unit[use])], model=short, replace=True).stored
            empty += int((exist[rows] & ~some).sum())
            start += len(part)
            if progress:
                progress(start, len(source.names))
        conn.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(space.relation)))
    if not new:
        _reuse(conn, space.relation)
    return ImportedVectors(model=short, stored=stored, unknown=int((~exist).sum()), empty=empty, seconds=time.monotonic() - began)


def _new(conn: psycopg.Connection, relation: str, ids: Ids) -> bool:
    """Return True if no document has vectors, so that rows need not be staged and compared with stored ones."""
    statement = sql.SQL("SELECT stc.documents_here() AND NOT EXISTS (SELECT 1 FROM {} WHERE id = ANY (%s::bigint[]))")
    return conn.execute(statement.format(sql.Identifier(relation)), [_array(ids)]).fetchone() == (True,)


def _array(ids: Ids) -> str:
    """Return ids as PostgreSQL's text of an array, which takes a tenth of the time that psycopg needs for a list."""
    return f"{{{','.join(map(str, ids.tolist()))}}}"


def _reuse(conn: psycopg.Connection, relation: str) -> None:
    """Let later files use the space of the row versions that this one replaced, without a pass over the indexes.

    A second field replaces the rows of the first one. Autovacuum comes when a fifth of the rows was replaced, too late for a table
    that is filled file by file: with 45 files it was a third larger.
    """
    alone = conn.autocommit
    conn.autocommit = True  # VACUUM cannot run in a transaction
    try:
        conn.execute(sql.SQL("VACUUM (SKIP_LOCKED, INDEX_CLEANUP OFF, TRUNCATE OFF) {}").format(sql.Identifier(relation)))
    finally:
        conn.autocommit = alone


def _once(source: VectorFile, what: str) -> None:
    if len(source.names) == 0:
        raise BadArgument(f"{source.label} contains no id", hint="Check the file: there is nothing to import.")
    distinct, counts = np.unique(np.asarray(source.names), return_counts=True)
    if len(distinct) < len(source.names):
        raise BadInput(
            f"{source.label}: {what} {distinct[counts > 1][0]} occurs twice",
            hint=f"Keep one row per {what}.",
            sqlstate="IR302",
        )


def _documents(conn: psycopg.Connection, source: VectorFile, *, skip: bool) -> tuple[Ids, npt.NDArray[np.bool_]]:
    """Return the document id of each row, and whether the corpus has the document with text (not as a stub)."""
    column = sql.Identifier("docno" if isinstance(source.names, list) else "id")
    # Not a left join with dblp, for which Citus would copy all its rows to the coordinator.
    kind = sql.SQL("text" if isinstance(source.names, list) else "bigint")
    statement = sql.SQL("SELECT d.{0}, d.id FROM dblp d WHERE d.{0} = ANY (%s::{1}[]) AND NOT d.stub").format(column, kind)
    docs: list[int | None] = []
    for start in range(0, len(source.names), ROWS):
        block = source.names[start : start + ROWS]
        keys = block if isinstance(block, list) else _array(block)
        stored: dict[int | str, int] = dict(conn.execute(statement, [keys]).fetchall())
        docs += map(stored.get, block if isinstance(block, list) else block.tolist())
    exist = np.array([doc is not None for doc in docs])
    if not exist.all() and not skip:
        first = int(np.argmin(exist))
        raise UnknownObject(
            f"{source.label}: document {source.names[first]} of row {first:,} is not in the corpus;"
            f" {int((~exist).sum()):,} of {len(exist):,} are missing",
            hint=f"Nothing was stored. Check that the ids are from this collection (dblp.id, or docno). {_HINT_SKIP}",
            sqlstate="IR104",
        )
    return np.array([doc or 0 for doc in docs], dtype=np.int64), exist


def _store_queries(
    conn: psycopg.Connection, source: VectorFile, model: str, *, skip: bool
) -> tuple[int, npt.NDArray[np.bool_], int]:
    """Store the vectors of queries by their texts, as embedded queries are.

    :returns: the number of stored query ids; for each row whether its query is stored with a text; the number of rows of zeros.
    """
    names = [str(name) for name in source.names]
    texts: dict[str, str] = dict(
        conn.execute("SELECT query, text FROM st1_queries WHERE query = ANY (%s) AND text IS NOT NULL", [names]).fetchall()
    )
    exist = np.array([name in texts for name in names])
    if not exist.all() and not skip:
        raise UnknownObject(
            f"{source.label}: query {names[int(np.argmin(exist))]} of row {int(np.argmin(exist)):,} is not stored, or has no text;"
            f" {int((~exist).sum()):,} of {len(exist):,} are missing",
            hint=f"Nothing was stored. Load the topics first (stc load --as topics FILE), and check the query ids. {_HINT_SKIP}",
            sqlstate="IR103",
        )
    by_text: dict[str, tuple[str, Vectors]] = {}
    stored = empty = start = 0
    for part in source.parts():
        unit, some = _unit(source, part, start, "query", rounding=_ROUNDING["vector"], skip=skip)
        for row in np.flatnonzero(some & exist[start : start + len(part)]):
            name = names[start + row]
            first, vector = by_text.setdefault(texts[name], (name, unit[row]))
            if not np.allclose(vector, unit[row], atol=1e-6):
                raise BadInput(
                    f"{source.label}: the queries {first} and {name} have the same text, but different vectors",
                    hint="Nothing was stored. Vectors of queries are stored by their text: give both the same one.",
                    sqlstate="IR301",
                )
            stored += 1
        empty += int((exist[start : start + len(part)] & ~some).sum())
        start += len(part)
    if by_text:
        replace_vectors(conn, model, list(by_text), np.array([vector for _, vector in by_text.values()]))
    return stored, exist, empty


def _unit(
    source: VectorFile, part: npt.NDArray[np.floating], start: int, what: str, *, rounding: float, skip: bool
) -> tuple[Vectors, npt.NDArray[np.bool_]]:
    """Return the rows normalised to length 1, and which of them are not zero."""
    table = np.asarray(part, dtype=np.float32)
    norms = np.sqrt(np.einsum("ij,ij->i", table, table, dtype=np.float64))
    some = norms > 0
    for wrong, fault, hint in (
        (~np.isfinite(norms), "is not finite", "Nothing was stored. Compute the vectors again without NaN and infinity."),
        (norms == 0, "is all zeros", f"Nothing was stored. {_HINT_SKIP}"),
    ):
        if wrong.any() and not (skip and fault == "is all zeros"):
            row = start + int(np.argmax(wrong))
            raise BadInput(f"{source.label}: row {row:,} ({what} {source.names[row]}) {fault}", hint=hint, sqlstate="IR301")
    scale = np.where(some & (np.abs(norms - 1) > rounding), norms, 1.0)
    return np.divide(table, scale[:, None], out=np.empty_like(table), casting="same_kind"), some
