"""Score a run file against the stored editions that are not hidden, without storing the run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg

from stcollection.errors import translate
from stcollection.evaluation.files.ranked import JudgedRanking, read_rankings
from stcollection.evaluation.files.score import ScoredFile
from stcollection.evaluation.measures import Measure
from stcollection.evaluation.score import USUAL

_JUDGED = """
SELECT e.edition, q.query, array_agg(d.docno), array_agg(j.rel)
  FROM qrels j
  JOIN qrels_editions e ON e.id = j.edition
  JOIN st1_queries q ON q.id = j.query
  JOIN dblp d ON d.id = j.doc
 WHERE NOT e.hidden
 GROUP BY e.edition, q.query ORDER BY e.edition COLLATE "C", q.query COLLATE "C"
"""
_SCORES = "SELECT query, scores FROM stc.score_incoming('{0}', %s::text[], true, %s, %s, %s, %s)"
EditionGrades = dict[bytes, dict[bytes, int]]


@dataclass(frozen=True, kw_only=True)
class EditionPreview:
    """The means of a run file on one edition.

    :param queries: number of judged queries. :param answered: number of these for which the run has documents.
    :param means: over the judged queries, in the order of the measures; a query without documents counts as 0.
    """

    edition: str
    queries: int
    answered: int
    means: tuple[float, ...]


@translate()
def preview_scores(conn: psycopg.Connection, path: Path, *, measures: Sequence[Measure]) -> list[EditionPreview]:
    """Score a run file against every edition that is not hidden, also if the role may see hidden ones.

    Nothing is stored: the transaction has temporary tables only, and is rolled back. The role needs the right to create them.

    :returns: one EditionPreview per edition with which the run has a query in common, sorted by name.
    :raises BadInput: a line cannot be read, or a document is listed twice for a query.
    """
    wanted = [measure.checked() for measure in measures]
    with conn.transaction(force_rollback=True):
        judged: defaultdict[str, EditionGrades] = defaultdict(dict)
        for edition, query, docs, grades in conn.execute(_JUDGED):
            judged[edition][query.encode()] = dict(zip((doc.encode() for doc in docs), grades, strict=True))
        found = zip(judged.items(), read_rankings(path, list(judged.values())), strict=True)
        ranked = [(edition, grades, rankings) for (edition, grades), rankings in found if rankings]
        places = _stage(conn, ranked)
        values: defaultdict[str, dict[str, dict[Measure, float]]] = defaultdict(dict)
        for number, scores in conn.execute(_SCORES, [list(map(str, wanted)), *USUAL.arguments]):
            edition, query = places[number]
            values[edition][query.decode()] = dict(zip(wanted, scores, strict=True))
    return [
        EditionPreview(
            edition=edition,
            queries=len(grades),
            answered=len(rankings),
            means=ScoredFile(name=edition, tag="", values=values[edition]).standing(wanted).values,
        )
        for edition, grades, rankings in ranked
    ]


def _stage(conn: psycopg.Connection, ranked: Sequence[tuple[str, EditionGrades, list[JudgedRanking]]]) -> list[tuple[str, bytes]]:
    """Fill the temporary tables of score_incoming. :returns: edition and query of each query number."""
    places = [(edition, query) for edition, grades, _ in ranked for query in grades]
    numbers = {place: number for number, place in enumerate(places)}
    conn.execute("SELECT stc.stage_rankings()")
    with conn.cursor() as cursor:
        with cursor.copy("COPY pg_temp.incoming_grades FROM STDIN") as copy:
            for edition, grades, _ in ranked:
                for query, graded in grades.items():
                    copy.write_row((numbers[edition, query], sorted(graded.values(), reverse=True)))
        with cursor.copy("COPY pg_temp.incoming_rankings FROM STDIN") as copy:
            for edition, _, rankings in ranked:
                for ranking in rankings:
                    copy.write_row((0, numbers[edition, ranking.query], *ranking[1:]))
    return places
