"""Runs that group answers by agreement and return the documents behind the most endorsed group."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import psycopg
from psycopg.types.json import Jsonb

from stcollection.counts import counted
from stcollection.db.rows import only_row, only_value
from stcollection.declared import AllowedRange, Option, check_fields
from stcollection.errors import StateError, translate
from stcollection.io.files import Progress
from stcollection.studies.answers import clusters
from stcollection.studies.answers.clusters import AnswerPairs, Groups
from stcollection.studies.answers.expected import expected
from stcollection.studies.answers.parameters import AnswerSet, AnswerSource, NewRun, Split

METHODS = ("components", "average", "correlation", "expected")
GRID = tuple(round(step / 20, 2) for step in range(1, 20))  # thresholds to try: .05 to .95
_GROUPING: Mapping[str, Callable[..., Groups]] = {"average": clusters.average, "correlation": clusters.correlation}
_F1 = "SELECT f1 FROM stc.answer_mean_scores(ARRAY[%s])"


@dataclass(frozen=True, kw_only=True)
class ClusterOptions:
    """How the answers of a query are grouped, and when a group is good enough.

    Tuning tries the thresholds of GRID; of equal ones it takes the nearest to .5, then the lower. By default, a query is answered
    whatever the number of documents, because F1 does not punish a wrong answer more than none.

    :param method: Clustering method.
    :param model: Model of agreement that supplies the relations. None uses the labels of the data, as an oracle.
    :param threshold: Support threshold.
    :param tune_on: Choose the threshold with the best mean F1 on this split.
    :param at_least: Return nothing for a query whose best cluster has fewer documents.
    :raises BadArgument: a value is out of range.
    """

    method: Annotated[str, Option(choices=METHODS)] = "correlation"
    model: str | None = None
    source: AnswerSource = "given"
    threshold: Annotated[float | None, AllowedRange(gt=0, lt=1), Option(default="0.5")] = None
    tune_on: Split | None = None
    at_least: Annotated[int, AllowedRange(ge=1), Option("--min-documents")] = 1

    def __post_init__(self) -> None:
        check_fields(self)


class Clustered(NamedTuple):
    """A run made from clusters of answers.

    :param answered: number of queries that documents are returned for; the rest of ``queries`` abstain.
    :param unjudged: number of pairs of answers without a relation; they count as no support.
    :param tuned: mean F1 on the tuning split, by threshold; empty without tuning.
    """

    run: str
    method: str
    threshold: float
    queries: int
    answered: int
    answers: int
    clusters: int
    unjudged: int
    tuned: dict[float, float]


@translate()
def cluster(
    conn: psycopg.Connection,
    *,
    set: AnswerSet,  # noqa: A002
    split: Split = "test",
    run: NewRun,
    options: ClusterOptions = ClusterOptions(),
    replace: bool = False,
    progress: Progress | None = None,
) -> Clustered:
    """Group the answers of each query of a split, and store them as a run with the documents it returns, in one transaction.

    :param split: Split of the data set. :param model: Model of agreement that supplies the relations.
    :param replace: Replace a stored run with this name; otherwise that is an error.
    :raises UnknownObject: the split or the model does not exist.
    :raises BadArgument: the name is taken.
    :raises StateError: there are no such answers, or the model has no relation for any of their pairs.
    """
    tune_on, threshold = options.tune_on, 0.5 if options.threshold is None else options.threshold
    with conn.transaction():
        tuned: dict[float, float] = {}
        if tune_on is not None:
            for number, cut in enumerate(GRID):
                with conn.transaction(force_rollback=True):
                    key, _ = _store(conn, (set, tune_on), run, dataclasses.replace(options, threshold=cut), replace=replace)
                    f1 = only_value(conn, _F1, [run])
                if f1 is None:
                    hint = "Tune on a split with gold, or give --threshold."
                    raise StateError(f"{set} {tune_on} has no gold to tune on", hint=hint, sqlstate="IR405")
                tuned[cut] = float(f1)
                if progress is not None:
                    progress(number + 1, len(GRID))
            threshold = min(tuned, key=lambda cut: (-round(tuned[cut], 12), abs(cut - 0.5), cut))
        key, unjudged = _store(
            conn,
            (set, split),
            run,
            dataclasses.replace(options, threshold=threshold),
            replace=replace,
            progress=progress if tune_on is None else None,
            more={"tuned_on": tune_on} if tune_on else {},
        )
        queries, answered, answers, groups = only_row(
            conn,
            "SELECT (SELECT count(*) FROM stc.answer_queries q WHERE q.set = r.set),"
            " (SELECT count(DISTINCT p.query) FROM stc.answer_predictions p WHERE p.run = r.id), count(c.answer),"
            " count(DISTINCT (c.query, c.cluster)) FILTER (WHERE c.answer IS NOT NULL)"
            " FROM stc.answer_runs r LEFT JOIN stc.answer_clusters c ON c.run = r.id WHERE r.id = %s GROUP BY r.id",
            [key],
        )
    return Clustered(run, options.method, threshold, queries, answered, answers, groups, unjudged, tuned)


def _store(
    conn: psycopg.Connection,
    of: tuple[str, str],
    run: str,
    options: ClusterOptions,
    *,
    replace: bool,
    progress: Progress | None = None,
    more: Mapping[str, object] | None = None,
) -> tuple[int, int]:
    """Group and store; return the key of the run, and the number of pairs without a relation. :param of: set and split."""
    method, model, source = options.method, options.model, options.source
    threshold = 0.5 if options.threshold is None else options.threshold
    set_id = only_value(conn, "SELECT stc.answer_set_key(%s, %s)", of)
    model_id = only_value(conn, "SELECT stc.answer_model_key(%s)", [model]) if model is not None else None
    params = {"model": model, "source": source, "threshold": threshold, "at_least": options.at_least, **(more or {})}
    key = only_value(
        conn,
        "SELECT stc.answer_begin_run(%s, %s, %s, %s, %s)",
        [run, set_id, method, Jsonb({name: value for name, value in params.items() if value is not None}), replace],
    )
    unjudged = _unjudged(conn, set_id, model_id, source, " ".join(of), model)
    if method == "components":
        conn.execute(
            "INSERT INTO stc.answer_clusters (run, answer, query, cluster)"
            " SELECT %s, c.answer, c.query, dense_rank() OVER (PARTITION BY c.query ORDER BY c.component)"
            " FROM stc.answer_components(%s, %s, %s, %s) c",
            [key, set_id, model_id, source, threshold],
        )
    else:
        rows = list(_grouped(conn, set_id, model_id, source, method, threshold, progress))
        with conn.cursor() as cursor, cursor.copy("COPY stc.answer_clusters (run, answer, query, cluster) FROM STDIN") as copy:
            for row in rows:
                for answer, group in zip(row.answers, row.groups, strict=True):
                    copy.write_row((key, answer, row.query, group))
    conn.execute("SELECT stc.answer_rank_clusters(%s, %s)", [key, options.at_least])
    if method == "expected":
        _return(conn, key, rows)
    return key, unjudged


def _return(conn: psycopg.Connection, run: int, rows: Sequence[_Grouped]) -> None:
    """Store the documents to return for each query that is answered: those expected to score best."""
    deleted = conn.execute("DELETE FROM stc.answer_predictions WHERE run = %s RETURNING query", [run])
    answered = {query for (query,) in deleted}
    with conn.cursor() as cursor, cursor.copy("COPY stc.answer_predictions (run, document, query, probability) FROM STDIN") as copy:
        for row in rows:
            for document, chance in row.chosen if row.query in answered else ():
                copy.write_row((run, document, row.query, chance))


class _Grouped(NamedTuple):
    """The clusters of one query's answers.

    :param groups: the group of each answer, from 1.
    :param chosen: only for ``expected``: documents to return, with probabilities.
    """

    query: int
    answers: list[int]
    groups: list[int]
    chosen: list[tuple[int, float]]


def _grouped(
    conn: psycopg.Connection,
    set_id: int,
    model_id: int | None,
    source: str,
    method: str,
    threshold: float,
    progress: Progress | None,
) -> Iterator[_Grouped]:
    total = only_value(conn, "SELECT count(DISTINCT query) FROM stc.answer_voters(%s, %s)", [set_id, source])
    with conn.cursor(name="answer_graphs", binary=True) as cursor:
        cursor.itersize = 500
        cursor.execute("SELECT * FROM stc.answer_graphs(%s::integer, %s::integer, %s::text)", [set_id, model_id, source])
        for number, (query, answers, documents, a, b, support, oppose, same) in enumerate(cursor, start=1):
            pairs = AnswerPairs(
                len(answers),
                np.array(a, dtype=np.int64) - 1,
                np.array(b, dtype=np.int64) - 1,
                np.array(support, dtype=np.float64),
                np.array(oppose, dtype=np.float64),
                np.array(same, dtype=np.bool_),
            )
            chosen: list[tuple[int, float]] = []
            if method == "expected":
                ids, places = np.unique(np.array(documents, dtype=np.int64), return_inverse=True)
                choice = expected(pairs, places, threshold=threshold)
                groups = choice.groups
                chosen = [(int(ids[place]), float(choice.chance[place])) for place in choice.chosen]
            else:
                groups = _GROUPING[method](pairs, threshold=threshold)
            yield _Grouped(query, answers, (groups + 1).tolist(), chosen)
            if progress is not None:
                progress(number, total)


def _unjudged(conn: psycopg.Connection, set_id: int, model_id: int | None, source: str, split: str, model: str | None) -> int:
    """Count the pairs of answers without a relation.

    :raises StateError: there are no such answers, or none of their pairs has a relation.
    """
    answers, pairs, related, judged = only_row(
        conn,
        "WITH sizes AS (SELECT count(*) AS n FROM stc.answer_voters(%(set)s, %(source)s) GROUP BY query)"
        " SELECT (SELECT count(*) FROM stc.answers a JOIN stc.answer_queries q ON q.id = a.query"
        " WHERE q.set = %(set)s AND a.source = %(source)s),"
        " (SELECT coalesce(sum(n * (n - 1) / 2), 0)::bigint FROM sizes), count(*), count(*) FILTER (WHERE NOT e.same)"
        " FROM stc.answer_edges(%(set)s, %(model)s, %(source)s) e",
        {"set": set_id, "model": model_id, "source": source},
    )
    if not answers:
        hint = "Extract answers with 'stc answers extract', or choose others with --source."
        raise StateError(f"{split} has no answers of source {source!r}", hint=hint, sqlstate="IR405")
    if pairs > related and not judged:
        whose = f"the model {model!r} has judged" if model is not None else "there are labels of"
        hint = "Have a model judge them with 'stc answers relate', or use the labels of the data with --labels."
        raise StateError(f"{whose} none of {split}, which has {counted(pairs, 'pair')} of answers", hint=hint, sqlstate="IR405")
    return int(pairs - related)
