"""Store vectors in the collection, and register their models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg import sql
from psycopg.rows import class_row

from stcollection.cells import HtmlFields
from stcollection.db.connection import headed
from stcollection.declared import Option
from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject, translate
from stcollection.vectors.binary import HEADER, TRAILER, records
from stcollection.vectors.model import Encoder, Vectors
from stcollection.vectors.sparse import SparseRows

FIELDS = ("title", "abstract")  # embedded and indexed by default; content of a sparse model
DocumentField = Literal["title", "abstract", "content"]
DOCUMENT_FIELDS: tuple[str, ...] = get_args(DocumentField)
IndexedField = Literal["title", "abstract", "content", "passage", "title_only"]
#: The model and its short name, of functions that embed texts.
NewModel = Annotated[
    str | Encoder | None,
    Option(
        metavar="NAME",
        help="Model: a sentence-transformers name in the local cache, or a folder.",
        default="all-MiniLM-L6-v2",
    ),
]
NewShort = Annotated[
    str | None, Option("--as", metavar="SHORT", help="Name of the model in the collection.", default="derived from --model")
]
StoredModel = Annotated[
    str | None,
    Option(metavar="SHORT", help="Name of the model in the collection.", default="the collection's first"),
]


def default_fields(storage: str) -> tuple[str, ...]:
    """Return the fields that are embedded and indexed by default. :param storage: type of the model's vectors."""
    return ("content",) if storage == "sparsevec" else FIELDS


QUERY = "query"  # stored by model and text, not by document
Part = tuple[str, npt.NDArray[np.int64], Vectors | SparseRows]  # field, ids of documents, float32[n, dim] or sparse


@dataclass(frozen=True, kw_only=True)
class Model:
    """A row of the registry of models.

    :param relation: table of its vectors.
    :param storage: type of its vectors: ``vector``, ``halfvec`` above 2,000 dimensions, or ``sparsevec`` of a sparse model.
    :param query_prefix, passage_prefix: prefix of each query and of each document's text.
    :param made_by: backends that computed the vectors: ``torch bf16``, ``import``, …
    """

    model: str
    name: str
    revision: str | None
    dim: int
    max_tokens: int | None
    relation: str
    pooling: str | None
    query_prefix: str
    passage_prefix: str
    storage: str
    made_by: list[str]


@dataclass(frozen=True, kw_only=True)
class EmbedCounts(HtmlFields):
    """Counts of an embedding. :param documents: documents with new vectors. :param titles, abstracts, contents: new vectors."""

    model: str
    documents: int
    titles: int
    abstracts: int
    contents: int
    seconds: float


class StoredVectors(NamedTuple):
    """The counts of stored vectors.

    :param unknown: skipped vectors of documents that are not in the corpus.
    """

    stored: int
    unknown: int


def registered(conn: psycopg.Connection, model: str | None = None) -> Model:
    """Return the registry row of a model by its short name; None means the default model.

    :raises UnknownObject: the model is not registered.
    """
    with conn.cursor(row_factory=class_row(Model)) as cursor:
        row = cursor.execute(
            "SELECT model, name, revision, dim, max_tokens, relation, pooling, query_prefix, passage_prefix, storage, made_by"
            " FROM stc.vector_model(%s, sparse => NULL)",
            [model],
        ).fetchone()
    if row is None:  # a row function has one row
        raise UnknownObject(
            f"there are no vectors of a model {model}", hint="'stc show models' lists the models.", sqlstate="IR105"
        )
    return row


def registered_dense(conn: psycopg.Connection, model: str | None = None) -> Model:
    """Return the registry row of a model of dense vectors. :raises BadArgument: its vectors are sparse."""
    space = registered(conn, model)
    if space.storage == "sparsevec":
        raise BadArgument(
            f"{space.model} is a sparse model",
            hint="Name a dense model; 'stc show models' lists the models. Read sparse vectors with SQL.",
        )
    return space


