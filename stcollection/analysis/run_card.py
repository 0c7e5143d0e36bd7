"""One run: where it comes from, its scores in each edition, and its scores by query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.db.roles import sees_all_rows
from stcollection.db.rows import records
from stcollection.errors import translate
from stcollection.evaluation.measures import AP, RR, Judged, Measure, P, nDCG
from stcollection.runs.listing import require_run
from stcollection.runs.receive import RunReceipt

CARD_MEASURES: tuple[Measure, ...] = (nDCG @ 10, AP, RR, P @ 10, Judged @ 10)
_FACTS = """
SELECT o.run, o.team, o.tag, o.manual, o.family, o.queries, o.ranked, o.depth, o.source, n.sha256, o.made,
       stc.plain_metadata(n.params) AS params, coalesce(stc.plain_metadata(n.metadata), stc.run_metadata(n.run)) AS metadata,
       n.metadata #>> '{implementation,source,commit}' AS commit
  FROM run_overview o JOIN st1_runs n USING (run) WHERE o.run = %s
"""
_SCORES = """
SELECT e.edition, s.query, s.measure, s.value, q.text
  FROM qrels_editions e
 CROSS JOIN LATERAL scores(ARRAY[%s], e.edition, %s::text[]) s
  JOIN st1_queries q ON q.query = s.query COLLATE "C"
 ORDER BY e.edition, s.query COLLATE "C"
"""
_RECEIPTS = """
SELECT received, file, sha256, team, run, accepted, reasons FROM stc_all.run_receipts
 WHERE run = %s OR sha256 = %s ORDER BY id
"""


class RunFacts(NamedTuple):
    """Provenance of a run.

    :param ranked: ranked documents over all queries. :param metadata: in the format of ir_metadata.
    :param commit: the version of the source code in the metadata.
    """

    run: str
    team: str | None
    tag: str | None
    manual: bool
    family: str | None
    queries: int
    ranked: int
    depth: int
    source: str | None
    sha256: str | None
    made: datetime
    params: dict[str, Any]
    metadata: dict[str, Any]
    commit: str | None


class EditionScores(NamedTuple):
    """Means of a run in an edition. :param means: by name of the measure. :param queries: judged queries."""

    edition: str
    queries: int
    means: dict[str, float]


class QueryValue(NamedTuple):
    """The score of a run on one query."""

    query: str
    text: str | None
    value: float


class RunCard(NamedTuple):
    """Everything stored about a run.

    :param scores: one entry per visible edition. :param values: by edition, scores by query for the first measure, best first.
    :param receipts: of the file it was imported from; None if this role cannot read receipts.
    """

    facts: RunFacts
    measures: tuple[Measure, ...]
    scores: list[EditionScores]
    values: dict[str, list[QueryValue]]
    receipts: list[RunReceipt] | None


@translate()
def run_card(conn: psycopg.Connection, run: str, *, measures: Sequence[Measure] = CARD_MEASURES) -> RunCard:
    """Return what is stored about a run, with its scores in all editions that the role can see.

    :param measures: averaged over the queries of each edition; a query for which the run has nothing scores 0.
    :raises UnknownObject: the run is not stored, or a measure does not exist.
    """
    with conn.cursor(row_factory=class_row(RunFacts)) as cursor:
        facts = cursor.execute(_FACTS, [run]).fetchone()
    if facts is None:
        require_run(conn, run)
    assert facts is not None  # noqa: S101
    names = [str(measure) for measure in measures]
    by_edition: defaultdict[str, defaultdict[str, list[QueryValue]]] = defaultdict(lambda: defaultdict(list))
    for edition, query, measure, value, text in conn.execute(_SCORES, [run, names]):
        by_edition[edition][measure].append(QueryValue(query, text, value))
    scores = [
        EditionScores(
            edition,
            max(map(len, by_measure.values())),
            {name: sum(row.value for row in rows) / len(rows) for name, rows in by_measure.items()},
        )
        for edition, by_measure in by_edition.items()
    ]
    values = {edition: sorted(by_measure[names[0]], key=lambda row: -row.value) for edition, by_measure in by_edition.items()}
    return RunCard(facts, tuple(measures), scores, values, _receipts(conn, facts))


def _receipts(conn: psycopg.Connection, facts: RunFacts) -> list[RunReceipt] | None:
    """Return the receipts of the run's file. Participants and readers have no access to them."""
    if not sees_all_rows(conn):
        return None
    return records(conn, RunReceipt, _RECEIPTS, [facts.run, facts.sha256])
