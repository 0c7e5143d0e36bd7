"""Topic coverage on ACM-CR's 110,293 documents: ``python -m benchmarks coverage``.

1. The complete result for a long query new to the collection (with a stored vector), step by step; goal: under 2 s.
2. Only the counts for all word sets of a result, compared with in-memory peers: a sparse matrix by scikit-learn's CountVectorizer
   over the same lexemes, with one column per word and intersection of columns; and pandas' str.contains. Building the matrix is
   timed separately. The matrix must give the same counts as ours.

Times are wall-clock seconds, and CPU seconds of this process and the server process.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psycopg
import scipy.sparse
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.common import collection, data, dsn, paired, server, tell, timed
from stcollection.corpus.load import load
from stcollection.studies.coverage.cover import STEPS, count_documents, cover
from stcollection.studies.coverage.records import CoverageOptions
from stcollection.studies.coverage.store import long_queries
from stcollection.topics.load import load as load_topics
from stcollection.vectors.index import index
from stcollection.vectors.npy import load_npy
from stcollection.vectors.queries import query_vectors

QUERIES = 20


def main() -> None:
    folder = data() / "acm-cr"
    with server() as at, collection(at, "bench_coverage") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
        load(dsn(settings), [str(folder / "acmcr.dblp-v12.json.zst")])
        conn.execute("CALL stc.index_text()")
        load_npy(conn, vectors=folder / "abstract_v.f16.npy", ids=folder / "abstract_ids.npy", field="abstract")
        load_topics(conn, [folder / "contexts.topics"], field="desc", on_duplicate="first")
        conn.execute("VACUUM (ANALYZE) dblp, dblp_text, dblp_v, dblp_facts")
        index(conn, fields=["abstract"])
        measure(conn)


def measure(conn: psycopg.Connection) -> None:
    texts = [one.text for one in long_queries(conn)[: QUERIES + 1]]
    query_vectors(conn, texts)
    answers, walls, processors = [], [], []
    for text in texts:
        started, own, served = time.perf_counter(), time.process_time(), _served(conn)
        answers.append(cover(conn, text))
        walls.append(time.perf_counter() - started)
        processors.append(time.process_time() - own + _served(conn) - served)
    answers, walls, processors = answers[1:], walls[1:], processors[1:]  # the first query includes the import of scikit-learn
    for step in STEPS:
        tell(f"{step}, median of {len(answers)} queries", f"{statistics.median(one.seconds[step] for one in answers) * 1e3:.0f} ms")
    tell("total, median wall-clock time", f"{statistics.median(walls):.2f} s", wanted="under 2 s")
    tell("total, slowest wall-clock time", f"{max(walls):.2f} s", wanted="under 2 s")
    tell("total, median CPU time", f"{statistics.median(processors):.2f} s")
    tell("total, maximum CPU time", f"{max(processors):.2f} s")
    counts(conn, [[one.words for one in answer.topics] for answer in answers[:5]])


def counts(conn: psycopg.Connection, sets: Sequence[Sequence[Sequence[str]]]) -> None:
    started = time.perf_counter()
    rows = conn.execute("SELECT tsvector_to_array(tsv), content FROM dblp_text ORDER BY id").fetchall()
    vectorizer = CountVectorizer(binary=True, analyzer=list)  # use lexemes unchanged
    matrix: Any = scipy.sparse.csc_matrix(vectorizer.fit_transform(lexemes for lexemes, _ in rows))
    tell("peer: build the matrix, once", "", f"{time.perf_counter() - started:.1f} s")
    words = sorted({word for some in sets for one in some for word in one})
    lexeme: dict[str, str] = {
        word: found[0]
        for word in words
        if (found := conn.execute("SELECT tsvector_to_array(to_tsvector('english', %s))", [word]).fetchone()[0])  # type: ignore[index]
    }

    def by_matrix(some: Sequence[Sequence[str]]) -> list[int]:
        def holders(word: str) -> Any:
            at = vectorizer.vocabulary_[lexeme[word]]
            return matrix.indices[matrix.indptr[at] : matrix.indptr[at + 1]]

        return [len(reduce(lambda a, b: np.intersect1d(a, b, assume_unique=True), map(holders, one))) for one in some]

    series = pd.Series([content for _, content in rows])

    def by_pandas(some: Sequence[Sequence[str]]) -> list[int]:
        held = {word: series.str.contains(rf"\b{word}\b", case=False) for one in some for word in one}
        return [int(np.logical_and.reduce([held[word] for word in one]).sum()) for one in some]

    for number, some in enumerate(sets, 1):
        ours, theirs = count_documents(conn, some), by_matrix(some)
        assert ours == theirs, [row for row in zip(some, ours, theirs, strict=True) if row[1] != row[2]]
        pair = paired(lambda: count_documents(conn, some), lambda: by_matrix(some), rounds=3)  # noqa: B023
        tell(
            f"counts of {len(some)} sets, query {number}",
            f"{pair.ours * 1e3:.0f} ms",
            f"matrix {pair.peer * 1e3:.0f} ms",
            pair.ratio,
        )
    ten = sets[0][: CoverageOptions().topics]  # only the LDA topics: pandas is too slow for all
    count_documents(conn, ten)
    mine, others = timed(lambda: count_documents(conn, ten)), timed(lambda: by_pandas(ten))
    tell(
        f"counts of {len(ten)} sets, query 1; pandas does not stem", f"{mine * 1e3:.0f} ms", f"pandas {others:.1f} s", mine / others
    )


def _served(conn: psycopg.Connection) -> float:
    """Return the CPU seconds of this connection's server process, with a resolution of 0.01 s."""
    path = Path(f"/proc/{conn.info.backend_pid}/stat")
    if not path.is_file():
        return float("nan")
    fields = path.read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


if __name__ == "__main__":
    main()
