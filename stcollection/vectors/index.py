"""The indexes of the vectors: ivfflat, hnsw, diskann."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import psycopg

from stcollection.cells import HtmlFields
from stcollection.errors import translate
from stcollection.moved import grouped
from stcollection.vectors.store import FIELDS, require_idle

KINDS = ("ivfflat", "hnsw", "diskann")


@dataclass(frozen=True, kw_only=True)
class IndexOptions:
    """What an index is. The work is sql/vectors/index_vectors.sql, which says what the parameters are.

    :param kind: one of ``KINDS``. :param half: index in half precision. :param lists: of ivfflat.
    :param effort: how hard searches look by default. :param m, ef_construction: of hnsw.
    :param preset: ``published``: rows / 1000 lists at any size, 65 probes.
    """

    kind: str = "ivfflat"
    half: bool = False
    lists: int | None = None
    effort: int | None = None
    m: int | None = None
    ef_construction: int | None = None
    preset: str | None = None


IVFFLAT = IndexOptions()


@dataclass(frozen=True, kw_only=True)
class Indexed(HtmlFields):
    """The index of a field.

    :param lists: of ivfflat. :param m: of hnsw, as ``ef_construction``. :param effort: probes, ef_search or search_list_size that
        searches take by default. :param rows: vectors in it. :param built: False if it was current.
    """

    field: str
    kind: str
    half: bool
    lists: int | None
    m: int | None
    ef_construction: int | None
    effort: int
    rows: int
    built: bool
    seconds: float


@grouped(options=IndexOptions)
@translate()
def index(
    conn: psycopg.Connection,
    *,
    model: str | None = None,
    fields: Sequence[str] = FIELDS,
    options: IndexOptions = IVFFLAT,
    rebuild: bool = False,
) -> list[Indexed]:
    """Build the index of each field that has vectors, unless it is current; a transaction each.

    A field has one index: another kind takes its place.

    :param model: a short name of the collection; None is its default.
    :param fields: some of title, abstract, content, passage. :param rebuild: build anew also what is current.
    :raises StateError: no field has vectors; the server has no vectorscale, which diskann takes.
    :raises BadArgument: a parameter out of range, or of another kind.
    """
    require_idle(conn)
    kind, sizes = options.kind, [options.lists, options.effort, options.m, options.ef_construction]
    indexed: list[Indexed] = []
    nothing: psycopg.Error | None = None
    for field in fields:
        began = time.monotonic()
        try:
            with conn.transaction():
                row = conn.execute(
                    "CALL stc.index_vectors(%s, %s, %s, %s, %s, %s, %s::integer, %s::integer, %s::integer, %s::integer)",
                    [field, model, options.preset, rebuild, kind, options.half, *sizes],
                ).fetchone()
        except psycopg.Error as error:
            if error.sqlstate != "IR405":
                raise
            nothing = error  # a corpus without abstracts has one index
            continue
        if row is not None:
            made = dict(zip(("lists", "effort", "m", "ef_construction", "rows", "built"), row, strict=True))
            indexed.append(Indexed(field=field, kind=kind, half=options.half, seconds=time.monotonic() - began, **made))
    if not indexed and nothing is not None:
        raise nothing
    return indexed
