"""Read a run file for scoring: the ranks of the judged documents of each query."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from stcollection.errors import BadArgument
from stcollection.evaluation.files.judged import JudgedFile
from stcollection.io.files import bad_line, clip
from stcollection.io.formats import RunFile, RunFormat, ScoredRow
from stcollection.io.roles import run_format
from stcollection.io.runs.scores import single
from stcollection.runs.names import stem
from stcollection.runs.policies import ON_DUPLICATE

_EXAMPLES = 3  # names shown in messages
_ESCAPED = re.compile(rb"\\(.)")


class JudgedRanking(NamedTuple):
    """The ranks of the judged documents of one query; see sql/evaluation/judged_lists.sql.

    :param relevant: ranks of documents with a grade of 1 or more, ascending; ``grades`` has their grades.
    :param irrelevant: ranks of documents with grade 0.
    :param pooled: ranks of documents with a negative grade.
    """

    query: bytes
    retrieved: int
    relevant: list[int]
    grades: list[int]
    irrelevant: list[int]
    pooled: list[int]


@dataclass(frozen=True, kw_only=True)
class RankedFile:
    """A run, ranked and reduced to its judged documents.

    :param name: name of the file without its extensions.
    :param tag: the run's tag in the file, else its name.
    :param rankings: one ranking per judged query that the run has documents for.
    :param queries: some of the queries of the file, judged or not.
    :param documents: some documents of judged queries.
    """

    path: Path
    name: str
    tag: str
    rankings: Sequence[JudgedRanking]
    queries: Sequence[bytes]
    documents: Sequence[bytes]


Grades = Mapping[bytes, Mapping[bytes, int]]
DocumentsByQuery = dict[bytes, tuple[list[bytes], list[float]]]


def read_ranking(
    path: Path, judged: JudgedFile, *, double: bool = False, on_duplicate: str = "error", columns: str | None = None
) -> RankedFile:
    """Read and rank a run in any format.

    :param double: compare scores in double precision, as trec_eval 10, instead of single precision, as trec_eval 9.
    :param on_duplicate: action for a document listed twice for a query: ``error``, or keep the ``first`` or the ``best`` score.
    :param columns: names of the columns of a table, as in :class:`~stcollection.runs.load.ImportOptions`.
    :raises BadInput: a line cannot be read, or a document is listed twice.
    """
    if on_duplicate not in ON_DUPLICATE:
        raise BadArgument(f"unknown policy {on_duplicate!r} for duplicates", hint=f"Use one of {', '.join(ON_DUPLICATE)}.")
    file, by_query, others = _documents(path, judged.grades, on_duplicate, columns)
    rankings: list[JudgedRanking] = []
    documents: list[bytes] = []
    for query, (docs, scores) in by_query.items():
        documents += docs[: max(0, _EXAMPLES - len(documents))]
        rankings.append(_ranked(query, docs, scores if double else single(scores).tolist(), judged.grades[query]))
    return RankedFile(
        path=path,
        name=file.run_id or stem(path),
        tag=file.tag or file.run_id or stem(path),
        rankings=rankings,
        queries=[*list(by_query)[:_EXAMPLES], *others][:_EXAMPLES],
        documents=documents,
    )


def read_rankings(path: Path, judged: Sequence[Grades]) -> list[list[JudgedRanking]]:
    """Read a run once and rank it against several sets of judgments, by trec_eval 9's rule.

    :param judged: sets of grades by query and document. :returns: for each set, the rankings of its queries.
    :raises BadInput: as for :func:`read_ranking`.
    """
    _, by_query, _ = _documents(path, {query: None for grades in judged for query in grades}, "error")
    rounded = {query: (docs, single(scores).tolist()) for query, (docs, scores) in by_query.items()}
    return [[_ranked(query, *rounded[query], grades[query]) for query in grades if query in rounded] for grades in judged]


def rank_documents(query: bytes, scores: Mapping[bytes, float], grades: Mapping[bytes, int]) -> JudgedRanking:
    """Rank the documents of one query by trec_eval 9's rule, and reduce them to the judged ones."""
    return _ranked(query, list(scores), single(list(scores.values())).tolist(), grades)


