"""Reference fusion in numpy, and stored runs for its tests."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
import psycopg

Scores = Mapping[int, float]
METHODS = [("rrf", "minmax"), *((method, norm) for method in ("sum", "mnz") for norm in ("minmax", "zscore", "rank", "none"))]


def by_rank(scores: Scores) -> list[int]:
    """Sort documents best first; equal scores by docno (here the id), descending as bytes."""
    return sorted(sorted(scores, key=str, reverse=True), key=lambda doc: -scores[doc])


def fused(
    rankings: Mapping[str, Scores],
    *,
    method: str,
    norm: str = "minmax",
    weights: Mapping[str, float] | None = None,
    constant: int = 60,
) -> dict[int, float]:
    """Return the score of each document by the definitions, from a matrix of rankings by documents."""
    weights = weights or dict.fromkeys(rankings, 1.0)
    used = [name for name in rankings if weights[name] > 0 and rankings[name]]
    docs = sorted({doc for name in used for doc in rankings[name]})
    held = np.array([[doc in rankings[name] for doc in docs] for name in used])
    table = np.zeros((len(used), len(docs)))
    for row, name in enumerate(used):
        scores = np.array([rankings[name][doc] for doc in docs if doc in rankings[name]])
        order = by_rank(rankings[name])
        ranks = np.array([1 + order.index(doc) for doc in docs if doc in rankings[name]])
        if method == "rrf":
            values = 1 / (constant + ranks)
        elif norm == "rank":
            values = 1 - (ranks - 1) / len(ranks)
        elif norm == "none":
            values = scores
        elif norm == "minmax":
            values = np.ones(len(scores)) if np.ptp(scores) == 0 else (scores - scores.min()) / np.ptp(scores)
        elif np.ptp(scores) == 0:
            values = np.ones(len(scores))
        else:  # a document that is missing gets the lowest z; that lowest z is then made 0
            z = (scores - scores.mean()) / scores.std()
            values = z - z.min()
        table[row, held[row]] = weights[name] * values
    total = table.sum(axis=0) * (held.sum(axis=0) if method == "mnz" else 1)
    return dict(zip(docs, total.tolist(), strict=True))


def rows(rankings: Mapping[str, Scores]) -> list[tuple[str, int, float, int]]:
    """Return the rows in the form of ``ranked``."""
    return [
        (name, doc, scores[doc], rank) for name, scores in rankings.items() for rank, doc in enumerate(by_rank(scores), start=1)
    ]


def put_documents(conn: psycopg.Connection, docs: range) -> None:
    conn.cursor().executemany(
        "INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, '{}') ON CONFLICT DO NOTHING", [(doc, str(doc)) for doc in docs]
    )


_runs = itertools.count(1)


def put_run(conn: psycopg.Connection, queries: Mapping[str, Scores], name: str | None = None) -> str:
    """Store a run, and a decoy with the opposite ranking. :returns: its name."""
    name = name or f"run{next(_runs)}"
    insert = "INSERT INTO stc.st1_queries (query) VALUES (%s) ON CONFLICT DO NOTHING"
    conn.cursor().executemany(insert, [(query,) for query in queries])
    for stored, sign in ((name, 1), (f"~{name}", -1)):
        conn.execute('INSERT INTO st1_runs (run, params) VALUES (%s, \'{"of": "tests", "nothing": null}\')', [stored])
        conn.cursor().executemany(
            "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score)"
            " SELECT r.id, q.id, %s, %s, %s FROM st1_runs r, st1_queries q WHERE r.run = %s AND q.query = %s",
            [
                (doc, rank, sign * scores[doc], stored, query)
                for query, scores in queries.items()
                for rank, doc in enumerate(by_rank({one: sign * score for one, score in scores.items()}), start=1)
            ],
        )
    return name


def stored(conn: psycopg.Connection, run: str) -> dict[str, list[tuple[int, float]]]:
    """Return the documents of a run with their scores by query, best first."""
    found: dict[str, list[tuple[int, float]]] = {}
    for query, doc, score, rank in conn.execute(
        "SELECT query, doc, rel_score, rank FROM rankings WHERE run = %s ORDER BY rank", [run]
    ):
        found.setdefault(query, []).append((doc, score))
        assert rank == len(found[query])
    return found
