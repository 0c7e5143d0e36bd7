"""Build vector indexes: ivfflat, hnsw, diskann."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import psycopg

from stcollection.cells import HtmlFields
from stcollection.errors import translate
from stcollection.vectors.store import FIELDS, require_idle

KINDS = ("ivfflat", "hnsw", "diskann")


@dataclass(frozen=True, kw_only=True)
class IndexOptions:
    """Kind and parameters of a vector index; sql/vectors/index_vectors.sql describes them.

    :param kind: one of ``KINDS``; None as the current index, for a first one by the number of vectors and the memory for its
        build (sql/vectors/vector_index_kind.sql), unless another option belongs to one kind. :param lists: for ivfflat.
    :param half: index in half precision; None as the current index, for a first one above a million vectors.
    :param bits: index one bit per value, its sign; None as the current index.
    :param effort: default search effort. :param m, ef_construction: for hnsw.
    :param preset: ``published``: rows / 1000 lists at any size, 65 probes.
    """

    kind: str | None = None
    half: bool | None = None
    bits: bool | None = None
    lists: int | None = None
    effort: int | None = None
    m: int | None = None
    ef_construction: int | None = None
    preset: str | None = None


CHOSEN = IndexOptions()


@dataclass(frozen=True, kw_only=True)
class Indexed(HtmlFields):
    """The index of a field.

    :param lists: for ivfflat. :param m, ef_construction: for hnsw. :param effort: default probes, ef_search or search_list_size.
    :param rows: indexed vectors. :param built: False if it was up to date. :param reason: why it is of this kind; None if an
        option says so, or if the index before was of this kind too.
    """

    field: str
    kind: str
    half: bool
    bits: bool
    lists: int | None
    m: int | None
    ef_construction: int | None
    effort: int
    rows: int
    built: bool
    reason: str | None
    seconds: float


@translate()
def index(
    conn: psycopg.Connection,
    *,
    model: str | None = None,
    fields: Sequence[str] = FIELDS,
    options: IndexOptions = CHOSEN,
    rebuild: bool = False,
) -> list[Indexed]:
    """Build the index of each field with vectors, unless it is up to date, in one transaction per field.

    A field has one index; an index of another kind replaces it.

    :param model: a short name of the collection; None uses its default.
    :param fields: some of title, abstract, content, passage. :param rebuild: rebuild even if up to date.
    :raises StateError: no field has vectors, or the server lacks vectorscale, which diskann needs.
    :raises BadArgument: a parameter is out of range, or belongs to another kind of index.
    """
    require_idle(conn)
    stored, sizes = [options.half, options.bits], [options.lists, options.effort, options.m, options.ef_construction]
    indexed: list[Indexed] = []
    nothing: psycopg.Error | None = None
    for field in fields:
        began = time.monotonic()
        try:
            with conn.transaction():
                row = conn.execute(
                    "CALL stc.index_vectors(%s, %s, %s, %s, %s, %s, %s, %s::integer, %s::integer, %s::integer, %s::integer)",
                    [field, model, options.preset, rebuild, options.kind, *stored, *sizes],
                ).fetchone()
        except psycopg.Error as error:
            if error.sqlstate != "IR405":
                raise
            nothing = error  # not an error yet: a corpus without abstracts has only one index
            continue
        if row is not None:
            names = ("kind", "half", "bits", "lists", "effort", "m", "ef_construction", "rows", "built", "reason")
            facts = dict(zip(names, row, strict=True))
            indexed.append(Indexed(field=field, seconds=time.monotonic() - began, **facts))
    if not indexed and nothing is not None:
        raise nothing
    return indexed
