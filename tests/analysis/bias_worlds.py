"""Invented scores of systems on queries of several origins, stored as imported scores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import psycopg

from stcollection.evaluation.imported import import_scores
from stcollection.qrels.load import import_qrels


def store(
    conn: psycopg.Connection,
    folder: Path,
    values: Mapping[str, Mapping[str, float]],
    *,
    origins: Mapping[str, str],
    families: Mapping[str, str],
    edition: str = "e",
) -> str:
    """Store an edition that judges the queries of ``origins``, and nDCG@10 of runs on queries; pairs not given are missing."""
    (folder / f"{edition}.qrels").write_text("".join(f"{query} 0 d 1\n" for query in origins))
    import_qrels(conn, folder / f"{edition}.qrels", edition=edition)
    lines = [f"{run}\tndcg_cut_10\t{query}\t{value}\n" for run in values for query, value in values[run].items()]
    (folder / f"{edition}.scores").write_text("".join(lines))
    import_scores(conn, folder / f"{edition}.scores", edition=edition, families=families)
    for query, origin in origins.items():
        conn.execute("UPDATE st1_queries SET origin = %s WHERE query = %s", [origin, query])
    return edition
