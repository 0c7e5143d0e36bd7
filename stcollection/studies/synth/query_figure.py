"""Draw the lengths of judged queries, and the words of them that relevant documents have."""

from __future__ import annotations

from typing import Annotated, Literal

import psycopg

from stcollection.db.simulated import note_simulated
from stcollection.declared import Option, declare
from stcollection.errors import StateError, translate
from stcollection.evaluation.parameters import EditionArgument, Grade, QueriesOption, set_of
from stcollection.plots.canvas import Figure, Width
from stcollection.studies.synth.query_drawing import QueryHistograms, draw_queries
from stcollection.topics.sets import ALL, titled


@note_simulated("edition")
@translate()
def query_histograms(
    conn: psycopg.Connection, edition: str, *, field: str = "abstract", level: int = 1, queries: str = ALL
) -> QueryHistograms:
    """Return the distributions of the queries that an edition judges (synth/sql/query_histograms.sql).

    :param field: text of the documents: ``abstract``, or ``content`` for title and abstract.
    :param level: the lowest grade that counts as relevant.
    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :raises UnknownObject: the edition, the field or the set does not exist.
    :raises StateError: no judged query has a text.
    """
    rows = conn.execute("SELECT * FROM stc.query_histograms(%s, %s, %s, %s)", [edition, field, level, queries]).fetchall()
    parts: dict[str, dict[str, dict[int, int]]] = {"length": {}, "found": {}}
    for origin, what, words, count in rows:
        parts[what].setdefault(origin, {})[words] = count
    if not parts["length"]:
        raise StateError(
            f"{edition!r} judges no query with a text", hint="Load the queries with 'stc load --as topics'.", sqlstate="IR405"
        )
    return QueryHistograms(
        edition=titled(edition, queries),
        field=field,
        lengths=parts["length"],
        in_documents=parts["found"],
    )


@declare
def plot_queries(
    conn: psycopg.Connection,
    edition: EditionArgument,
    *,
    field: Literal["abstract", "content"] = "abstract",
    level: Annotated[int, Grade, Option("-l", "--min-grade")] = 1,
    query_set: QueriesOption = ALL,
    width: Width = None,
) -> Figure:
    """Plot the lengths of EDITION's queries, and how many of their words the relevant documents have, by origin of the queries.

    Words are counted without stopping or stemming, as for 'stc synth select'.

    :param field: Text of the documents in which query words are looked up; content is title and abstract.
    :param level: Lowest grade that counts as relevant. Gains do not change.
    """
    return draw_queries(query_histograms(conn, edition, field=field, level=level, queries=set_of(query_set)), width=width)
