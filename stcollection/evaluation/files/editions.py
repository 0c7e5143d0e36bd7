"""Score a run file against the stored editions that are not hidden, without storing the run.

Judgments of documents and of subtopics are scored separately, since an edition can have both for different queries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import NamedTuple

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
# Documents with equal grades for all subtopics have the number of their group as grade (sql/evaluation/subtopic_groups.sql).
_GROUPED = """
SELECT e.id, e.edition, q.id, q.query, array_agg(d.docno), array_agg(g.number)
  FROM (SELECT DISTINCT t.edition, t.query FROM qrels_subtopics t) j
  JOIN qrels_editions e ON e.id = j.edition
  JOIN st1_queries q ON q.id = j.query
 CROSS JOIN LATERAL stc.subtopic_groups(e.id, q.id, true) g
 CROSS JOIN LATERAL unnest(g.docs) AS m (doc)
  JOIN dblp d ON d.id = m.doc
 WHERE NOT e.hidden
 GROUP BY e.id, e.edition, q.id, q.query ORDER BY e.edition COLLATE "C", q.query COLLATE "C"
"""
_SCORES = "SELECT query, scores FROM stc.score_incoming('{0}', %s::text[], true, %s, %s, %s, %s, %s)"


@dataclass(frozen=True, kw_only=True)
class EditionPreview:
    """The means of a run file on one edition.

    :param measures: of documents or of subtopics. An edition with both kinds of judgments has two previews.
    :param queries: number of queries with judgments of the kind. :param answered: number of these for which the run has documents.
    :param means: over these queries, in the order of the measures; a query without documents counts as 0.
    """

    edition: str
    measures: tuple[Measure, ...]
    queries: int
    answered: int
    means: tuple[float, ...]


class _Judged(NamedTuple):
    """The judgments of one kind of an edition.

    :param key: of the edition, for judgments of subtopics; None for those of documents.
    :param numbers: of the queries in the temporary tables: keys for subtopics.
    :param grades: by query and document; for subtopics numbers of groups.
    """

    edition: str
    key: int | None
    measures: tuple[Measure, ...]
    numbers: dict[bytes, int]
    grades: dict[bytes, dict[bytes, int]]


@translate()
def preview_scores(conn: psycopg.Connection, path: Path, *, measures: Sequence[Measure]) -> list[EditionPreview]:
    """Score a run file against every edition that is not hidden, also if the role may see hidden ones.

    Nothing is stored: the transaction has temporary tables only, and is rolled back. The role needs the right to create them.

    :param measures: of documents and of subtopics; each is computed for the editions that have its judgments.
    :returns: one EditionPreview per edition and kind of judgments with which the run has a query in common: judgments of documents
        first, then of subtopics, each sorted by name.
    :raises BadInput: a line cannot be read, or a document is listed twice for a query.
    """
    checked = [measure.checked() for measure in measures]
    with conn.transaction(force_rollback=True):
        judged = [*_by_document(conn, checked), *_by_subtopic(conn, checked)]
        pairs = zip(judged, read_rankings(path, [judgments.grades for judgments in judged]), strict=True)
        ranked = [(judgments, rankings) for judgments, rankings in pairs if rankings]
        batches: defaultdict[int | None, list[tuple[_Judged, list[JudgedRanking]]]] = defaultdict(list)
        for judgments, rankings in ranked:
            batches[judgments.key].append((judgments, rankings))
        values = {key: _values(conn, key, batch) for key, batch in batches.items()}
    return [
        EditionPreview(
            edition=judgments.edition,
            measures=judgments.measures,
            queries=len(judgments.grades),
            answered=len(rankings),
            means=ScoredFile(
                name=judgments.edition,
                tag="",
                values={query.decode(): values[judgments.key][number] for query, number in judgments.numbers.items()},
            )
            .standing(judgments.measures)
            .values,
        )
        for judgments, rankings in ranked
    ]


def _by_document(conn: psycopg.Connection, checked: Iterable[Measure]) -> list[_Judged]:
    measures = tuple(measure for measure in checked if "subtopics" not in measure.kind.uses)
    judged: dict[str, _Judged] = {}
    numbers = count()
    for edition, query, docs, grades in conn.execute(_JUDGED) if measures else ():
        _add(judged.setdefault(edition, _Judged(edition, None, measures, {}, {})), query, next(numbers), docs, grades)
    return list(judged.values())


def _by_subtopic(conn: psycopg.Connection, checked: Iterable[Measure]) -> list[_Judged]:
    measures = tuple(measure for measure in checked if "subtopics" in measure.kind.uses)
    judged: dict[int, _Judged] = {}
    for key, edition, number, query, docs, groups in conn.execute(_GROUPED) if measures else ():
        _add(judged.setdefault(key, _Judged(edition, key, measures, {}, {})), query, number, docs, groups)
    return list(judged.values())


def _add(judged: _Judged, query: str, number: int, docs: Sequence[str], grades: Sequence[int]) -> None:
    judged.numbers[query.encode()] = number
    judged.grades[query.encode()] = dict(zip((doc.encode() for doc in docs), grades, strict=True))


def _values(
    conn: psycopg.Connection, key: int | None, ranked: Sequence[tuple[_Judged, list[JudgedRanking]]]
) -> Mapping[int, dict[Measure, float]]:
    """Score the rankings of a run for editions with the same measures. :returns: values by number of the query."""
    conn.execute("SELECT stc.stage_rankings()")
    with conn.cursor() as cursor:
        with cursor.copy("COPY pg_temp.incoming_grades FROM STDIN") as copy:
            for judgments, _ in ranked:
                for query, graded in judgments.grades.items():
                    copy.write_row((judgments.numbers[query], sorted(graded.values(), reverse=True)))
        with cursor.copy("COPY pg_temp.incoming_rankings FROM STDIN") as copy:
            for judgments, rankings in ranked:
                for ranking in rankings:
                    copy.write_row((0, judgments.numbers[ranking.query], *ranking[1:]))
    measures = ranked[0][0].measures
    scores = conn.execute(_SCORES, [list(map(str, measures)), *USUAL.arguments, key])
    return {number: dict(zip(measures, values, strict=True)) for number, values in scores}
