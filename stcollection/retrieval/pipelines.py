"""Systems with several stages, such as BM25, vectors and a cross-encoder (sql/retrieval/pipeline_stages.sql).

SQL searches and scores by vectors. A cross-encoder runs here, between two of its statements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import psycopg
from pgvector import Vector
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.db.idle import calling
from stcollection.errors import translate
from stcollection.retrieval import SYSTEMS
from stcollection.retrieval.crossencoder import document_text, load
from stcollection.retrieval.filters import Filter
from stcollection.retrieval.settings import RunSettings
from stcollection.vectors.model import Encoder
from stcollection.vectors.queries import accept_vectors, query_vector, short

Ranking = tuple[list[int], list[float]]  # dblp.id and score, best first


class RankingStage(NamedTuple):
    """A stage of a system.

    :param n: number of documents that it searches or scores. :param model: the embedding model that its vectors are by; None: it
        reads none. :param cross_encoder: name or folder of a cross-encoder.
    """

    place: int
    n: int
    model: str | None
    cross_encoder: str | None


class Pipeline(NamedTuple):
    """A system with several stages.

    :param text: as add_system stores them. :param model: the embedding model of stages that name none.
    """

    system: str
    text: str
    model: str
    stages: list[RankingStage]

    @property
    def first(self) -> str:
        """The system of the first stage."""
        return re.split(r"[\s:]", self.text, maxsplit=1)[0]

    @property
    def models(self) -> list[str]:
        """The embedding models whose vectors of the query it needs."""
        return list(dict.fromkeys(stage.model for stage in self.stages if stage.model is not None))

    def scorers(self) -> dict[int, dict[str, Any]]:
        """Load the cross-encoders, and return their descriptions by the place of their stage.

        :raises UnknownObject: a model is not on this machine, or the user allows no model in its folder.
        """
        named = {stage.place: stage.cross_encoder for stage in self.stages if stage.cross_encoder is not None}
        return {place: calling.get()(_described, model) for place, model in named.items()}


def _described(model: str) -> dict[str, Any]:
    return load(model, stored=True).describe()


def _scores(model: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
    scores: list[float] = load(model, stored=True).score(pairs).tolist()
    return scores


@translate()
def pipeline(conn: psycopg.Connection, system: str, model: str | Encoder | None = None) -> Pipeline | None:
    """Return the stages of a system; None if it is not one of several stages. :param model: of stages that name none.

    :raises UnknownObject: there is no such embedding model. :raises BadArgument: the stages are not valid any more.
    """
    if system in SYSTEMS:
        return None
    with conn.transaction(), conn.cursor(row_factory=class_row(RankingStage)) as cursor:
        [(text,)] = conn.execute("SELECT (stc.own_system(%s)).stages", [system]).fetchall()
        if text is None:
            return None
        stages = cursor.execute(
            "SELECT s.place, s.n, (stc.pipeline_model(s.system, s.field, s.model, %s)).model, s.cross_encoder"
            " FROM stc.pipeline_stages(%s) s ORDER BY s.place",
            [short(model), text],
        ).fetchall()
        [(default,)] = conn.execute("SELECT (stc.vector_model(%s, sparse => NULL)).model", [short(model)]).fetchall()
    return Pipeline(system, text, default, stages)


@translate()
def rank(
    conn: psycopg.Connection,
    steps: Pipeline,
    text: str,
    *,
    k: int | None = None,
    filter: Filter | None = None,  # noqa: A002
    model: str | Encoder | None = None,
    vector: Vector | str | None = None,
    excluded: Sequence[int] = (),
) -> Ranking:
    """Return the ranking of a query after all stages.

    :param k: number of documents; None: all. :param model: of stages that name none; a short name, or a model in memory.
    :param vector: of the query by that model. :param excluded: dblp.id of documents that are left out for the query.
    """
    steps.scorers()  # raises an error before anything is searched
    docs: list[int] | None = None
    scores: list[float] = []
    for stage in steps.stages:
        by, new = None, None
        if stage.model is not None and docs != []:
            given = model if stage.model == short(model) else stage.model
            by = vector if vector is not None and stage.model == steps.model else query_vector(conn, text, model=given)
        if stage.cross_encoder is not None and docs:
            new = _scored(conn, stage.cross_encoder, text, docs[: stage.n])
        with conn.transaction():
            [(docs, scores)] = (
                accept_vectors(conn)
                .execute(
                    "SELECT docs, scores FROM stc.pipeline_stage(%(stages)s, %(place)s, %(text)s, %(vector)s::vector, %(filter)s,"
                    " %(model)s, %(excluded)s::bigint[], %(docs)s::bigint[], %(scores)s::float8[], %(new_docs)s::bigint[],"
                    " %(new_scores)s::float8[])",
                    {
                        "stages": steps.text,
                        "place": stage.place,
                        "text": text,
                        "vector": by,
                        "filter": None if filter is None else Jsonb(filter),
                        "model": short(model),
                        "excluded": list(excluded),
                        "docs": docs,
                        "scores": None if docs is None else scores,
                        "new_docs": None if new is None else new[0],
                        "new_scores": None if new is None else new[1],
                    },
                )
                .fetchall()
            )
    return (docs or [])[:k], scores[:k]


def _scored(conn: psycopg.Connection, model: str, text: str, docs: Sequence[int]) -> Ranking:
    """Score documents with a text, as :func:`stcollection.retrieval.rerank.rerank` does."""
    with conn.transaction():
        rows = conn.execute(
            "SELECT t.id, t.title, t.abstract FROM dblp_text t"
            " WHERE t.id = ANY (%s) AND (t.title IS NOT NULL OR t.abstract IS NOT NULL)",
            [list(docs)],
        ).fetchall()
    scores = calling.get()(_scores, model, [(text, document_text(*words)) for _, *words in rows]) if rows else []
    return [doc for doc, *_ in rows], scores


@translate()
def rank_article(conn: psycopg.Connection, steps: Pipeline, article: str, chunk: int, *, k: int, **options: Any) -> Ranking:
    """Return the ranking of an article, as sql/retrieval/chunk_search.sql. The others are those of :func:`rank`."""
    with conn.transaction():
        [(chunks,)] = conn.execute("SELECT stc.article_chunks(%s, %s)", [article, chunk]).fetchall()
    ranked = [rank(conn, steps, text, k=max(k, 1000), **options) for text in chunks]
    rows = [(str(at), doc, score, n) for at, best in enumerate(ranked) for n, (doc, score) in enumerate(zip(*best, strict=True), 1)]
    with conn.transaction():
        [(docs, scores)] = conn.execute(
            "SELECT coalesce(array_agg(f.doc ORDER BY f.rank), '{}'), coalesce(array_agg(f.score ORDER BY f.rank), '{}')"
            " FROM fuse((SELECT array_agg((u.place, u.doc, u.score, u.rank)::ranked)"
            " FROM unnest(%s::text[], %s::bigint[], %s::float8[], %s::integer[]) u (place, doc, score, rank)), %s) f",
            [*([row[column] for row in rows] for column in range(4)), k],
        ).fetchall()
    return docs, scores


def search_stages(
    conn: psycopg.Connection, unfinished: int, run: RunSettings, steps: Pipeline, *, spent: Callable[[], Mapping[str, float]]
) -> Iterator[int | None]:
    """Search the queries of an unfinished run that are left, and store their rankings, each in its own transaction.

    :param spent: returns the resources used since its previous call.
    :returns: after each query, the number of queries searched so far; None, at the end, if the collection changed.
    """
    with conn.transaction():
        left = conn.execute(
            "SELECT q.id, q.query, q.text, x.excluded FROM stc.run_queries(%s, %s) q JOIN stc.st1_queries x ON x.id = q.id"
            " WHERE NOT EXISTS (SELECT FROM stc.unfinished_rankings r WHERE r.unfinished = %s AND r.query = q.id) ORDER BY q.id",
            [run.queries, run.source.query_from, unfinished],
        ).fetchall()
    search = partial(rank_article, chunk=run.source.chunk) if run.source.of_articles else rank
    for key, name, text, excluded in left:
        chosen: Any = run.filter
        if chosen is not None and "judged" in chosen and "query" not in chosen:
            chosen = {**chosen, "query": name}
        docs, scores = search(conn, steps, text, k=run.depth, filter=chosen, model=run.model, excluded=excluded)
        with conn.transaction():
            [[so_far, stopped]] = conn.execute(
                "SELECT done, stopped FROM stc.store_ranking(%s, %s, %s, %s, %s)",
                [unfinished, key, docs, scores, Jsonb(spent())],
            )
        yield None if stopped else so_far
        if stopped:
            return
