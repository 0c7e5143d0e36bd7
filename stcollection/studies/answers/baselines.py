"""Baselines: the documents that are like the query, or long enough, or all of them; what documents agree on plays no part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, LiteralString, NamedTuple

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg.types.json import Jsonb

from stcollection.errors import BadArgument, StateError, translate
from stcollection.moved import grouped
from stcollection.studies.answers.cuts import Flags, Floats, Integers, best_span, best_threshold, mean_f1
from stcollection.studies.answers.tfidf import QueryWithTexts, cosines
from stcollection.vectors.model import Encoder
from stcollection.vectors.queries import encoder_of
from stcollection.vectors.store import registered

METHODS = ("tfidf", "embedding", "length", "all")
PUBLISHED = 0.2  # the threshold of the published baseline
_AT_ONCE = 512  # texts between two reports of progress

Progress = Callable[[int, int | None], None]


@dataclass(frozen=True, kw_only=True)
class BaselineOptions:
    """What makes a document worth returning.

    tfidf: character TF-IDF of query and documents; a document whose cosine of title + text is above the threshold is returned.
    embedding: the same by the vectors of an embedding model. length: documents of a length between two bounds. all: every document.

    :param method: one of METHODS. :param threshold: of tfidf and embedding; 0.2 for tfidf if None, as published.
    :param tune_on: a split of the same set with gold: the threshold, or the range, of the greatest mean F1 per query there.
    :param model: of embedding: a short name of the collection's models, or one in memory; None is the default one.
    """

    method: str = "tfidf"
    threshold: float | None = None
    tune_on: str | None = None
    model: str | Encoder | None = None


TFIDF = BaselineOptions()


class BaselineRun(NamedTuple):
    """A run of a baseline.

    :param threshold: scores above it are returned; None for length and all.
    :param low, high: the range of lengths, in characters; None but for length.
    :param f1_tuned: mean F1 over the queries with gold of the split it was tuned on; None if it was not.
    :param f1: the same of the split of the run; None where that has no gold.
    :param abstained: queries nothing is returned for.
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

    asked: list[QueryWithTexts]
    query: Integers
    document: Integers
    gold: Flags

    def texts(self) -> list[str]:
        return [text for one in self.asked for text in one.texts]


@grouped(options=BaselineOptions)
@translate()
def baseline(
    conn: psycopg.Connection,
    *,
    set: str,  # noqa: A002
    split: str,
    run: str,
    options: BaselineOptions = TFIDF,
    replace: bool = False,
    progress: Progress | None = None,
) -> BaselineRun:
    """Store a run of a baseline over one split, all or nothing.

    :param replace: put it in the place of a run of this name.
    :raises UnknownObject: the set, the split or the model. :raises StateError: the split to tune on has no gold.
    :raises BadArgument: there is such a run; no such method; a threshold where none can be, or none where one must be.
    """
    method, tune_on = options.method, options.tune_on
    _check(options)
    here = _read(conn, set=set, split=split, method=method)
    if not replace:
        with conn.transaction(force_rollback=True):  # a taken name is told before the work
            conn.execute(_BEGIN, [run, here[0], method, Jsonb({}), False])
    told: dict[str, Any] = {"tuned_on": tune_on, "model": None}
    encoder = _encoder(conn, options.model) if method == "embedding" else None
    if encoder is not None:
        told["model"] = encoder.short
    score = _scorer(method, encoder, progress)
    f1_tuned = None
    if tune_on is not None:
        there = _read(conn, set=set, split=tune_on, method=method)[1]
        if not there.gold.any():
            raise StateError(
                f"{set} has no gold of its split {tune_on}: nothing can be tuned on it",
                hint="'stc answers load --gold' loads one; or give --threshold.",
                sqlstate="IR405",
            )
        if method == "length":
            span = best_span(there.query, score(there), there.gold)
            told |= {"low": span.low, "high": span.high}
            f1_tuned = span.f1
        else:
            cut = best_threshold(there.query, score(there), there.gold)
            told["threshold"], f1_tuned = cut
        told["f1_tuned"] = f1_tuned
    elif method in ("tfidf", "embedding"):
        told["threshold"] = PUBLISHED if options.threshold is None else options.threshold
    split_id, docs = here
    values = score(docs)
    returned: Flags = values >= told.get("low", -np.inf)
    if method == "length":
        returned &= values <= told["high"]
    elif method != "all":
        returned = values > told["threshold"]
    with conn.transaction():
        params = Jsonb({name: value for name, value in told.items() if value is not None})
        (key,) = conn.execute(_BEGIN, [run, split_id, method, params, replace]).fetchone() or (None,)
        with conn.cursor().copy("COPY stc.answer_predictions (run, document, query) FROM STDIN") as copy:
            for document, query in zip(docs.document[returned].tolist(), docs.query[returned].tolist(), strict=True):
                copy.write_row((key, document, query))
    answered = len(np.unique(docs.query[returned]))
    return BaselineRun(
        run,
        method,
        told["model"],
        told.get("threshold"),
        told.get("low"),
        told.get("high"),
        tune_on,
        f1_tuned,
        mean_f1(docs.query, docs.gold, returned) if docs.gold.any() else None,
        len(docs.asked),
        len(docs.document),
        int(returned.sum()),
        len(docs.asked) - answered,
    )


