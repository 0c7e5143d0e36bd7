"""Train models of agreement on labelled pairs, and apply them to all pairs of answers within each query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import psycopg

from stcollection.db.rows import only_row
from stcollection.declared import INTERNAL, AllowedRange, Option, check_fields
from stcollection.errors import StateError, translate
from stcollection.io.files import Progress
from stcollection.studies.answers.agreement import store
from stcollection.studies.answers.agreement.features import features
from stcollection.studies.answers.agreement.model import USUAL_LEARNING, AgreementModel, LearningOptions, fit
from stcollection.studies.answers.agreement.nli import THRESHOLD, Nli
from stcollection.studies.answers.agreement.reader import Reader
from stcollection.studies.answers.agreement.store import LabelledPair
from stcollection.studies.answers.parameters import AgreementName, AnswerSet, AnswerSource, Device, Split, TrainingSplits

BY = ("template", "query")
_CHUNK = 20_000  # pairs per commit, in whole queries

_Floats = npt.NDArray[np.float64]
Agreement = AgreementModel | Nli | Reader


@dataclass(frozen=True, kw_only=True)
class QueryFolds:
    """How a model is cross-fitted.

    :param folds: Cross-fit with N folds, and store each fold's relations as predicted by a model trained on the others.
    :param by: Keep the pairs of one template, or of one query, in the same fold.
    :raises BadArgument: fewer than 2 folds, or another unit.
    """

    folds: Annotated[int | None, AllowedRange(ge=2)] = None
    by: Annotated[str, Option(choices=BY)] = "template"

    def __post_init__(self) -> None:
        check_fields(self)


NO_FOLDS = QueryFolds()


class Trained(NamedTuple):
    """A trained model of agreement.

    :param relations: number of held-out relations stored; 0 without folds.
    """

    model: str
    pairs: int
    queries: int
    threshold: float
    relations: int
    fingerprint: str


class Related(NamedTuple):
    """Counts of computed relations.

    :param queries: queries that lacked a relation.
    :param added: relations stored now.
    :param stored: relations stored before.
    """

    queries: int
    added: int
    stored: int


class _Answers(NamedTuple):
    """The answers of one query."""

    query: str
    template: str | None
    ids: list[int]
    texts: list[str]


@translate()
def labelled(conn: psycopg.Connection, *, set: str, split: str) -> list[LabelledPair]:  # noqa: A002
    """Return the labelled pairs of a split. :raises UnknownObject: the split does not exist."""
    return [
        LabelledPair(*row)
        for row in conn.execute("SELECT * FROM stc.answer_relate_pairs(stc.answer_set_key(%s, %s))", [set, split]).fetchall()
    ]


def train(
    conn: psycopg.Connection,
    model: AgreementName,
    *,
    set: AnswerSet,  # noqa: A002
    split: TrainingSplits = ("train",),
    options: LearningOptions = USUAL_LEARNING,
    folds: QueryFolds = NO_FOLDS,
    replace: bool = False,
    progress: Progress | None = None,
) -> Trained:
    """Train a model on the labelled pairs of splits, and store it in one transaction.

    With folds it is cross-fitted: a model trained on the other folds predicts all pairs of answers in each fold of queries (folds
    by template; a query without a template is a separate unit). These relations are stored, so each one is for a query that its
    model has not seen.

    :param conn: in a transaction or about to begin one; it is committed at the end.
    :param replace: Replace a model with this name, with its predictions.
    :raises UnknownObject: a split does not exist.
    :raises BadArgument: the name is taken.
    :raises StateError: there is nothing to learn from, or only one group to make folds of.
    """
    splits = [split] if isinstance(split, str) else list(dict.fromkeys(split))
    with translate(), conn.transaction():
        conn.execute("SELECT stc.answer_relate_free(%s, %s)", [model, replace])
        pairs = [pair for name in splits for pair in labelled(conn, set=set, split=name)]
        judged = [pair for pair in pairs if pair.label is not None]
        truth = truth_of(judged)
        queries, a, b = columns_of(judged)
        groups = [group_of(pair.query, pair.template, folds.by) for pair in judged]
        matrix = features(queries, a, b, kinds=options.kinds, embed=options.embed)
        whole = fit(queries, a, b, truth, groups=groups, columns=matrix, options=options)
        data = store.fingerprint(judged)
        params = store.describe(whole) | {
            "set": set, "splits": splits, "queries": len(dict.fromkeys(pair.query_id for pair in judged)),
            "by": folds.by, "folds": folds.folds,
        }  # fmt: skip
        key = store.save(conn, model, kind="classifier", params=params, data=data, content=store.dump(whole), replace=replace)
        relations = 0
        if folds.folds is not None:
            answers = [query for name in splits for query in _answers(conn, None, set=set, split=name, source="given")]
            groups_of_answers = [group_of(query.query, query.template, folds.by) for query in answers]
            held = _fold_of([*groups, *groups_of_answers], folds.folds, options.seed)
            of_pair = np.array([held[group] for group in groups])
            for fold in range(max(held.values()) + 1):
                seen = np.flatnonzero(of_pair != fold)
                part = fit(
                    [queries[i] for i in seen],
                    [a[i] for i in seen],
                    [b[i] for i in seen],
                    [truth[i] for i in seen],
                    groups=[groups[i] for i in seen],
                    columns=matrix[seen],
                    options=options,
                )
                here = [query for query, group in zip(answers, groups_of_answers, strict=True) if held[group] == fold]
                for chunk in _chunks(here):
                    relations += _predict(conn, key, part, chunk)
                if progress:
                    progress(fold + 1, max(held.values()) + 1)
    return Trained(model, len(judged), params["queries"], whole.threshold, relations, data)


def register(
    conn: psycopg.Connection,
    model: AgreementName,
    *,
    name: Annotated[str, Option(metavar="NAME_OR_FOLDER")],
    replace: bool = False,
    device: Annotated[str | None, INTERNAL] = None,
) -> Nli:
    """Register a cross-encoder of natural language inference under a name. Nothing is downloaded.

    :param name: Cross-encoder: a name in the local cache, or a folder.
    :param replace: Replace a model with this name, with its predictions.
    :raises UnknownObject: it is not on this machine.
    :raises BadArgument: the name is taken, or the model has no labels of inference.
    """
    loaded = Nli.load(name, device=device)
    params = {"name": loaded.name, "revision": loaded.revision, "labels": loaded.labels, "threshold": THRESHOLD}
    with conn.transaction():
        store.save(conn, model, kind="crossencoder", params=params, replace=replace)
    return loaded


def relate(
    conn: psycopg.Connection,
    model: str,
    *,
    set: AnswerSet,  # noqa: A002
    split: Split,
    source: AnswerSource = "given",
    device: Device = None,
    progress: Progress | None = None,
) -> Related:
    """Store a model's relations for all pairs of answers within each query. Stored relations are kept, so an interrupted run
    resumes.

    :param model: Model of agreement to apply.
    :raises UnknownObject: the model or split does not exist.
    :raises StateError: there are no answers of this source.
    """
    with translate():
        model_id, set_id = only_row(conn, "SELECT stc.answer_model_key(%s), stc.answer_set_key(%s, %s)", [model, set, split])
        answers, stored = only_row(conn, "SELECT * FROM stc.answer_relate_counts(%s, %s, %s)", [model_id, set_id, source])
    if not answers:
        raise StateError(
            f"{set} {split} has no answers of the source {source!r}",
            hint="'given' are the answers in the data; extract others with 'stc answers extract'.",
            sqlstate="IR405",
        )
    applied = store.load(conn, model, device=device)
    lacking = _answers(conn, model_id, set=set, split=split, source=source)
    total, added, compared = sum(_size(query) for query in lacking), 0, 0
    for chunk in _chunks(lacking):
        with translate(), conn.transaction():
            added += _predict(conn, model_id, applied, chunk)
        if not conn.autocommit:
            conn.commit()
        compared += sum(_size(query) for query in chunk)
        if progress:
            progress(compared, total)
    return Related(len(lacking), added, stored)


def truth_of(pairs: Sequence[LabelledPair]) -> list[Any]:
    """Return the relation of each pair, or the labels of all if some pairs have no relation. :param pairs: with labels."""
    relations = [pair.relation or ("support" if pair.label else None) for pair in pairs]
    return [pair.label for pair in pairs] if None in relations else relations


def columns_of(pairs: Sequence[LabelledPair]) -> tuple[list[str], list[str], list[str]]:
    """Return the queries and both answers of pairs, each as a column."""
    return [pair.query for pair in pairs], [pair.text_a for pair in pairs], [pair.text_b for pair in pairs]


def group_of(query: str, template: str | None, by: str) -> str:
    """Return the name of the group of a query's pairs, which is held out as a whole.

    :param query: its text: a key would change the folds when the set is loaded again. :param by: one of BY.
    """
    return f"query {query}" if by == "query" or template is None else f"template {template}"


def _fold_of(groups: Sequence[str], folds: int, seed: int) -> dict[str, int]:
    """Return the fold of each group. :raises StateError: there is only one group."""
    from sklearn.model_selection import GroupKFold

    count = min(folds, len({*groups}))
    if count < 2:
        raise StateError(
            f"cannot make folds of {count} group", hint="All queries have the same template: use --by query.", sqlstate="IR405"
        )
    parts = GroupKFold(count, shuffle=True, random_state=seed).split(groups, groups=np.asarray(groups))
    return {groups[i]: fold for fold, (_, held) in enumerate(parts) for i in held}


@translate()
def _answers(
    conn: psycopg.Connection,
    model: int | None,
    *,
    set: str,  # noqa: A002
    split: str,
    source: str,
) -> list[_Answers]:
    """Return, by place, the answers of each query for which the model lacks a pair."""
    rows = conn.execute(
        "SELECT * FROM stc.answer_relate_answers(%s, stc.answer_set_key(%s, %s), %s)", [model, set, split, source]
    ).fetchall()
    answers = []
    for (_, query, template), group in groupby(rows, key=lambda row: row[:3]):
        mine = list(group)
        answers.append(_Answers(query, template, [row[3] for row in mine], [row[4] for row in mine]))
    return answers


def _size(query: _Answers) -> int:
    return len(query.ids) * (len(query.ids) - 1) // 2


def _chunks(answers: Sequence[_Answers]) -> Iterator[list[_Answers]]:
    chunk: list[_Answers] = []
    for query in answers:
        if chunk and sum(map(_size, chunk)) + _size(query) > _CHUNK:
            yield chunk
            chunk = []
        chunk.append(query)
    if chunk:
        yield chunk


def _predict(conn: psycopg.Connection, key: int, model: Agreement, answers: Sequence[_Answers]) -> int:
    """Store a model's relations for all pairs of some queries' answers; return how many were new."""
    queries: list[str] = []
    a: list[str] = []
    b: list[str] = []
    ids: list[tuple[int, int]] = []
    for query in answers:
        left, right = np.triu_indices(len(query.ids), 1)
        queries += [query.query] * len(left)
        a += [query.texts[i] for i in left]
        b += [query.texts[i] for i in right]
        ids += [(query.ids[i], query.ids[j]) for i, j in zip(left, right, strict=True)]
    relations = model.predict(queries, a, b)
    return _copy(conn, key, ids, relations.support, relations.oppose)


def _copy(conn: psycopg.Connection, key: int, ids: Sequence[tuple[int, int]], support: _Floats, oppose: _Floats) -> int:
    with conn.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE IF NOT EXISTS told_relations (a bigint, b bigint, support real, oppose real)")
        cursor.execute("TRUNCATE pg_temp.told_relations")
        with cursor.copy("COPY pg_temp.told_relations (a, b, support, oppose) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["int8", "int8", "float4", "float4"])
            for (first, second), yes, no in zip(ids, support.tolist(), oppose.tolist(), strict=True):
                copy.write_row((first, second, yes, no))
        # Sorted by key, so that concurrent inserts wait for each other instead of deadlocking.
        cursor.execute(
            "INSERT INTO stc.answer_relations (model, a, b, support, oppose)"
            " SELECT %s, t.a, t.b, t.support, t.oppose FROM pg_temp.told_relations t ORDER BY t.a, t.b ON CONFLICT DO NOTHING",
            [key],
        )
        return cursor.rowcount