def _documents(
    path: Path, queries: Mapping[bytes, object], on_duplicate: str, columns: str | None = None
) -> tuple[RunFile, DocumentsByQuery, list[bytes]]:
    """Return a run file, its documents of the wanted queries without duplicates, and some of its other queries."""
    form = run_format(path, columns=columns)
    file = form.read(path, "rel", None)
    by_query, others = _by_query(_rows(form, file, path), queries)
    for query, (docs, scores) in by_query.items():
        if len(set(docs)) < len(docs):
            if on_duplicate == "error":
                raise _duplicate(path, form.read(path, "rel", None), query)
            by_query[query] = _distinct(docs, scores, best=on_duplicate == "best")
    return file, by_query, others


def _rows(form: RunFormat, file: RunFile, path: Path) -> Iterator[ScoredRow]:
    if form.scores is not None:
        return form.scores(path)
    return ((query, docno, score) for _, query, docno, score in _cells(file.rows))


def _by_query(rows: Iterator[ScoredRow], queries: Mapping[bytes, object]) -> tuple[DocumentsByQuery, list[bytes]]:
    """Return documents and scores by query, in file order, and some of the queries that are not wanted."""
    by_query: DocumentsByQuery = {}
    others: dict[bytes, None] = {}
    last: bytes | None = None
    docs: list[bytes] = []
    scores: list[float] = []
    for query, docno, score in rows:
        if query != last:
            last = query
            if query in queries:
                docs, scores = by_query.setdefault(query, ([], []))
            else:
                docs, scores = [], []
                if len(others) < _EXAMPLES:
                    others[query] = None
        docs.append(docno)
        scores.append(score)
    return by_query, list(others)


def _cells(rows: Iterator[bytes]) -> Iterator[tuple[int, bytes, bytes, float]]:
    """Yield line, query, document and score from rows in COPY's text format."""
    for block in rows:
        escaped = b"\\" in block.replace(b"\\N", b"")
        for row in block.split(b"\n"):
            if row:
                line, query, docno, _, score, _ = row.split(b"\t", 5)
                if escaped:
                    query, docno = _ESCAPED.sub(_unescaped, query), _ESCAPED.sub(_unescaped, docno)
                yield int(line), query, docno, float(score)


def _unescaped(match: re.Match[bytes]) -> bytes:
    return {b"t": b"\t", b"n": b"\n", b"r": b"\r"}.get(match[1], match[1])


def _ranked(query: bytes, docs: list[bytes], scores: list[float], grades: Mapping[bytes, int]) -> JudgedRanking:
    """Rank by descending score, and equal scores by descending document name as bytes, as trec_eval does."""
    ranking = JudgedRanking(query, len(docs), [], [], [], [])
    for rank, (_, docno) in enumerate(sorted(zip(scores, docs, strict=True), reverse=True), 1):
        grade = grades.get(docno)
        if grade is None:
            continue
        if grade > 0:
            ranking.relevant.append(rank)
            ranking.grades.append(grade)
        else:
            (ranking.irrelevant if grade == 0 else ranking.pooled).append(rank)
    return ranking


def _distinct(docs: list[bytes], scores: list[float], *, best: bool) -> tuple[list[bytes], list[float]]:
    kept: dict[bytes, float] = {}
    for docno, score in zip(docs, scores, strict=True):
        if kept.setdefault(docno, score) < score and best:
            kept[docno] = score
    return list(kept), list(kept.values())


def _duplicate(path: Path, file: RunFile, query: bytes) -> Exception:
    """Return the error for the first document that a query lists twice."""
    lines: dict[bytes, int] = {}
    for line, its_query, docno, _ in _cells(file.rows):
        if its_query == query and lines.setdefault(docno, line) != line:
            what = f"query {clip(query)} has document {clip(docno)} already, on line {lines[docno]}"
            hint = "--on-duplicate first keeps the first of each pair; --on-duplicate best keeps the higher score."
            return bad_line(path, line, what, hint=hint, sqlstate="IR302")
    raise AssertionError("a duplicate was counted but not found")
