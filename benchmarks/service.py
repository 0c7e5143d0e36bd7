"""New queries in psql: hybrid_search on ACM-CR, with the vector computed by a running 'stc serve embeddings'.

The queries are titles of the collection's documents and its citation contexts, which are long. The parts are timed too: only the
vector (embed_query), and only the search, once the vector is stored. The peer uses no service: it computes the vector in the
client's process and passes it to the same hybrid_search. Goal: a p50 under 30 ms.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import psycopg

from benchmarks.common import collection, data, dsn, server, tell, timed
from stcollection.corpus.load import load
from stcollection.db.settings import Settings
from stcollection.text.index import index as index_text
from stcollection.topics.load import load as load_topics
from stcollection.vectors import model
from stcollection.vectors.index import index as index_vectors
from stcollection.vectors.npy import load_npy
from stcollection.vectors.queries import notation

QUERIES = 50
WARM = 5
# This collection has no vectors of titles.
SEARCH = "SELECT * FROM hybrid_search(%s, 10, rankers => '{bm25,abstract}')"
GIVEN = "SELECT * FROM hybrid_search(%s, 10, query_vector => %s::vector, rankers => '{bm25,abstract}')"
TITLES = "SELECT title FROM dblp_text WHERE length(title) BETWEEN 30 AND 90 AND title !~ '[-+]' ORDER BY md5(id::text) LIMIT %s"
CONTEXTS = "SELECT DISTINCT text FROM st1_queries WHERE length(text) <= 2000 ORDER BY text LIMIT %s"


def main() -> None:
    folder = data() / "acm-cr"
    with server() as at, collection(at, "bench_service") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
        load(dsn(settings), [str(folder / "acmcr.dblp-v12.json.zst")])
        load_topics(conn, [folder / "contexts.topics"], field="desc", on_duplicate="first")
        index_text(conn)
        load_npy(conn, vectors=folder / "abstract_v.f16.npy", ids=folder / "abstract_ids.npy", field="abstract")
        index_vectors(conn, fields=["abstract"])
        conn.execute("VACUUM (ANALYZE) dblp, dblp_v, dblp_text")
        with running(settings):
            for what, statement in (("titles", TITLES), ("contexts", CONTEXTS)):
                texts = [text for (text,) in conn.execute(statement.encode(), [2 * QUERIES + WARM])]
                measure(conn, what, texts[: QUERIES + WARM], texts[QUERIES + WARM :])


def measure(conn: psycopg.Connection, what: str, texts: Sequence[str], others: Sequence[str]) -> None:
    """Time queries. :param others: further queries of the same kind, for timing the vector, since a query is new only once."""
    encoder = model.load()

    def ours(text: str) -> None:
        conn.execute(SEARCH.encode(), [text], prepare=False).fetchall()

    def peer(text: str) -> None:
        vector = notation(encoder.encode([text], query=True)[0])
        conn.execute(GIVEN.encode(), [text, vector], prepare=False).fetchall()

    def vector_alone(text: str) -> None:
        conn.execute("SELECT embed_query(%s)", [text], prepare=False).fetchall()

    for text in texts[:WARM]:
        ours(text)
        peer(text)
    asked = texts[WARM:]
    words = round(statistics.mean(len(text.split()) for text in asked))
    new = milliseconds(ours, asked)
    there = milliseconds(peer, asked)
    known = milliseconds(ours, asked)
    vector = milliseconds(vector_alone, others)
    ratio = statistics.median(new) / statistics.median(there)
    name = f"hybrid_search top 10, {len(asked)} new {what} of {words} words"
    tell(f"{name}, p50", f"{p(new, 50):.1f} ms", f"in process {p(there, 50):.1f} ms", ratio, "under 30 ms")
    tell(f"{name}, p95", f"{p(new, 95):.1f} ms", f"in process {p(there, 95):.1f} ms")
    tell("  embed_query alone, p50 and p95", f"{p(vector, 50):.1f}, {p(vector, 95):.1f} ms")
    tell("  the same queries with stored vectors, p50", f"{p(known, 50):.1f} ms")


def milliseconds(call: Callable[[str], object], texts: Sequence[str]) -> list[float]:
    return [1000 * timed(lambda text=text: call(text)) for text in texts]  # type: ignore[misc]


def p(values: Sequence[float], share: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[share - 1]


@contextmanager
def running(settings: Settings) -> Iterator[None]:
    """Run 'stc serve embeddings' on the collection in a separate process."""
    where = {"STC_HOME": str(settings.home)} if settings.dsn is None else {"STC_DSN": settings.dsn}
    command = [sys.executable, "-m", "stcollection", "--db", settings.db, "serve", "--port", "0"]
    environment = {**os.environ, **where, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if line.startswith("ready"):
                    break
            else:
                raise SystemExit("the service did not start")
            yield
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
