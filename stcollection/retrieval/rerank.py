"""Rerank a stored run with a cross-encoder, or by the vectors of the collection."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

import numpy as np
import psycopg
from psycopg.types.json import Jsonb

from stcollection.db.connection import vacuum
from stcollection.declared import AllowedRange, Option, declare
from stcollection.errors import BadArgument, StateError, translate
from stcollection.retrieval.crossencoder import PairScorer, document_text, load
from stcollection.vectors.model import Encoder, short_name
from stcollection.vectors.queries import query_vectors, short

# Fields of documents whose vectors rerank (sql/retrieval/rerank_run.sql).
Field = Literal["document", "title", "abstract", "content", "passage"]
FIELDS: tuple[str, ...] = get_args(Field)
Progress = Callable[[int, int | None], None]


@dataclass(frozen=True, kw_only=True)
class RerankOptions:
    """Number of documents to rerank, and number that the new run keeps.

    :param n: documents to rerank per query. :param depth: maximum number of documents per query of the new run; None keeps all.
    :param batch: pairs per forward pass; None means 32 on a CPU and 256 on a GPU. Ignored for a model in memory,
        and by :func:`rerank_by_vectors`.
    :raises BadArgument: n or depth is below 1.
    """

    n: int = 100
    depth: int | None = None
    batch: int | None = None

    def __post_init__(self) -> None:
        for what, value in (("n", self.n), ("depth", self.depth)):
            if value is not None and value < 1:
                raise BadArgument(f"{what} is {value}", hint="Use 1 or more.", sqlstate="IR201")


HUNDRED = RerankOptions()


@dataclass(frozen=True, kw_only=True)
class Reranked:
    """Counts of a reranking.

    :param pairs: scored pairs of query and document. :param ranked: documents in the new run.
    :param untouched: queries that keep the ranking of the first stage, because they or their documents have no text.
    """

    run: str
    first_stage: str
    model: str
    queries: int
    untouched: int
    pairs: int
    ranked: int
    seconds: float


@declare
def rerank_run(
    conn: psycopg.Connection,
    run: Annotated[str, Option("RUN")],
    *,
    by: Literal["cross-encoder", "vectors"] = "cross-encoder",
    model: Annotated[str | None, Option(metavar="NAME")] = None,
    field: Field = "document",
    name: Annotated[str | None, Option(default="RUN and the model's name")] = None,
    n: Annotated[int, AllowedRange(ge=1), Option("-n")] = 100,
    depth: Annotated[int | None, AllowedRange(ge=1), Option(default="all of RUN")] = None,
    batch: Annotated[int | None, AllowedRange(ge=1), Option(default="32 on a CPU, 256 on a GPU")] = None,
    replace: bool = False,
    progress: Progress | None = None,
) -> Reranked:
    """Rerank the top documents of a stored RUN with a cross-encoder or by stored vectors, as a new run.

    A cross-encoder uses a GPU if there is one. The other documents of RUN follow in their order. An interrupted reranking stores
    nothing. See :func:`rerank` and :func:`rerank_by_vectors`.

    :param run: Stored run.
    :param by: Score documents with a cross-encoder, or by the cosines of stored vectors.
    :param model: CrossEncoder of sentence-transformers: a name in the local cache, or a folder. By vectors: name of an
        embedding model in the collection; the default is its first.
    :param field: Vectors to rerank by; document is the abstract, or the title of a document without one.
    :param n: Number of documents per query to rerank. :param name: Name of the new run.
    :param depth: Number of documents per query in the new run. :param batch: Pairs per forward pass.
    :param replace: Replace a stored run with this name.
    """
    options = RerankOptions(n=n, depth=depth, batch=batch)
    if by == "vectors":
        return rerank_by_vectors(conn, run=run, name=name, field=field, model=model, options=options, replace=replace)
    if model is None:
        raise BadArgument("a cross-encoder has no default", hint="Use `by=vectors`, or name one with `model`.")
    return rerank(conn, run=run, model=model, name=name, options=options, replace=replace, progress=progress)


@translate()
def rerank(
    conn: psycopg.Connection,
    *,
    run: str,
    model: str | PairScorer,
    name: str | None = None,
    options: RerankOptions = HUNDRED,
    replace: bool = False,
    progress: Progress | None = None,
) -> Reranked:
    """Store a run that reranks the first n documents per query of another run by the scores of a cross-encoder.

    The model reads the query's text and ``title. abstract``. The remaining documents of the first stage follow in their order, with
    lower scores, and so do documents without text. Queries without text keep their ranking. The new run is stored in one
    transaction after all pairs are scored, so an interrupted call stores nothing. Its params record the model and its revision,
    n, and the first stage: name, creation time and params.

    :param model: a sentence-transformers name in the local cache, a folder, or a model in memory.
    :param name: name of the new run; default ``<run>-<short name of the model>``.
    :param progress: called with (pairs done, pairs to do).
    :raises UnknownObject: the run is not stored, or the model is not on this machine.
    :raises BadArgument: the model is not a cross-encoder with one score, or the name is taken.
    :raises StateError: no document of the run has a text.
    """
    if name is None:
        name = f"{run}-{short_name(model if isinstance(model, str) else model.name)}"
    began = time.monotonic()
    with conn.transaction():
        row = conn.execute("SELECT (stc.fusion_runs(ARRAY[%s]))[1]", [run]).fetchone()
        conn.execute("SELECT stc.fusion_name(%s, ARRAY[%s], %s)", [name, run, replace])
        first = row[0] if row else None
        counts: dict[int, int] = dict(
            conn.execute(
                "SELECT k.query, count(*) FROM stc.st1_rankings k JOIN st1_queries q ON q.id = k.query"
                " WHERE k.run = %s AND k.first <= %s AND k.rank <= %s AND q.text IS NOT NULL GROUP BY k.query ORDER BY k.query",
                [first, options.n, options.n],
            ).fetchall()
        )
    scorer = load(model, batch=options.batch) if isinstance(model, str) else model
    scored = _score(conn, first, counts, options.n, scorer, progress)
    if not scored[0].size:
        raise StateError(
            f"no document of the run {run} has text for reranking",
            sqlstate="IR405",
            hint="Load the documents and the texts of the queries: 'stc load --as corpus', 'stc load --as topics'.",
        )
    params = {"system": "rerank", "n": options.n, "depth": options.depth, "reranker": scorer.describe()}
    queries, docs, scores = (part.tolist() for part in scored)
    with conn.transaction():
        stored = conn.execute(
            "SELECT stored_queries, ranked FROM stc.rerank_store(%s, %s, %s, %s, %s, %s, %s, %s)",
            [name, first, queries, docs, scores, Jsonb(params), options.depth, replace],
        ).fetchone()
    vacuum(conn, "stc.ranked_lists")
    total, ranked = stored or (0, 0)
    return Reranked(
        run=name,
        first_stage=run,
        model=scorer.name,
        queries=total,
        untouched=total - len(set(queries)),
        pairs=len(docs),
        ranked=ranked,
        seconds=time.monotonic() - began,
    )


@translate()
def rerank_by_vectors(
    conn: psycopg.Connection,
    *,
    run: str,
    name: str | None = None,
    field: str = "document",
    model: str | Encoder | None = None,
    options: RerankOptions = HUNDRED,
    replace: bool = False,
) -> Reranked:
    """Store a run that reranks the first n documents per query of another run by embeddings (sql/retrieval/rerank_run.sql).

    Scores are cosines, computed for each of these documents. The remaining documents follow in their order, and so do documents
    without a vector. Queries without text keep their ranking. Queries without a vector are embedded first. The params of the
    new run record the field, the model and its revision, n, and the first stage.

    :param name: name of the new run; default ``<run>-<short name of the model>``.
    :param field: one of :data:`FIELDS`; ``document`` is the abstract, or the title of a document without one.
    :param model: short name of an embedding model, or a model in memory; None uses the collection's default.
    :raises UnknownObject: unknown run, model or field, or the model of new queries is not on this machine.
    :raises BadArgument: the name is taken. :raises StateError: no vectors.
    """
    began = time.monotonic()
    with conn.transaction():
        [(known,)] = conn.execute("SELECT (stc.vector_model(%s)).model", [short(model)]).fetchall()
        name = f"{run}-{known}" if name is None else name
        arguments = [name, run, field, short(model), options.n, options.depth, replace]
        texts = conn.execute(
            "SELECT DISTINCT q.text FROM (SELECT stc.rerank_check(%s, %s, %s, %s, %s, %s, %s)) c (run)"
            " JOIN stc.st1_rankings k ON k.run = c.run JOIN st1_queries q ON q.id = k.query WHERE q.text ~ '\\S'",
            arguments,
        ).fetchall()
    query_vectors(conn, [text for (text,) in texts], model=model)
    with conn.transaction():
        [(queries, ranked, pairs, untouched)] = conn.execute(
            "SELECT queries, ranked, pairs, untouched FROM stc.rerank_run(%s, %s, %s, %s, %s, %s, %s)", arguments
        ).fetchall()
    vacuum(conn, "stc.ranked_lists")
    return Reranked(
        run=name,
        first_stage=run,
        model=known,
        queries=queries,
        untouched=untouched,
        pairs=pairs,
        ranked=ranked,
        seconds=time.monotonic() - began,
    )


def _score(
    conn: psycopg.Connection, first: Any, counts: dict[int, int], n: int, scorer: PairScorer, progress: Progress | None
) -> tuple[Any, Any, Any]:
    """Return queries, documents and scores: integer[pairs], integer[pairs], float64[pairs].

    Queries are scored in groups: large enough for batches of pairs of similar length, small enough to fit in memory.
    """
    parts: list[tuple[Any, Any, Any]] = []
    total, scored = sum(counts.values()), 0
    waiting = list(counts)
    while waiting:
        page: list[int] = []
        while waiting and (not page or sum(counts[query] for query in page) + counts[waiting[0]] <= 32 * scorer.batch):
            page.append(waiting.pop(0))
        with conn.transaction():
            rows = conn.execute("SELECT * FROM stc.rerank_pairs(%s, %s, %s)", [first, page, n]).fetchall()
        if rows:
            queries, docs, *_ = zip(*rows, strict=True)
            scores = scorer.score([(text, document_text(*words)) for _, _, text, *words in rows])
            parts.append((np.array(queries), np.array(docs), scores.astype(np.float64)))
        scored += sum(counts[query] for query in page)
        if progress:
            progress(scored, total)
    if not parts:
        return np.array([], dtype=int), np.array([], dtype=int), np.array([])
    queries_, docs_, scores_ = (np.concatenate(column) for column in zip(*parts, strict=True))
    return queries_, docs_, scores_
