"""Draw the topic coverage of a query."""

from __future__ import annotations

import psycopg

from stcollection.errors import StateError
from stcollection.plots.canvas import Figure
from stcollection.plots.coverage import TopicCount, TopicCounts, draw_coverage
from stcollection.studies.coverage.records import Coverage, Kind
from stcollection.studies.coverage.store import load_coverage


def topic_counts(name: str, coverage: Coverage, kind: Kind) -> TopicCounts:
    """Return the topics of a kind, with their marks, as a record to draw. :raises StateError: the coverage has none."""
    topics = coverage.marked(kind)
    if not topics:
        hint = f"Compute it with a lower --support: 'stc coverage compute {name}'."
        raise StateError(f"the coverage {name!r} has no topic of the kind {kind}", hint=hint, sqlstate="IR405")
    return TopicCounts(
        coverage=name,
        text=coverage.text,
        kind=kind,
        abstracts=len(coverage.docs),
        topics=[TopicCount(", ".join(topic.words), topic.count, mark) for topic, mark in topics],
    )


def plot_coverage(conn: psycopg.Connection, name: str, *, kind: Kind = "lda", width: float | None = None) -> Figure:
    """Draw a stored coverage; see :func:`~stcollection.plots.coverage.draw_coverage`.

    :raises UnknownObject: the coverage does not exist.
    :raises StateError: it has no topic of the kind.
    """
    return draw_coverage(topic_counts(name, load_coverage(conn, name), kind), width=width)