_BEGIN: LiteralString = "SELECT stc.answer_begin_run(%s, %s, %s, %s, %s)"


def _check(options: BaselineOptions) -> None:
    method, threshold, tune_on, model = options.method, options.threshold, options.tune_on, options.model
    problem = None
    if method not in METHODS:
        problem = f"there is no baseline {method!r}", f"They are {', '.join(METHODS)}."
    elif threshold is not None and (tune_on is not None or method in ("length", "all")):
        problem = f"a threshold for {method}{' that is to be tuned' if tune_on else ''}", "Only tfidf and embedding have one."
        if tune_on is not None and method not in ("length", "all"):
            problem = problem[0], "Give it, or let it be tuned: not both."
    elif threshold is not None and not -1 <= threshold <= 1:
        problem = f"a threshold of {threshold}", "A cosine lies between -1 and 1."
    elif method == "all" and tune_on is not None:
        problem = "all documents, tuned", "There is nothing to tune in returning every document."
    elif method == "embedding" and threshold is None and tune_on is None:
        problem = "an embedding baseline without a threshold", "No threshold is published: give --tune-on dev, or --threshold."
    elif method == "length" and tune_on is None:
        problem = "a length baseline without a range", "Give --tune-on dev: the range is found there."
    elif method != "embedding" and model is not None:
        problem = f"a model for {method}", "Only --method embedding has one."
    if problem:
        raise BadArgument(problem[0], hint=problem[1], sqlstate="IR202")


def _read(conn: psycopg.Connection, *, set: str, split: str, method: str) -> tuple[int, _Split]:  # noqa: A002
    """The key of a split and its documents. Title and text are one, as published; a line apart where words are read."""
    (key,) = conn.execute("SELECT stc.answer_set_key(%s, %s)", [set, split]).fetchone() or (0,)
    asked: list[QueryWithTexts] = []
    texts: list[str] = []
    queries: list[int] = []
    documents: list[int] = []
    gold: list[bool] = []
    last = None
    for query, asks, document, text, is_gold in conn.execute(
        "SELECT q.id, q.text, d.id, d.title || %s || d.text, g.document IS NOT NULL"
        "  FROM stc.answer_queries q LEFT JOIN stc.answer_documents d ON d.query = q.id LEFT JOIN stc.answer_gold g"
        " ON g.document = d.id"
        " WHERE q.set = %s ORDER BY q.place, q.id, d.place, d.id",
        ["\n" if method == "embedding" else "", key],
    ):
        if query != last:
            texts = []
            asked.append(QueryWithTexts(asks, texts))
            last = query
        if document is not None:
            texts.append(text)
            queries.append(query)
            documents.append(document)
            gold.append(is_gold)
    as_int = np.int64
    return key, _Split(asked, np.array(queries, as_int), np.array(documents, as_int), np.array(gold, dtype=np.bool_))


def _encoder(conn: psycopg.Connection, model: str | Encoder | None) -> Encoder:
    return encoder_of(registered(conn, model)) if isinstance(model, str | None) else model


def _scorer(method: str, encoder: Encoder | None, progress: Progress | None) -> Callable[[_Split], Floats]:
    """What each document of a split is worth: float64[n]."""
    if method == "tfidf":
        return lambda split: cosines(split.asked)
    if method == "embedding" and encoder is not None:
        return lambda split: _near(split, encoder, progress)
    return lambda split: np.array([len(text) for text in split.texts()], dtype=np.float64)


def _near(split: _Split, encoder: Encoder, progress: Progress | None) -> Floats:
    """The cosine of each document with its query, by their vectors; -1 for a document without text."""
    texts = split.texts()
    distinct = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    asked = encoder.encode([one.query for one in split.asked], query=True)
    vectors = _embed(list(distinct), encoder, progress)
    of_query = np.repeat(np.arange(len(split.asked)), [len(one.texts) for one in split.asked])
    rows = np.array([distinct[text] for text in texts], dtype=np.int64)
    found: Floats = np.einsum("nd,nd->n", asked[of_query], vectors[rows], dtype=np.float64)
    found[[not text.strip() for text in texts]] = -1.0
    return found


def _embed(texts: list[str], encoder: Encoder, progress: Progress | None) -> npt.NDArray[np.float32]:
    parts = []
    by_length = sorted(range(len(texts)), key=lambda place: len(texts[place]))  # those of like length together: little is padded
    for start in range(0, len(texts), _AT_ONCE):
        parts.append(encoder.encode([texts[place] for place in by_length[start : start + _AT_ONCE]]))
        if progress is not None:
            progress(min(start + _AT_ONCE, len(texts)), len(texts))
    vectors = np.zeros((len(texts), encoder.dim), dtype=np.float32)
    if parts:
        vectors[by_length] = np.concatenate(parts)
    return vectors
