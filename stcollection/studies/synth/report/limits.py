"""The last report section: limits of the data, counted in the data themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
from psycopg import sql

from stcollection.counts import counted
from stcollection.db.roles import rows_schema
from stcollection.studies.synth.report.parts import Cell, ReportTable, Section, StudySources, listed
from stcollection.studies.synth.report.sections import HUMAN, SYNTHETIC, families_of, origins_of

FEW = 25  # with fewer queries, a mean, a correlation or a test is unreliable
_LEAST = 2  # with fewer systems, a family is a single system

_UNANSWERED = (
    "SELECT run, count(*) FROM stc.score_grid(%s::text[], %s, %s, 'drop', %s) WHERE value IS NULL GROUP BY run"
    ' ORDER BY run COLLATE "C"'
)
_QUERIES = """
SELECT q.origin, count(*), count(*) FILTER (WHERE q.text IS NULL), count(*) FILTER (WHERE q.source IS NULL),
       count(*) FILTER (WHERE NOT EXISTS (
           SELECT FROM qrels j JOIN qrels_editions e ON e.id = j.edition
            WHERE e.edition = %(edition)s AND j.query = q.id AND j.rel > 0))
  FROM st1_queries q WHERE q.id = ANY (stc.edition_queries(%(edition)s, %(queries)s)) GROUP BY q.origin
  ORDER BY q.origin <> 'human', q.origin COLLATE "C"
"""
_CUTS = """
SELECT q.origin, c.reason, count(*) FROM {}.query_cuts c JOIN qrels_editions e ON e.id = c.edition JOIN st1_queries q
ON q.id = c.query
 WHERE e.edition = %s AND q.query IN (SELECT s.query FROM query_set(%s) s) GROUP BY 1, 2
 ORDER BY q.origin <> 'human', q.origin COLLATE "C", c.reason
"""


def report_limits(conn: psycopg.Connection, study: StudySources, sections: Sequence[Section]) -> Section:
    """Section on the limits of the data and ways around them. :param sections: the preceding sections, which may lack parts."""
    rows: list[tuple[Cell, ...]] = [*_origins(conn, study), *_families(conn, study), *_queries(conn, study), *_answers(conn, study)]
    for section in sections:
        rows += [(section.title, part.what.rstrip("."), part.command or part.hint) for part in section.missing]
    return Section(
        paragraphs=(
            f"{counted(len(rows), 'limit')} to keep in mind while reading the sections above."
            if rows
            else "No limits found: two origins or more, families for all systems, answers to all queries.",
        ),
        tables=(
            ReportTable(
                name="limits",
                caption="Missing data, and how to add it.",
                headers=("of", "what", "what to do"),
                rows=tuple(rows),
            ),
        )
        if rows
        else (),
    )


def _origins(conn: psycopg.Connection, study: StudySources) -> Iterator[tuple[Cell, ...]]:
    origins = origins_of(conn, study.edition, study.queries)
    if len(origins) == 1:
        [only] = origins
        yield "origins", f"all judged queries of {study.edition} are {only}: origins cannot be compared", SYNTHETIC
    elif origins and HUMAN not in origins:
        yield "origins", f"{study.edition} judges no human queries: synthetic queries are compared with each other", SYNTHETIC
    for origin, number in origins.items():
        if number < FEW:
            limit = f"{counted(number, 'query is', 'queries are')} {origin}, fewer than {FEW}: their intervals are wide"
            yield "origins", limit, "judge more queries of this origin"


def _families(conn: psycopg.Connection, study: StudySources) -> Iterator[tuple[Cell, ...]]:
    families = families_of(conn, study)
    none = families.pop(None, [])
    if none:
        limit = (
            f"{counted(len(none), 'system has', 'systems have')} no family and {'is' if len(none) == 1 else 'are'} in no comparison"
        )
        yield "families", f"{limit} of families: {listed(none)}", "stc load --as families FILE"
    if len(families) == 1:
        yield (
            "families",
            f"all systems belong to one family, {listed([str(name) for name in families])}: no bias between families",
            None,
        )
    alone = [f"{name} ({runs[0]})" for name, runs in families.items() if len(runs) < _LEAST]
    if alone and len(families) > 1:
        limit = f"{counted(len(alone), 'family has', 'families have')} only one system: results may not apply to the family"
        yield "families", f"{limit}: {listed(alone)}", None


def _queries(conn: psycopg.Connection, study: StudySources) -> Iterator[tuple[Cell, ...]]:
    origins: list[tuple[Any, ...]] = conn.execute(_QUERIES, {"edition": study.edition, "queries": study.queries}).fetchall()
    for origin, number, stubs, unsourced, hopeless in origins:
        of = f"of {counted(number, 'query')} of the origin {origin}"
        if stubs:
            yield "queries", f"{stubs:,} {of} without a text: their words are not analysed", "stc load --as topics FILE"
        if unsourced and origin != HUMAN:
            yield "queries", f"{unsourced:,} {of} without a source document: no sparse judgment", SYNTHETIC
        if hopeless:
            limit = f"{hopeless:,} {of} without a relevant document: every system scores 0 there"
            yield "queries", limit, "judge deeper, or cut them"
    cuts = sql.SQL(_CUTS).format(rows_schema(conn))
    for origin, reason, number in conn.execute(cuts, [study.edition, study.queries]):
        yield "queries", f"{counted(number, 'query')} of the origin {origin} cut by the assessors: {reason}", None


def _answers(conn: psycopg.Connection, study: StudySources) -> Iterator[tuple[Cell, ...]]:
    if study.scored is not None:
        limit = f"no system has scores under {study.edition}: systems are ranked with the labels of {study.scored}"
        yield "answers", limit, "stc load --as runs FILE"
    runs = conn.execute(_UNANSWERED, [list(study.runs), study.ranking, str(study.measure.checked()), study.queries]).fetchall()
    if runs:
        counts = listed([f"{run}: {number:,}" for run, number in runs])
        yield (
            "answers",
            f"{counted(len(runs), 'system has', 'systems have')} no ranking or score for some queries, which count 0 ({counts})",
            None,
        )
