"""Import vectors that were made elsewhere, a whole file or nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from stcollection.vectors.store import DOCUMENT_FIELDS, QUERY, Model, add, registered, require_idle, store

ROWS = 20_000  # rows in memory at once: 30 MB with 384 dimensions
# Deviation from length 1 that rounding can cause (half precision: a thousandth): such rows are stored bit by bit.
_ROUNDING = {"vector": 1e-6, "halfvec": 1e-3}
HINT_SKIP = "Use --skip to omit rows that cannot be stored."

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
    what = "query" if field == QUERY else "document"
    check_once(source.label, source.names, what)
    stored = empty = start = 0
    with conn.transaction():
        short, name, _ = model_name(conn, field, made_by)
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
        ids, exist = find_documents(conn, source.label, source.names, skip=skip)
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


def model_name(
    conn: psycopg.Connection, field: str, made_by: ForeignModel, *, sparse: bool = False
) -> tuple[str, str, Model | None]:
    """Return short and full name of the model of a file, and its row if it is registered.

    :raises UnknownObject: there is no such field; or the vectors are those of queries, and the model has none of documents.
    """
    if field not in (*DOCUMENT_FIELDS, QUERY):
        raise UnknownObject(
            f"there are no vectors of a field {field}",
            hint=f"The fields are {', '.join((*DOCUMENT_FIELDS, QUERY))}.",
            sqlstate="IR106",
        )
    default = "sparse" if sparse else registered(conn).model
    if sparse and made_by.model is None:
        first = conn.execute(
            "SELECT model FROM stc.vector_models WHERE storage = 'sparsevec' ORDER BY added, model LIMIT 1"
        ).fetchone()
        default = first[0] if first else default
    short = made_by.model or default
    known = conn.execute("SELECT 1 FROM stc.vector_models WHERE model = %s", [short]).fetchone()
    if field == QUERY and known is None and short != DEFAULT_SHORT:
        raise UnknownObject(
            f"there are no vectors of a model {short}",
            hint="Import the vectors of its documents first: --field abstract. 'stc show models' lists the models.",
            sqlstate="IR105",
        )
    space = registered(conn, short) if known else None
    own = DEFAULT_NAME if short == DEFAULT_SHORT else short
    return short, full_name(made_by.name) if made_by.name else space.name if space else own, space


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


def check_once(label: str, names: Ids | list[str], what: str) -> None:
    """Check that a file has rows, and each document or query once. :raises BadInput: it has not."""
    if len(names) == 0:
        raise BadArgument(f"{label} contains no id", hint="Check the file: there is nothing to import.")
    distinct, counts = np.unique(np.asarray(names), return_counts=True)
    if len(distinct) < len(names):
        raise BadInput(
            f"{label}: {what} {distinct[counts > 1][0]} occurs twice",
            hint=f"Keep one row per {what}.",
            sqlstate="IR302",
        )


def find_documents(
    conn: psycopg.Connection, label: str, names: Ids | list[str], *, skip: bool
) -> tuple[Ids, npt.NDArray[np.bool_]]:
    """Return the document id of each row, and whether the corpus has the document with text (not as a stub)."""
    column = sql.Identifier("docno" if isinstance(names, list) else "id")
    # Not a left join with dblp, for which Citus would copy all its rows to the coordinator.
    kind = sql.SQL("text" if isinstance(names, list) else "bigint")
    statement = sql.SQL("SELECT d.{0}, d.id FROM dblp d WHERE d.{0} = ANY (%s::{1}[]) AND NOT d.stub").format(column, kind)
    docs: list[int | None] = []
    for start in range(0, len(names), ROWS):
        block = names[start : start + ROWS]
        keys = block if isinstance(block, list) else _array(block)
        stored: dict[int | str, int] = dict(conn.execute(statement, [keys]).fetchall())
        docs += map(stored.get, block if isinstance(block, list) else block.tolist())
    exist = np.array([doc is not None for doc in docs])
    if not exist.all() and not skip:
        first = int(np.argmin(exist))
        raise UnknownObject(
            f"{label}: document {names[first]} of row {first:,} is not in the corpus;"
            f" {int((~exist).sum()):,} of {len(exist):,} are missing",
            hint=f"Nothing was stored. Check that the ids are from this collection (dblp.id, or docno). {HINT_SKIP}",
            sqlstate="IR104",
        )
    return np.array([doc or 0 for doc in docs], dtype=np.int64), exist


def _store_queries(
    conn: psycopg.Connection, source: VectorFile, model: str, *, skip: bool
) -> tuple[int, npt.NDArray[np.bool_], int]:
    """Store the vectors of queries by their texts, as embedded queries are.

    :returns: the number of stored query ids; for each row whether its query is stored with a text; the number of rows of zeros.
    """
    exist, texts = find_queries(conn, source.label, source.names, skip=skip)
    some_names: list[str] = []
    vectors: list[Vectors] = []
    empty = start = 0
    for part in source.parts():
        unit, some = _unit(source, part, start, "query", rounding=_ROUNDING["vector"], skip=skip)
        use = np.flatnonzero(some & exist[start : start + len(part)])
        some_names += [str(source.names[start + row]) for row in use]
        vectors += list(unit[use])
        empty += int((exist[start : start + len(part)] & ~some).sum())
        start += len(part)
    store_query_vectors(conn, source.label, model, some_names, texts, vectors)
    return len(some_names), exist, empty


def find_queries(
    conn: psycopg.Connection, label: str, names: Ids | list[str], *, skip: bool
) -> tuple[npt.NDArray[np.bool_], dict[str, str]]:
    """Return for each query id whether it is stored with a text, and the texts. :raises UnknownObject: one is not."""
    ids = [str(name) for name in names]
    texts: dict[str, str] = dict(
        conn.execute("SELECT query, text FROM st1_queries WHERE query = ANY (%s) AND text IS NOT NULL", [ids]).fetchall()
    )
    exist = np.array([name in texts for name in ids])
    if not exist.all() and not skip:
        raise UnknownObject(
            f"{label}: query {ids[int(np.argmin(exist))]} of row {int(np.argmin(exist)):,} is not stored, or has no text;"
            f" {int((~exist).sum()):,} of {len(exist):,} are missing",
            hint=f"Nothing was stored. Load the topics first (stc load --as topics FILE), and check the query ids. {HINT_SKIP}",
            sqlstate="IR103",
        )
    return exist, texts


def store_query_vectors(
    conn: psycopg.Connection, label: str, model: str, names: Sequence[str], texts: Mapping[str, str], vectors: Sequence[Vectors]
) -> None:
    """Store the vectors of queries by text. :raises BadInput: two queries with one text have different vectors."""
    by_text: dict[str, tuple[str, Vectors]] = {}
    for name, vector in zip(map(str, names), vectors, strict=True):
        first, other = by_text.setdefault(texts[name], (name, vector))
        if other.shape != vector.shape or not np.allclose(other, vector, atol=1e-6):
            raise BadInput(
                f"{label}: the queries {first} and {name} have the same text, but different vectors",
                hint="Nothing was stored. Vectors of queries are stored by their text: give both the same one.",
            )
    if by_text:
        replace_vectors(conn, model, list(by_text), [vector for _, vector in by_text.values()])


def _unit(
    source: VectorFile, part: npt.NDArray[np.floating], start: int, what: str, *, rounding: float, skip: bool
) -> tuple[Vectors, npt.NDArray[np.bool_]]:
    """Return the rows normalised to length 1, and which of them are not zero."""
    table = np.asarray(part, dtype=np.float32)
    norms = np.sqrt(np.einsum("ij,ij->i", table, table, dtype=np.float64))
    some = norms > 0
    for wrong, fault, hint in (
        (~np.isfinite(norms), "is not finite", "Nothing was stored. Compute the vectors again without NaN and infinity."),
        (norms == 0, "is all zeros", f"Nothing was stored. {HINT_SKIP}"),
    ):
        if wrong.any() and not (skip and fault == "is all zeros"):
            row = start + int(np.argmax(wrong))
            raise BadInput(f"{source.label}: row {row:,} ({what} {source.names[row]}) {fault}", hint=hint)
    scale = np.where(some & (np.abs(norms - 1) > rounding), norms, 1.0)
    return np.divide(table, scale[:, None], out=np.empty_like(table), casting="same_kind"), some
