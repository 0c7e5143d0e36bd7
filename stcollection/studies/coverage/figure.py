"""Draw the topic coverage of a query."""

from __future__ import annotations

from typing import Annotated

import psycopg

from stcollection.declared import Option, declare
from stcollection.errors import StateError
from stcollection.plots.canvas import Figure, Width
from stcollection.studies.coverage.drawing import TopicCount, TopicCounts, draw_coverage
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


@declare
def plot_coverage(
    conn: psycopg.Connection, name: Annotated[str, Option("NAME")], *, kind: Kind = "lda", width: Width = None
) -> Figure:
    """Plot how many documents of the corpus cover each topic of the stored coverage NAME, frequent and rare topics marked.

    'stc coverage compute' stores a coverage under the name of its query.

    :param kind: Kind of topics.
    :raises UnknownObject: the coverage does not exist.
    :raises StateError: it has no topic of the kind.
    """
    return draw_coverage(topic_counts(name, load_coverage(conn, name), kind), width=width)
