"""Subtopic judgments of a file, for measures such as alpha_nDCG.

The SQL functions that compute these measures for stored runs read the judgments from ``qrels_subtopics`` and the names of documents
from ``dblp``. Here both are tables of the temporary workspace (:mod:`~stcollection.evaluation.files.scratch`). Documents with equal
grades for all subtopics form a group (sql/evaluation/subtopic_groups.sql). Rankings have its number where others have a grade.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from stcollection.errors import BadArgument
from stcollection.evaluation.files.judged import JudgedFile
from stcollection.evaluation.measures import Measure
from stcollection.io.files import bad_line, clip
from stcollection.io.qrels.subtopics import NamesNoSubtopics, SubtopicJudgment, read_subtopics

if TYPE_CHECKING:
    import psycopg

EDITION = 1  # key of the judgments in the workspace

_TABLES = """
CREATE TABLE dblp (id bigint PRIMARY KEY, docno text COLLATE "C");
CREATE TABLE qrels_subtopics (edition integer, query integer, subtopic text COLLATE "C", doc bigint, rel smallint,
                              PRIMARY KEY (edition, query, subtopic, doc));
"""
_GROUPS = """
SELECT q.query, g.number, array_agg(d.docno)
  FROM generate_series(0, %s) AS q (query) CROSS JOIN LATERAL subtopic_groups(%s, q.query, true) g
 CROSS JOIN LATERAL unnest(g.docs) AS m (doc) JOIN dblp d ON d.id = m.doc GROUP BY q.query, g.number
"""


def by_subtopic(measures: Iterable[Measure]) -> bool:
    """Return True if the measures need subtopic judgments.

    :raises BadArgument: some do and others do not, so that they cannot have the same judgments.
    """
    measures = list(measures)
    needing = [measure for measure in measures if "subtopics" in measure.kind.uses]
    others = [measure for measure in measures if "subtopics" not in measure.kind.uses]
    if needing and others:
        raise BadArgument(
            f"{needing[0]} needs subtopic judgments, and {others[0]} needs judgments of documents",
            hint="Score the two in separate commands, each against its own file of judgments.",
        )
    return bool(needing)


def read_judged_subtopics(
    path: Path, *, best_grade: int | None = None, relevance: int | None = None, columns: str | None = None
) -> JudgedFile:
    """Read a file of subtopic judgments: lines ``query subtopic document grade``.

    :param best_grade, relevance, columns: must be None: grades cannot be reversed, each line has one, and columns have no names.
    :returns: judgments whose grades are 0 until :func:`stage_subtopics` has grouped the documents.
    :raises BadInput: a line cannot be read, the file has no subtopics, or two grades for a document and subtopic.
    """
    for option, value in (("--best-grade", best_grade), ("--relevance", relevance), ("--columns", columns)):
        if value is not None:
            raise BadArgument(
                f"{option} does not apply to subtopic judgments",
                hint="In their file each line has a grade, and a larger one is better.",
            )
    try:
        return with_subtopics(path, read_subtopics(path))
    except NamesNoSubtopics as error:
        raise NamesNoSubtopics(
            error.message,
            hint="Measures of subtopics need lines: query subtopic document grade. Use nDCG@10 or another measure for this file.",
            sqlstate=error.sqlstate,
        ) from None


def with_subtopics(path: Path, judgments: Iterable[SubtopicJudgment]) -> JudgedFile:
    """Return judgments of subtopics. :param path: shown in messages. :raises BadInput: two grades for a document and subtopic."""
    distinct: dict[tuple[str, str, str], SubtopicJudgment] = {}
    grades: dict[bytes, dict[bytes, int]] = {}
    for judgment in judgments:
        before = distinct.setdefault((judgment.query, judgment.subtopic, judgment.doc), judgment)
        if before.rel != judgment.rel:
            what = f"query {clip(judgment.query)}, subtopic {clip(judgment.subtopic)}, document {clip(judgment.doc)}"
            raise bad_line(
                path,
                judgment.line,
                f"{what} has grade {judgment.rel}, but {before.rel} on an earlier line",
                hint="A document has one grade for a subtopic: correct the file.",
                sqlstate="IR302",
            )
        grades.setdefault(judgment.query.encode(), {})[judgment.doc.encode()] = 0
    return JudgedFile(path=path, grades=grades, simulated=False, subtopics=tuple(distinct.values()))


def stage_subtopics(conn: psycopg.Connection, judged: JudgedFile) -> JudgedFile:
    """Copy the subtopic judgments of the judged queries into the workspace.

    :param conn: a connection to a workspace.
    :returns: the judgments with the number of each document's group as its grade.
    """
    queries = sorted(judged.grades)
    numbers = {query.decode(): number for number, query in enumerate(queries)}
    kept = [judgment for judgment in judged.subtopics if judgment.query in numbers]
    docs = {doc: number for number, doc in enumerate(dict.fromkeys(judgment.doc for judgment in kept))}
    conn.execute(_TABLES)
    with conn.cursor() as cursor:
        with cursor.copy("COPY dblp FROM STDIN") as copy:
            for doc, number in docs.items():
                copy.write_row((number, doc))
        with cursor.copy("COPY qrels_subtopics FROM STDIN") as copy:
            for judgment in kept:
                copy.write_row((EDITION, numbers[judgment.query], judgment.subtopic, docs[judgment.doc], judgment.rel))
    conn.execute("ANALYZE dblp, qrels_subtopics")
    grades: dict[bytes, dict[bytes, int]] = {query: {} for query in queries}
    for query, group, names in conn.execute(_GROUPS, [len(queries) - 1, EDITION]):
        grades[queries[query]] |= {name.encode(): group for name in names}
    return replace(judged, grades=grades)
