"""Fields of a document that the assessors of a pool see besides title and abstract (sql/qrels/show_metadata.sql)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

import psycopg

from stcollection.declared import Option
from stcollection.errors import translate
from stcollection.qrels.parameters import PoolName
from stcollection.qrels.sheets import plain

Field = Literal["authors", "year", "venue", "type", "citations", "source"]
FIELDS: tuple[Field, ...] = ("authors", "year", "venue", "type", "citations", "source")


@translate()
def set_metadata(conn: psycopg.Connection, pool: PoolName, *, fields: Annotated[Sequence[Field], Option("FIELD")] = ()) -> None:
    """Choose which fields of a document assessors of a pool see besides title and abstract. Without fields they see none.

    :param fields: Fields to show.
    :raises UnknownObject: the pool is not stored. :raises BadArgument: documents have no such field.
    """
    with conn.transaction():
        conn.execute("SELECT stc.show_metadata(%s, %s::text[])", [pool, list(fields)])


@translate()
def pool_metadata(conn: psycopg.Connection, pool: str) -> list[Field]:
    """Return the fields that assessors of a pool see besides title and abstract. :raises UnknownObject: it is not stored."""
    row = conn.execute("SELECT params -> 'metadata' FROM stc_all.qrels_pools WHERE id = stc.pool_key(%s)", [pool]).fetchone()
    return list(row[0] or []) if row else []


@translate()
def read_metadata(conn: psycopg.Connection, pool: str, docnos: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """Return what assessors of a pool see of documents besides title and abstract, by docno."""
    rows = conn.execute(
        "SELECT d.docno, stc.shown_metadata(p.params -> 'metadata', d.id) FROM stc_all.qrels_pools p, dblp d"
        " WHERE p.id = stc.pool_key(%s) AND d.docno = ANY (%s)",
        [pool, list(docnos)],
    ).fetchall()
    return dict(rows)


def described(metadata: Mapping[str, Any], *, cited: Callable[[int], str]) -> list[str]:
    """Return the fields of a document as texts on one line each. :param cited: writes the number of citations."""
    texts = []
    for field in FIELDS:
        value = metadata.get(field)
        if value is None:
            continue
        if field == "citations":
            texts.append(cited(int(value)))
        else:
            texts.append(", ".join(map(plain, value)) if isinstance(value, list) else plain(str(value)))
    return texts
