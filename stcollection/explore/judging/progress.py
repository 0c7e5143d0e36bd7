"""Progress of a pool, for its organiser: work by assessor, agreement with control documents, and tables as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

import psycopg

from stcollection.qrels import judging as work
from stcollection.qrels.judging import PoolAlpha
from stcollection.qrels.organise import AssessorProgress, Drift, assessors, drift
from stcollection.qrels.sheets import guarded


def people(conn: psycopg.Connection, pool: str, queries: str) -> tuple[list[AssessorProgress], PoolAlpha]:
    """Return the work of each assessor, and their agreement."""
    return assessors(conn, pool, queries=queries), work.alpha(conn, pool, queries=queries)


def drift_rows(conn: psycopg.Connection, pool: str, edition: str) -> list[Drift]:
    """Return agreement with control documents in the first and second half of each assessor's decisions."""
    return drift(conn, pool, edition=edition)


def as_csv(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV. A cell that a spreadsheet would interpret as a formula gets an apostrophe."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(names)
    table.writerows([guarded(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return text.getvalue()
