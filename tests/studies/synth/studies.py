"""Store studies of synthetic queries, for the tests of selecting queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import psycopg

Cell = tuple[int, int]


def put_documents(conn: psycopg.Connection, texts: Mapping[int, str]) -> None:
    """Store documents by id, docno d1, d2, …, with one abstract each."""
    with conn.cursor() as cursor:
        cursor.executemany("INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, '{}')", [(doc, f"d{doc}") for doc in texts])
        cursor.executemany("INSERT INTO dblp_text (id, abstract) VALUES (%s, %s)", list(texts.items()))


def put_edition(conn: psycopg.Connection, edition: str, judged: Mapping[tuple[str, int], int], texts: Mapping[str, str]) -> None:
    """Store judgments {(query, doc): rel}; queries have a text if one is given."""
    conn.execute("INSERT INTO qrels_editions (edition) VALUES (%s)", [edition])
    for query in dict.fromkeys(query for query, _ in judged):
        conn.execute("INSERT INTO stc.st1_queries (query, text) VALUES (%s, %s) ON CONFLICT DO NOTHING", [query, texts.get(query)])
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO qrels_judgments (edition, query, doc, rel)"
            " SELECT e.id, q.id, %s, %s FROM qrels_editions e, st1_queries q WHERE e.edition = %s AND q.query = %s",
            [(doc, rel, edition, query) for (query, doc), rel in judged.items()],
        )


def put_target(conn: psycopg.Connection, edition: str, cells: Sequence[Cell], *, first: int = 9_000) -> None:
    """Store an edition whose relevant pairs lie in these cells, each with a separate query and document, from an id on."""
    texts = {first + at: " ".join(f"w{word}" for word in range(found)) or "nothing" for at, (_, found) in enumerate(cells)}
    put_documents(conn, texts)
    queries = {
        f"{edition}-{at}": " ".join(f"w{word}" for word in range(found)) + " far" * (length - found)
        for at, (length, found) in enumerate(cells)
    }
    put_edition(conn, edition, {(name, first + at): 1 for at, name in enumerate(queries)}, queries)


def put_study(
    conn: psycopg.Connection, study: str, candidates: Mapping[str, Mapping[int, Sequence[Cell | None]]], *, backwards: bool = False
) -> None:
    """Store a study, its documents, and candidates {origin: {doc: cells}}; None is a dropped candidate.

    :param backwards: store rows in the opposite order, so that keys and physical positions differ.
    """
    docs = sorted({doc for passages in candidates.values() for doc in passages})
    conn.execute("INSERT INTO stc_all.synth_studies (study, seed) VALUES (%s, 1)", [study])
    [key] = conn.execute("SELECT id FROM stc_all.synth_studies WHERE study = %s", [study]).fetchone() or [None]
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, '{}') ON CONFLICT DO NOTHING", [(doc, f"d{doc}") for doc in docs]
        )
        cursor.executemany(
            "INSERT INTO stc_all.synth_passages (study, doc, place) VALUES (%s, %s, %s)",
            [(key, doc, place) for place, doc in enumerate(docs, 1)],
        )
        rows = [
            (key, doc, origin, f"{origin}-model", number, f"{origin} {doc} {number}", *(cell or (1, 1)), None if cell else "copy")
            for origin, passages in candidates.items()
            for doc, cells in passages.items()
            for number, cell in enumerate(cells, 1)
        ]
        cursor.executemany(
            "INSERT INTO stc_all.synth_candidates (study, doc, origin, model, number, text, length, found, dropped)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
            rows[::-1] if backwards else rows,
        )


def chosen(conn: psycopg.Connection, study: str) -> list[tuple[str, str, int]]:
    """Return (origin, docno, number) of the chosen queries, sorted."""
    return conn.execute(
        "SELECT c.origin, d.docno, c.number FROM stc_all.synth_candidates c JOIN dblp d ON d.id = c.doc"
        " WHERE c.study = stc.synth_study_key(%s) AND c.chosen ORDER BY 1, 2, 3",
        [study],
    ).fetchall()
