"""Baselines that ignore agreement: return documents similar to the query, documents of some length, or all documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, LiteralString, NamedTuple

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from stcollection.db.roles import rows_schema
from stcollection.db.rows import only_value
from stcollection.declared import Option
from stcollection.errors import BadArgument, StateError, translate
from stcollection.io.files import Progress
from stcollection.studies.answers.cuts import Flags, Floats, Integers, best_span, best_threshold, mean_f1
from stcollection.studies.answers.parameters import AnswerSet, NewRun, Split
from stcollection.studies.answers.tfidf import QueryWithTexts, cosines
from stcollection.vectors.model import Encoder
from stcollection.vectors.queries import encoder_of
from stcollection.vectors.store import registered

METHODS = ("tfidf", "embedding", "length", "all")
PUBLISHED = 0.2  # the threshold of the published baseline
_AT_ONCE = 512  # texts between two progress reports


@dataclass(frozen=True, kw_only=True)
class BaselineOptions:
    """How a baseline selects documents.

    tfidf: return documents whose title + text has a character TF-IDF cosine with the query above the threshold. embedding: the
    same with vectors of an embedding model. length: return documents whose length is within a range. all: return every document.

    :param method: Rule that selects the documents.
    :param threshold: For tfidf and embedding: return documents with a greater similarity to the query.  [default for tfidf: 0.2]
    :param tune_on: Choose the threshold or range with the best mean F1 on this split of SET.
    :param model: For embedding: the model's name in the collection.
    """

    method: Annotated[str, Option(choices=METHODS)] = "tfidf"
    threshold: float | None = None
    tune_on: Split | None = None
    model: Annotated[
        str | Encoder | None,
        Option(metavar="SHORT", default="the collection's first model"),
    ] = None


TFIDF = BaselineOptions()


class BaselineRun(NamedTuple):
    """A run of a baseline.

    :param threshold: scores above it are returned; None for length and all.
    :param low, high: range of lengths in characters; None except for length.
    :param f1_tuned: mean F1 over the queries with gold in the tuning split; None without tuning.
    :param f1: mean F1 over the queries with gold in the run's split; None if it has no gold.
    :param abstained: number of queries for which nothing is returned.
    """

    run: str
    method: str
    model: str | None
    threshold: float | None
    low: float | None
    high: float | None
    tuned_on: str | None
    f1_tuned: float | None
    f1: float | None
    queries: int
    documents: int
    returned: int
    abstained: int


class _Split(NamedTuple):
    """The documents of a split, query by query. :param query: int64[n]. :param document: int64[n]. :param gold: bool[n]."""

    queries: list[QueryWithTexts]
    query: Integers
    document: Integers
    gold: Flags

    def texts(self) -> list[str]:
        return [text for query in self.queries for text in query.texts]


@translate()
def baseline(
    conn: psycopg.Connection,
    *,
    set: AnswerSet,  # noqa: A002
    split: Split,
    run: NewRun,
    options: BaselineOptions = TFIDF,
    replace: bool = False,
    progress: Progress | None = None,
) -> BaselineRun:
    """Store a run of a baseline over one split, in one transaction.

    :param split: Split whose documents are returned. :param replace: Replace a stored run with this name.
    :raises UnknownObject: the set, the split or the model does not exist.
    :raises StateError: the split to tune on has no gold.
    :raises BadArgument: the run exists, the method is unknown, or a threshold is missing or not allowed.
    """
    method, tune_on = options.method, options.tune_on
    _check(options)
    here = _read(conn, set=set, split=split, method=method)
    if not replace:
        with conn.transaction(force_rollback=True):  # report a taken name before the work starts
            conn.execute(_BEGIN, [run, here[0], method, Jsonb({}), False])
    settings: dict[str, Any] = {"tuned_on": tune_on, "model": None}
    encoder = _encoder(conn, options.model) if method == "embedding" else None
    if encoder is not None:
        settings["model"] = encoder.short
    score = _scorer(method, encoder, progress)
    f1_tuned = None
    if tune_on is not None:
        tuning = _read(conn, set=set, split=tune_on, method=method)[1]
        if not tuning.gold.any():
            raise StateError(
                f"the split {tune_on} of {set} has no gold, so nothing can be tuned on it",
                hint="Load gold with 'stc load --as answers --gold', or use 'stc answers baseline --threshold', without tuning.",
                sqlstate="IR405",
            )
        if method == "length":
            span = best_span(tuning.query, score(tuning), tuning.gold)
            settings |= {"low": span.low, "high": span.high}
            f1_tuned = span.f1
        else:
            cut = best_threshold(tuning.query, score(tuning), tuning.gold)
            settings["threshold"], f1_tuned = cut
        settings["f1_tuned"] = f1_tuned
    elif method in ("tfidf", "embedding"):
        settings["threshold"] = PUBLISHED if options.threshold is None else options.threshold
    split_id, docs = here
    values = score(docs)
    returned: Flags = values >= settings.get("low", -np.inf)
    if method == "length":
        returned &= values <= settings["high"]
    elif method != "all":
        returned = values > settings["threshold"]
    with conn.transaction():
        params = Jsonb({name: value for name, value in settings.items() if value is not None})
        key = only_value(conn, _BEGIN, [run, split_id, method, params, replace])
        with conn.cursor().copy("COPY stc.answer_predictions (run, document, query) FROM STDIN") as copy:
            for document, query in zip(docs.document[returned].tolist(), docs.query[returned].tolist(), strict=True):
                copy.write_row((key, document, query))
    answered = len(np.unique(docs.query[returned]))
    return BaselineRun(
        run,
        method,
        settings["model"],
        settings.get("threshold"),
        settings.get("low"),
        settings.get("high"),
        tune_on,
        f1_tuned,
        mean_f1(docs.query, docs.gold, returned) if docs.gold.any() else None,
        len(docs.queries),
        len(docs.document),
        int(returned.sum()),
        len(docs.queries) - answered,
    )


_BEGIN: LiteralString = "SELECT stc.answer_begin_run(%s, %s, %s, %s, %s)"


def _check(options: BaselineOptions) -> None:
    method, threshold, tune_on, model = options.method, options.threshold, options.tune_on, options.model
    problem = None
    if method not in METHODS:
        problem = f"unknown baseline {method!r}", f"Use one of {', '.join(METHODS)}."
    elif threshold is not None and (tune_on is not None or method in ("length", "all")):
        problem = (
            f"a threshold is given for {method}{' together with --tune-on' if tune_on else ''}",
            "Only tfidf and embedding have a threshold.",
        )
        if tune_on is not None and method not in ("length", "all"):
            problem = problem[0], "Give the threshold or tune it, not both."
    elif threshold is not None and not -1 <= threshold <= 1:
        problem = f"the threshold is {threshold}", "It must lie between -1 and 1, like a cosine."
    elif method == "all" and tune_on is not None:
        problem = "the method 'all' cannot be tuned", "It returns every document; remove --tune-on."
    elif method == "embedding" and threshold is None and tune_on is None:
        problem = "an embedding baseline needs a threshold", "None is published: give --tune-on dev, or --threshold."
    elif method == "length" and tune_on is None:
        problem = "a length baseline needs a range", "Give --tune-on dev to choose the range there."
    elif method != "embedding" and model is not None:
        problem = f"a model is given for {method}", "Only --method embedding uses a model."
    if problem:
        raise BadArgument(problem[0], hint=problem[1])


def _read(conn: psycopg.Connection, *, set: str, split: str, method: str) -> tuple[int, _Split]:  # noqa: A002
    """Return the key of a split and its documents. Title and text are joined as published, or by a line break for reading words."""
    key = only_value(conn, "SELECT stc.answer_set_key(%s, %s)", [set, split])
    with_texts: list[QueryWithTexts] = []
    texts: list[str] = []
    queries: list[int] = []
    documents: list[int] = []
    gold: list[bool] = []
    last = None
    for query, asks, document, text, is_gold in conn.execute(
        sql.SQL(
            "SELECT q.id, q.text, d.id, d.title || %s || d.text, g.document IS NOT NULL"
            "  FROM stc.answer_queries q LEFT JOIN stc.answer_documents d ON d.query = q.id LEFT JOIN {}.answer_gold g"
            " ON g.document = d.id"
            " WHERE q.set = %s ORDER BY q.place, q.id, d.place, d.id"
        ).format(rows_schema(conn)),
        ["\n" if method == "embedding" else "", key],
    ):
        if query != last:
            texts = []
            with_texts.append(QueryWithTexts(asks, texts))
            last = query
        if document is not None:
            texts.append(text)
            queries.append(query)
            documents.append(document)
            gold.append(is_gold)
    as_int = np.int64
    return key, _Split(with_texts, np.array(queries, as_int), np.array(documents, as_int), np.array(gold, dtype=np.bool_))


def _encoder(conn: psycopg.Connection, model: str | Encoder | None) -> Encoder:
    return encoder_of(registered(conn, model)) if isinstance(model, str | None) else model


def _scorer(method: str, encoder: Encoder | None, progress: Progress | None) -> Callable[[_Split], Floats]:
    """Return a function that scores each document of a split: float64[n]."""
    if method == "tfidf":
        return lambda split: cosines(split.queries)
    if method == "embedding" and encoder is not None:
        return lambda split: _near(split, encoder, progress)
    return lambda split: np.array([len(text) for text in split.texts()], dtype=np.float64)


def _near(split: _Split, encoder: Encoder, progress: Progress | None) -> Floats:
    """Return the cosine of each document's vector with its query's; -1 for a document without text."""
    texts = split.texts()
    distinct = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    of_queries = encoder.encode([query.query for query in split.queries], query=True)
    vectors = _embed(list(distinct), encoder, progress)
    of_query = np.repeat(np.arange(len(split.queries)), [len(query.texts) for query in split.queries])
    rows = np.array([distinct[text] for text in texts], dtype=np.int64)
    products: Floats = np.einsum("nd,nd->n", of_queries[of_query], vectors[rows], dtype=np.float64)
    products[[not text.strip() for text in texts]] = -1.0
    return products


def _embed(texts: list[str], encoder: Encoder, progress: Progress | None) -> npt.NDArray[np.float32]:
    parts = []
    by_length = sorted(range(len(texts)), key=lambda place: len(texts[place]))  # batch texts of similar length to reduce padding
    for start in range(0, len(texts), _AT_ONCE):
        parts.append(encoder.encode([texts[place] for place in by_length[start : start + _AT_ONCE]]))
        if progress is not None:
            progress(min(start + _AT_ONCE, len(texts)), len(texts))
    vectors = np.zeros((len(texts), encoder.dim), dtype=np.float32)
    if parts:
        vectors[by_length] = np.concatenate(parts)
    return vectors
