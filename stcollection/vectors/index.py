"""The indexes of the vectors: ivfflat, hnsw, diskann."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import psycopg

from stcollection.errors import translate
from stcollection.vectors.store import FIELDS, require_idle

KINDS = ("ivfflat", "hnsw", "diskann")


@dataclass(frozen=True, kw_only=True)
class Indexed:
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


@translate()
def index(
    conn: psycopg.Connection,
    *,
    model: str | None = None,
    fields: Sequence[str] = FIELDS,
    kind: str = "ivfflat",
    half: bool = False,
    lists: int | None = None,
    effort: int | None = None,
    m: int | None = None,
    ef_construction: int | None = None,
    preset: str | None = None,
    rebuild: bool = False,
) -> list[Indexed]:
    """Build the index of each field that has vectors, unless it is current; a transaction each.

    The work is sql/vectors/index_vectors.sql, which says what the parameters are.
    A field has one index: another kind takes its place.

    :param model: a short name of the collection; None is its default.
    :param fields: some of title, abstract, content, passage. :param kind: one of ``KINDS``.
    :param half: index in half precision. :param preset: ``published``: rows / 1000 lists at any size, 65 probes.
    :param rebuild: build anew also what is current.
    :raises StateError: no field has vectors; the server has no vectorscale, which diskann takes.
    :raises BadArgument: a parameter out of range, or of another kind.
    """
    require_idle(conn)
    indexed: list[Indexed] = []
    nothing: psycopg.Error | None = None
    for field in fields:
        began = time.monotonic()
        try:
            with conn.transaction():
                row = conn.execute(
                    "CALL stc.index_vectors(%s, %s, %s, %s, %s, %s, %s::integer, %s::integer, %s::integer, %s::integer)",
                    [field, model, preset, rebuild, kind, half, lists, effort, m, ef_construction],
                ).fetchone()
        except psycopg.Error as error:
            if error.sqlstate != "IR405":
                raise
            nothing = error  # a corpus without abstracts has one index
            continue
        if row is not None:
            made = dict(zip(("lists", "effort", "m", "ef_construction", "rows", "built"), row, strict=True))
            indexed.append(Indexed(field=field, kind=kind, half=half, seconds=time.monotonic() - began, **made))
    if not indexed and nothing is not None:
        raise nothing
    return indexed
