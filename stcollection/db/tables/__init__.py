"""The tables, as SQLAlchemy describes them; migrations/ builds the same, and a test holds the two together.

Run-time work does not pass through here: it calls SQL functions over psycopg.
"""

from stcollection.db.tables import (
    answers,
    code,
    complexity,
    corpus,
    evaluation,
    qrels,
    roles,
    runs,
    synth,
    text,
    topics,
    vectors,
)
from stcollection.db.tables.columns import metadata, partition

__all__ = [
    "answers", "code", "complexity", "corpus", "evaluation", "metadata", "partition", "qrels", "roles", "runs", "synth", "text",
    "topics", "vectors",
]  # fmt: skip
