"""Reference combinations in Python and numpy, and test documents with readability and credibility."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import psycopg
from psycopg import sql

from tests.retrieval.fusing import Scores, by_rank, put_documents

Facts = Mapping[int, Mapping[str, float | None]]  # by document: measures of st1_complexity_metrics, year, citations, …
LESS = {"textstat_fkgl", "age", "long_word_share"}
_FACTS = {"year": "year", "citations": "n_citation", "references": "n_reference"}


def put_facts(conn: psycopg.Connection, facts: Facts) -> None:
    """Store documents, named by their ids, with the given facts; no readability row without a readability measure."""
    put_documents(conn, range(min(facts), max(facts) + 1))
    for doc, known in facts.items():
        for measure, value in known.items():
            if measure in _FACTS:
                column = sql.Identifier(_FACTS[measure])
                conn.execute(sql.SQL("UPDATE dblp_facts SET {} = %s WHERE id = %s").format(column), [value, doc])
            elif measure == "citation_percentile":
                if value is not None:
                    conn.execute(
                        "INSERT INTO stc.citation_ranks (id, by_year, percentile) VALUES (%s, %s, %s)", [doc, value, value]
                    )
            else:
                conn.execute("INSERT INTO st1_complexity_metrics (id, read_tok) VALUES (%s, 100) ON CONFLICT DO NOTHING", [doc])
                column = sql.Identifier(measure)
                conn.execute(sql.SQL("UPDATE st1_complexity_metrics SET {} = %s WHERE id = %s").format(column), [value, doc])


def moved(how: str, value: float) -> float:
    """Transform a value with linear, log or logistic, from the definitions."""
    name, _, numbers = how.rstrip(")").partition("(")
    a, b = map(float, numbers.split(","))
    if name == "logistic":
        return 1 / (1 + math.exp(-(value - a) / b))
    if name == "log":
        value, a, b = (math.log1p(x) for x in (max(value, 0), a, b))
    return float(np.clip((value - a) / (b - a), 0, 1))


def share(value: float, of: Sequence[float]) -> float:
    """Return the percentile of a value in the corpus, by mid-ranks."""
    return sum((other < value) + (other == value) / 2 for other in of) / len(of)


def combined(
    scores: Scores, facts: Facts, *, weights: Mapping[str, float], transforms: Mapping[str, str], missing: str = "mean"
) -> dict[int, float]:
    """Return the combined score of each document of one query's ranking."""
    order = by_rank(scores)
    parts: dict[str, dict[int, float]] = {}
    for measure, how in transforms.items():
        if measure == "relevance":
            low, high = min(scores.values()), max(scores.values())
            parts[measure] = {
                doc: {
                    "minmax": 1.0 if high == low else (score - low) / (high - low),
                    "rank": 1 - order.index(doc) / len(order),
                    "reciprocal": 61 / (61 + order.index(doc)),
                }[how]
                for doc, score in scores.items()
            }
            continue
        values = {doc: value for doc in scores if (value := facts.get(doc, {}).get(measure)) is not None}
        corpus = [value for known in facts.values() if (value := known.get(measure)) is not None]
        if how == "percentile":
            known = {doc: share(value, corpus) for doc, value in values.items()}
            known = {doc: 1 - one for doc, one in known.items()} if measure in LESS else known
        else:
            known = {doc: moved(how, value) for doc, value in values.items()}
        neutral = float(np.mean(list(known.values()))) if known and missing == "mean" else 0.0
        parts[measure] = {doc: known.get(doc, neutral) for doc in scores}
    total = sum(weights.values())
    return {doc: sum(weights[measure] * parts[measure][doc] for measure in parts) / total for doc in scores}


def world(seed: int, docs: int = 30) -> dict[int, dict[str, float | None]]:
    """Generate documents with missing measures and many equal values."""
    rng = np.random.default_rng(seed)
    return {
        doc: {
            "textstat_fkgl": float(rng.integers(6, 22)) if rng.random() < 0.8 else None,
            "textstat_fre": float(rng.integers(0, 60)),
            "citations": int(rng.integers(0, 500)) if rng.random() < 0.9 else None,
            "citation_percentile": float(rng.integers(0, 10) * 10) if rng.random() < 0.8 else None,
            "year": int(rng.integers(1990, 2021)),
        }
        for doc in range(1, docs + 1)
    }
