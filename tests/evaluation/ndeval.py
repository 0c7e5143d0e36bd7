"""Scores by ndeval, through pyndeval: the oracle for measures of subtopics."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Mapping, Sequence

import psycopg
import pyndeval

from tests.evaluation.conftest import Run, ranked

Subtopics = Sequence[tuple[str, str, str, int]]  # query, subtopic, document, grade, in the order of the subtopics
_NAMES = {"StRecall": "strec", "AP_IA": "MAP-IA"}
_numbers = itertools.count(1)


def made(seed: int, *, queries: int, documents: int, depth: int, judged: int, subtopics: int = 6) -> tuple[Run, Subtopics]:
    """Return a run without equal scores, and judgments of documents for 1 to ``subtopics`` subtopics per query."""
    draw = random.Random(seed)
    names = [f"d{number}" for number in range(documents)]
    run, rows = {}, []
    for number in range(queries):
        query = f"q{number}"
        run[query] = {doc: -float(rank) for rank, doc in enumerate(draw.sample(names, draw.randint(1, depth)))}
        pool = draw.sample(names, judged)
        for subtopic in range(1, draw.randint(1, subtopics) + 1):
            share = draw.random()
            rows += [
                (query, str(subtopic), doc, draw.choice([1, 1, 2]) if draw.random() < share else draw.choice([-2, 0]))
                for doc in draw.sample(pool, draw.randint(1, judged))
            ]
    return run, rows


def store_subtopics(conn: psycopg.Connection, judged: Iterable[tuple[str, str, str, int]], name: str | None = None) -> str:
    """Store the judgments as an edition and return its name."""
    name = name or f"subtopics{next(_numbers)}"
    conn.execute("SELECT stc.stage_subtopics()")
    with conn.cursor() as cursor, cursor.copy("COPY pg_temp.incoming (line, query, subtopic, docno, rel) FROM STDIN") as copy:
        for line, row in enumerate(judged, 1):
            copy.write_row((line, *row))
    conn.execute("SELECT stc.import_subtopics(%s)", [name])
    return name


def expected(
    measure: str, run: Run, judged: Subtopics, *, cutoff: int | None = None, level: int = 1, alpha: float = 0.5, beta: float = 0.5
) -> Mapping[str, float]:
    """Return pyndeval's value for each query. It gets the documents in our order, because it breaks ties differently."""
    name = _NAMES.get(measure, measure.replace("_", "-")) + ("" if cutoff is None else f"@{cutoff}")
    order = ((query, doc, -float(rank)) for query, docs in run.items() for rank, doc in enumerate(ranked(docs)))
    evaluator = pyndeval.RelevanceEvaluator(judged, [name], relevance_level=level, alpha=alpha, beta=beta)
    return {query: values[name] for query, values in evaluator.evaluate(order).items()}