@translate()
def models(conn: psycopg.Connection) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return column names and rows of the models with their vectors and indexes (sql/vectors/model_overview.sql)."""
    return headed(conn, "SELECT * FROM stc.model_overview()")


@translate()
def drop(conn: psycopg.Connection, model: str) -> None:
    """Drop a model with its tables: vectors, indexes, cached queries.

    :raises UnknownObject: the model is not registered. :raises BadArgument: the default model cannot be dropped.
    """
    conn.execute("SELECT stc.drop_vector_model(%s)", [model])


def register(conn: psycopg.Connection, encoder: Encoder) -> Model:
    """Register a model and create its tables if necessary.

    :raises StateError: another model, dimension or prefix is registered under its short name.
    """
    extra = [getattr(encoder, name, None) for name in ("pooling", "query_prefix", "passage_prefix", "made_by", "storage")]
    conn.execute(
        "SELECT stc.add_vector_model(%s, %s, %s, %s, %s, %s, %s, %s, %s, coalesce(%s, 'vector'))",
        [encoder.short, encoder.name, encoder.dim, encoder.max_tokens, encoder.revision, *extra],
    )
    store_words(conn, encoder.short, getattr(encoder, "words", None) or ())
    return registered(conn, encoder.short)


def store_words(conn: psycopg.Connection, model: str, words: Sequence[str], *, first: int = 0) -> None:
    """Store the vocabulary of a sparse model, unless it is stored. :param first: the number of the first word."""
    if words and conn.execute("SELECT 1 FROM stc.vector_terms WHERE model = %s AND term = %s", [model, first]).fetchone() is None:
        conn.execute(
            "INSERT INTO stc.vector_terms (model, term, word)"
            " SELECT %s, w.place + %s - 1, w.word FROM unnest(%s::text[]) WITH ORDINALITY w (word, place)",
            [model, first, list(words)],
        )


def store(conn: psycopg.Connection, parts: Iterable[Part], *, model: str, replace: bool = False) -> StoredVectors:
    """Store vectors within the caller's transaction.

    :param parts: field, int64[n] of document ids, float32[n, dim]; one vector per document and field.
    :param replace: replace stored vectors.
    :raises BadInput: a vector is not finite.
    """
    stage(conn, parts, model=model)
    row = conn.execute("SELECT stored, unknown FROM stc.store_vectors(%s, %s)", [model, replace]).fetchone()
    return StoredVectors(*row) if row else StoredVectors(0, 0)


def add(conn: psycopg.Connection, field: str, ids: npt.NDArray[np.int64], vectors: Vectors, *, relation: str) -> bool:
    """Copy finite vectors into the table of a model, within the caller's transaction: for documents without stored vectors.

    :param ids: int64[n]. :param vectors: float32[n, dim].
    :returns: False, and nothing is stored, if another session stored vectors of one of the documents meanwhile, or removed it.
    """
    order = np.argsort(ids)  # as store_vectors, so that sessions that store the same documents wait for each other in one order
    statement = sql.SQL("COPY {} (id, {}) FROM STDIN (FORMAT BINARY)").format(
        sql.Identifier(relation), sql.Identifier(f"{field}_v")
    )
    try:
        with conn.transaction(), conn.cursor().copy(statement) as copy:
            copy.write(HEADER + records(ids[order], None, vectors[order]) + TRAILER)
    except (psycopg.errors.UniqueViolation, psycopg.errors.ForeignKeyViolation):
        return False
    return True


def stage(conn: psycopg.Connection, parts: Iterable[Part], *, model: str) -> None:
    """Copy vectors into the temporary table incoming_vectors, from which SQL stores them; within the caller's transaction.

    :param parts: as for :func:`store`; ids of passages for the field passage.
    :raises BadInput: a vector is not finite.
    """
    conn.execute(
        "SELECT stc.stage_vectors(EXISTS (SELECT FROM stc.vector_models WHERE model = %s AND storage = 'sparsevec'))", [model]
    )
    with conn.cursor().copy("COPY pg_temp.incoming_vectors (id, field, v) FROM STDIN (FORMAT BINARY)") as copy:
        copy.write(HEADER)
        for field, ids, vectors in parts:
            finite = vectors.finite() if isinstance(vectors, SparseRows) else np.isfinite(vectors).all(axis=1)
            if not finite.all():
                owner = "passage" if field == "passage" else "document"
                raise BadInput(
                    f"the {field} vector of {owner} {ids[int(np.argmin(finite))]} by {model} is not finite",
                    hint="This batch was not stored. Correct the imported file, or try 'stc vectors embed --precision fp32'.",
                )
            if len(ids):
                copy.write(vectors.records(ids, field) if isinstance(vectors, SparseRows) else records(ids, field, vectors))
        copy.write(TRAILER)


def require_idle(conn: psycopg.Connection) -> None:
    """Refuse a connection inside a transaction: functions that commit batch by batch need an idle one."""
    if conn.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        raise StateError("vectors cannot be stored inside an open transaction", hint="Commit or roll back first.")
