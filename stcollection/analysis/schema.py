"""The published tables of a collection, with their columns, keys and foreign keys."""

from __future__ import annotations

from itertools import groupby

import psycopg

from stcollection.analysis.records import ForeignKey, SchemaColumn, SchemaTable
from stcollection.errors import translate

_COLUMNS = """
SELECT relation, relation_comment, "column", type, key, nullable, targets, target_columns, comment FROM stc.published_columns()
"""


@translate()
def published_tables(conn: psycopg.Connection) -> list[SchemaTable]:
    """Return the tables in the schema ``public``, by name (sql/analysis/published_columns.sql)."""
    rows = conn.execute(_COLUMNS).fetchall()
    return [
        SchemaTable(
            name,
            comment or "",
            [
                SchemaColumn(
                    column, kind, key, nullable, [ForeignKey(*pair) for pair in zip(targets, theirs, strict=True)], text or ""
                )
                for *_, column, kind, key, nullable, targets, theirs, text in columns
            ],
        )
        for (name, comment), columns in groupby(rows, key=lambda row: (row[0], row[1]))
    ]
