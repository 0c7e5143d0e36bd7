"""The ivfflat indexes of the vectors."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import psycopg

from stcollection.errors import translate
from stcollection.vectors.store import FIELDS, require_idle


@dataclass(frozen=True, kw_only=True)
class Indexed:
    """The index of a field. :param rows: vectors in it. :param built: False if it was current."""

    field: str
    lists: int
    probes: int
    rows: int
    built: bool
    seconds: float


@translate()
def index(
    conn: psycopg.Connection,
    *,
    model: str | None = None,
    fields: Sequence[str] = FIELDS,
    lists: int | None = None,
    probes: int | None = None,
    preset: str | None = None,
    rebuild: bool = False,
) -> list[Indexed]:
    """Build the ivfflat index of each field that has vectors, unless it is current; a transaction each.

    The work is sql/vectors/index_vectors.sql.

    :param model: a short name of the collection; None is its default.
    :param lists: None is a thousandth of the rows up to a million, their square root above.
    :param probes: lists a search looks into by default; None is the square root of lists.
    :param preset: ``published``: rows / 1000 lists at any size, 65 probes.
    :param rebuild: build anew also what is current.
    :raises StateError: no field has vectors.
    :raises BadArgument: lists, probes or preset out of range.
    """
    require_idle(conn)
    indexed: list[Indexed] = []
    nothing: psycopg.Error | None = None
    for field in fields:
        began = time.monotonic()
        try:
            with conn.transaction():
                row = conn.execute(
                    "CALL index_vectors(%s, %s, %s, %s, %s::integer, %s::integer)", [field, model, preset, rebuild, lists, probes]
                ).fetchone()
        except psycopg.Error as error:
            if error.sqlstate != "IR405":
                raise
            nothing = error  # a corpus without abstracts has one index
            continue
        if row is not None:
            made = dict(zip(("lists", "probes", "rows", "built"), row, strict=True))
            indexed.append(Indexed(field=field, seconds=time.monotonic() - began, **made))
    if not indexed and nothing is not None:
        raise nothing
    return indexed
