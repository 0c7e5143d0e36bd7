"""Build vector indexes: ivfflat, hnsw, diskann, impact."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import psycopg

from stcollection.cells import HtmlFields
from stcollection.declared import AllowedRange, Option, check_fields, declare
from stcollection.errors import translate
from stcollection.vectors.store import IndexedField, StoredModel, default_fields, registered, require_idle

_FIRST = "that of the present index; for a first one hnsw from 100,000 vectors on if its graph fits into memory, else ivfflat"
_EFFORT = "√lists, at least 10; 100 for hnsw and diskann, 150 to 225 by size for impact"


@dataclass(frozen=True, kw_only=True)
class IndexOptions:
    """Kind and parameters of a vector index; sql/vectors/index_vectors.sql describes them.

    None is the value of the current index. An option that belongs to one kind chooses this kind.

    :param kind: Kind of index; diskann needs vectorscale, impact of sparse vectors pg_textsearch.
    :param half: Precision of the index; half takes half the space.
    :param bits: Index one bit per value; searches compare 500 + 20 k vectors exactly.
    :param lists: Number of lists, for ivfflat. :param m: Links per vector, for hnsw.
    :param ef_construction: Size of the candidate list while building, for hnsw.
    :param effort: Search effort: probes of ivfflat, ef_search of hnsw, search_list_size of diskann, candidates of impact.
    :param preset: Settings of the published collection: rows/1000 lists, 65 probes.
    """

    kind: Annotated[Literal["ivfflat", "hnsw", "diskann", "impact"] | str | None, Option(default=_FIRST)] = None
    half: Annotated[bool | None, Option("--half/--full", default="half above a million vectors")] = None
    bits: bool | None = None
    lists: Annotated[int | None, AllowedRange(ge=1, le=32768), Option(default="rows/1000 up to a million rows, √rows above")] = None
    effort: Annotated[int | None, AllowedRange(ge=1, le=32768), Option(default=_EFFORT)] = None
    m: Annotated[int | None, AllowedRange(ge=2, le=100), Option(default="16")] = None
    ef_construction: Annotated[int | None, AllowedRange(ge=4, le=1000), Option(default="64")] = None
    preset: Literal["published"] | str | None = None

    def __post_init__(self) -> None:
        check_fields(self)


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


@declare
@translate()
def index(
    conn: psycopg.Connection,
    model: StoredModel = None,
    *,
    fields: Annotated[
        Sequence[IndexedField | str], Option(each="field", default="title and abstract; content of a sparse model")
    ] = (),
    options: IndexOptions = CHOSEN,
    rebuild: bool = False,
) -> list[Indexed]:
    """Build the index of each field with vectors, unless it is up to date, in one transaction per field.

    A field has one index; an index of another kind replaces it.

    :param fields: Field to index. Repeatable. :param rebuild: Rebuild even if up to date.
    :raises StateError: no field has vectors, or the server lacks vectorscale or pg_textsearch, which diskann and impact need.
    :raises BadArgument: a parameter is out of range, or belongs to another kind of index.
    """
    require_idle(conn)
    if not fields:
        with conn.transaction():
            fields = default_fields(registered(conn, model).storage)
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
