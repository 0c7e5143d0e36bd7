"""Documents, editions and grades for the map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.analysis.cluster_hypothesis import NeighbourRule, NeighbourShare, mean_share, neighbour_shares
from stcollection.errors import StateError, UnknownObject, translate
from stcollection.qrels.editions import editions

# Some sources write 0 for an unknown year.
_OPENED = "SELECT doc, docno, title, abstract, nullif(year, 0) AS year, venue FROM documents WHERE doc = %s"


class Spot(NamedTuple):
    """A document on the map. :param place: index into the map's arrays."""

    place: int
    doc: int
    title: str
    year: int | None
    venue: str | None


class OpenedDocument(NamedTuple):
    doc: int
    docno: str
    title: str | None
    abstract: str | None
    year: int | None
    venue: str | None


@translate()
def spots(conn: psycopg.Connection, docs: Sequence[int]) -> list[Spot]:
    """Return the documents that exist, in the given order."""
    rows = conn.execute(
        "SELECT g.place::integer - 1, d.doc, coalesce(nullif(d.title, ''), 'Document ' || d.docno), nullif(d.year, 0),"
        " d.venue"
        " FROM unnest(%s::bigint[]) WITH ORDINALITY g (doc, place) JOIN documents d USING (doc) ORDER BY g.place",
        [list(docs)],
    ).fetchall()
    return [Spot(*row) for row in rows]


@translate()
def judged_queries(conn: psycopg.Connection) -> dict[str, list[str]]:
    """Return the queries with judgments of each edition that the role can see."""
    rows = conn.execute(
        "SELECT edition, array_agg(DISTINCT query ORDER BY query) FROM judgments WHERE rel >= 0 GROUP BY edition"
    ).fetchall()
    queries: dict[str, list[str]] = dict(rows)
    return {stored.edition: queries[stored.edition] for stored in editions(conn) if stored.edition in queries}


@translate()
def grades(conn: psycopg.Connection, edition: str, queries: str) -> dict[int, int]:
    """Return the highest grade of each judged document. :param queries: a set of queries (stcollection.topics.sets).

    :raises UnknownObject: a part of the set names no query. :raises BadArgument: the expression is not complete.
    """
    return dict(
        conn.execute(
            "SELECT j.doc, max(j.rel)::integer FROM qrels j JOIN qrels_editions e ON e.id = j.edition"
            " WHERE e.edition = %s AND j.query IN (SELECT s.id FROM query_set(%s) s) AND j.rel >= 0 GROUP BY j.doc",
            [edition, queries],
        ).fetchall()
    )


def near_relevant(conn: psycopg.Connection, edition: str, queries: str) -> NeighbourShare | None:
    """Return the means of the nearest-neighbour test by abstracts, else by titles; None if it cannot be computed.

    :param queries: as for :func:`grades`, with the same errors.
    """
    for field in ("abstract", "title"):
        try:
            rule = NeighbourRule(field=field, effort=None)
            return mean_share(neighbour_shares(conn, edition=edition, queries=queries, rule=rule))
        except StateError:
            continue
    return None


@translate()
def opened(conn: psycopg.Connection, doc: int) -> OpenedDocument:
    """Return a document. :raises UnknownObject: it does not exist."""
    with conn.cursor(row_factory=class_row(OpenedDocument)) as cursor:
        row = cursor.execute(_OPENED, [doc]).fetchone()
    if row is None:
        raise UnknownObject(f"there is no document {doc}", hint="Select another document.", sqlstate="IR104")
    return row
