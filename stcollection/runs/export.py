"""Export runs in any format that can be written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Annotated, BinaryIO

import psycopg
from psycopg.rows import class_row

from stcollection.corpus.licences import known_licences
from stcollection.declared import AllowedRange, Option, check_fields, declare
from stcollection.errors import translate
from stcollection.io import registry
from stcollection.io.formats import Exported as Exported
from stcollection.io.formats import RunHeader
from stcollection.io.records import Ranked as Ranked
from stcollection.runs.listing import header, require_run
from stcollection.runs.names import run_id
from stcollection.topics.sets import ALL, SetExpression


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """What to write of a run.

    If the name of the run is a run_id already, the file has that run_id.

    :param score: Score to rank by: relevance, or relevance and readability combined.
    :param depth: Number of documents per query.
    :param team: Team in the run_id of a SimpleText file, ``TEAM_task1_NAME``.
    :param licences: Write passages only of documents with these licences.
    """

    score: Annotated[str, Option(choices=("rel", "comb"))] = "rel"
    depth: Annotated[int | None, AllowedRange(ge=1), Option(default="all")] = None
    team: Annotated[str | None, Option(default="the run's, else stc")] = None
    queries: SetExpression = ALL
    licences: Sequence[str] = ()

    def __post_init__(self) -> None:
        check_fields(self)


_ALL = ExportOptions()


@declare
@translate()
def export_run(
    conn: psycopg.Connection,
    run: Annotated[str, Option("NAME")],
    out: BinaryIO,
    *,
    layout: Annotated[str, Option(each="format")],
    options: ExportOptions = _ALL,
) -> Exported:
    """Write a run to a file. Importing the file, or reading it with trec_eval, gives the same ranks.

    The passage of a SimpleText submission is the stored passage. Without one, it is the sentence of the abstract (or the title)
    that contains most words of the query.

    :param layout: Format to write.
    :raises UnknownObject: the run or the set is not stored, or no document has the licence.
    :raises BadArgument: unknown format, or the format cannot represent a name in the run.
    """
    format_ = registry.run_format(layout)
    if format_.write is None:
        raise registry.unknown_format("runs", layout, written=True)
    stored, manual = header(conn, run)
    rel, comb = _in_unit(conn, run) if format_.passages else (False, False)
    about = RunHeader(
        name=run,
        run_id=run_id(run, team=options.team or stored or "stc"),
        manual=manual,
        score=options.score,
        rel_in_unit=rel,
        comb_in_unit=comb,
    )
    ranked = ranked_by_query(conn, run, options, passages=format_.passages)
    return format_.write(ranked, out, about)


def export_trec(conn: psycopg.Connection, run: str, out: BinaryIO, *, score: str = "rel", depth: int | None = None) -> Exported:
    """Write a run as ``query Q0 docno rank score name``; see :func:`export_run`."""
    return export_run(conn, run, out, layout="trec", options=ExportOptions(score=score, depth=depth))


def ranked_by_query(conn: psycopg.Connection, run: str, options: ExportOptions, *, passages: bool) -> Iterator[list[Ranked]]:
    """Yield the ranking query by query, from a server-side cursor so that memory holds one query at a time."""
    require_run(conn, run)
    licences = known_licences(conn, options.licences)
    with conn.transaction(), conn.cursor(name="run_ranking", row_factory=class_row(Ranked)) as cursor:
        cursor.itersize = 10_000
        cursor.execute(
            "SELECT r.query, r.docno, r.rank, r.rel_score, r.comb_score, r.topic,"
            "       CASE WHEN %(licences)s::text[] IS NULL OR stc.has_licence(r.docno, %(licences)s) THEN r.passage END AS passage"
            "  FROM stc.run_ranking(%(run)s, %(score)s, %(depth)s, %(passages)s, %(queries)s) r",
            {
                "run": run,
                "score": options.score,
                "depth": options.depth,
                "passages": passages,
                "queries": options.queries,
                "licences": licences,
            },
        )
        for _, rows in groupby(cursor, key=attrgetter("query")):
            yield list(rows)


def _in_unit(conn: psycopg.Connection, run: str) -> tuple[bool, bool]:
    """Return whether all rel_scores, and all comb_scores, of the run are in [0, 1]."""
    row = conn.execute(
        "SELECT coalesce(bool_and(rel_score BETWEEN 0 AND 1), true),"
        " coalesce(bool_and(coalesce(comb_score, rel_score) BETWEEN 0 AND 1), true)"
        " FROM stc.st1_rankings r JOIN st1_runs n ON n.id = r.run WHERE n.run = %s",
        [run],
    ).fetchone()
    return row or (True, True)
