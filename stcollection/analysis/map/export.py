"""Write the places of a map to a file."""

from __future__ import annotations

import io
from csv import writer
from pathlib import Path

import psycopg

from stcollection.analysis.map.records import DocumentMap
from stcollection.errors import translate
from stcollection.io.writing import output


@translate()
def export_map(conn: psycopg.Connection, documents: DocumentMap, *, out: Path) -> None:
    """Write docno, x, y and cluster (from 1) of each document that still exists, as CSV, by dblp.id."""
    docs = documents.docs.tolist()
    names: dict[int, str] = dict(conn.execute("SELECT doc, docno FROM documents WHERE doc = ANY(%s)", [docs]).fetchall())
    text = io.StringIO(newline="")
    lines = writer(text, lineterminator="\n")
    lines.writerow(("docno", "x", "y", "cluster"))
    for doc, (x, y), cluster in zip(docs, documents.places.tolist(), documents.clusters.tolist(), strict=True):
        if doc in names:
            lines.writerow((names[doc], f"{x:.4f}", f"{y:.4f}", cluster + 1))
    with output(out) as file:
        file.write(text.getvalue().encode())
