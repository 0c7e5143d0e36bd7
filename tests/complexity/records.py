"""dblp records with the fields that credibility reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import psycopg


def record(year: object, n_citation: object, fos: object = None, **more: Any) -> dict[str, Any]:
    """Return a record; None omits a field."""
    told = {"year": year, "n_citation": n_citation, "fos": fos, **more}
    return {name: value for name, value in told.items() if value is not None}


def put_records(conn: psycopg.Connection, records: Mapping[int, Mapping[str, Any]], *, stub: bool = False) -> None:
    """Store records by id; the docno is d followed by the id."""
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO dblp (id, docno, doc, stub) VALUES (%s, %s, %s, %s)",
            [(one, f"d{one}", json.dumps(doc), stub) for one, doc in records.items()],
        )
