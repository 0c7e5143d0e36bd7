"""Store documents with measures, and grades for them, for the tests of annotations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import psycopg

from stcollection.complexity.annotations import COLUMNS, LoadedAnnotations, load_annotations

Row = tuple[str, str, str, int | None, int | None]
HUM, BSC, MSC = "Humanities bachelor", "CS bachelor", "CS master"


def put_documents(conn: psycopg.Connection, docnos: Iterable[str], **measures: Mapping[str, float | None]) -> None:
    """Store documents with ids from 1 in order, and for each measure of st1_complexity_metrics a value by docno."""
    ids = {docno: at for at, docno in enumerate(docnos, 1)}
    with conn.cursor() as cursor:
        cursor.executemany("INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, '{}')", [(at, docno) for docno, at in ids.items()])
        for measure, values in measures.items():
            assert measure.isidentifier()
            cursor.executemany(
                f"INSERT INTO st1_complexity_metrics (id, {measure}) VALUES (%s, %s)"
                f" ON CONFLICT (id) DO UPDATE SET {measure} = EXCLUDED.{measure}",
                [(ids[docno], value) for docno, value in values.items()],
            )
        cursor.execute("UPDATE st1_complexity_metrics SET read_tok = 100 WHERE read_tok IS NULL")  # each document has words


def put_facts(conn: psycopg.Connection, facts: Mapping[str, tuple[int | None, int | None, int | None]]) -> None:
    """Set year, citations and references of documents by docno."""
    with conn.cursor() as cursor:
        cursor.executemany(
            "UPDATE dblp_facts f SET year = %s, n_citation = %s, n_reference = %s FROM dblp d WHERE d.id = f.id AND d.docno = %s",
            [(*values, docno) for docno, values in facts.items()],
        )


def sheet(rows: Iterable[Row]) -> str:
    """Return rows as CSV in the format that load accepts; None is an empty cell."""
    return "\n".join([",".join(COLUMNS), *(",".join("" if cell is None else str(cell) for cell in row) for row in rows)]) + "\n"


def grade(conn: psycopg.Connection, rows: Iterable[Row], *, replace_grades: bool = False) -> LoadedAnnotations:
    return load_annotations(conn, sheet(rows), source="mine.csv", replace_grades=replace_grades)
