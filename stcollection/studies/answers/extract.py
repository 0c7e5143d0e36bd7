"""Extract answers from documents that have no given answers, and evaluate the extraction on documents that do."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import psycopg

from stcollection.errors import BadArgument, StateError, translate
from stcollection.moved import grouped

WIDTHS = (1, 2, 3)  # widths tried when tuning
WIDTH = 2
_SPACES = re.compile(r"\s+")

Progress = Callable[[int, int | None], None]


@dataclass(frozen=True, kw_only=True)
class ExtractOptions:
    """Which windows of sentences become answers.

    :param width: maximum number of sentences of a window; None: 2 unless tuned.
    :param per_document: maximum number of windows per document.
    :param at_least: minimum score; documents whose windows all score less abstain; None: 0 unless tuned.
    :param tune_on: a split with given answers on which width and at_least, if None, are chosen.
    """

    width: int | None = None
    per_document: int = 1
    at_least: float | None = None
    tune_on: str | None = None


BEST_WINDOW = ExtractOptions()


class Extracted(NamedTuple):
    """A stored extraction.

    :param answered: number of documents with an extracted answer.
    :param abstained: number of other documents.
    :param value: value of :class:`TunedExtraction` on the tuning split; None without tuning.
    """

    source: str
    width: int
    at_least: float
    documents: int
    answered: int
    abstained: int
    answers: int
    tuned_on: str | None
    value: float | None


class TunedExtraction(NamedTuple):
    """The width and the minimum score with the greatest value.

    :param value: mean over all documents of the F1 of their window with the best given answer; a document without a given answer
        counts 1 if it abstains.
    """

    width: int
    at_least: float
    value: float


class Quality(NamedTuple):
    """Agreement of extracted with given answers of the same documents; shares and F1 are in [0, 1], None if undefined.

    :param answerable: number of documents with a given answer.
    :param answered: number of answerable documents with an extracted answer.
    :param f1: mean character F1 over the answered documents: best match of extracted and given answers.
    :param answered_share: answered / answerable.
    :param silent: number of documents without a given answer.
    :param abstained: number of silent documents without an extracted answer.
    :param abstained_share: abstained / silent.
    :param value: mean over all documents: F1 of an answerable one (0 if it abstained); 1 for a silent one that abstained.
    """

    source: str
    documents: int
    answerable: int
    answered: int
    f1: float | None
    answered_share: float | None
    silent: int
    abstained: int
    abstained_share: float | None
    value: float | None


def character_f1(a: str, b: str) -> float:
    """Return the F1 of the pairs of adjacent characters of two texts, with multiplicity; of a single character for one-character
    texts.

    Case, compatibility forms (NFKC) and white space are ignored. The F1 is 1 for two empty texts.

    >>> character_f1("可以喝", "可以 喝")
    1.0
    >>> round(character_f1("可以喝", "不可以喝"), 3)
    0.8
    """
    left, right = _pairs(a), _pairs(b)
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 1.0


def _pairs(text: str) -> Counter[str]:
    plain = _SPACES.sub("", unicodedata.normalize("NFKC", text).lower())
    return Counter(plain[place : place + 2] for place in range(len(plain) - 1)) if len(plain) > 1 else Counter(plain)


@grouped(options=ExtractOptions)
@translate()
def extract(
    conn: psycopg.Connection,
    *,
    set: str,  # noqa: A002
    split: str,
    source: str,
    options: ExtractOptions = BEST_WINDOW,
    replace: bool = False,
    progress: Progress | None = None,
) -> Extracted:
    """Store the best windows of sentences of each document as its answers, scored by the SQL function answer_windows.

    :param source: name of the extraction.
    :raises UnknownObject: the set does not exist.
    :raises BadArgument: the name is taken or ``given``; or a width or number of windows is below 1.
    :raises StateError: the split to tune on has no given answers.
    """
    width, at_least, tune_on = options.width, options.at_least, options.tune_on
    if tune_on is not None and at_least is not None:
        raise BadArgument(
            f"a minimum score of {at_least} is given together with --tune-on", hint="Give only one of the two.", sqlstate="IR202"
        )
    tuned = None
    if tune_on is not None:
        widths = WIDTHS if width is None else (width,)
        tuned = tune(conn, set=set, split=tune_on, widths=widths, progress=progress)
        width, at_least = tuned.width, tuned.at_least
    width, at_least = WIDTH if width is None else width, at_least or 0.0
    with conn.transaction():
        row = conn.execute(
            "SELECT documents, answered, answers FROM stc.answer_extract(%s, %s, %s, %s, %s, %s, %s)",
            [set, split, source, width, options.per_document, at_least, replace],
        ).fetchone()
    documents, answered, answers = row or (0, 0, 0)
    value = None if tuned is None else tuned.value
    return Extracted(source, width, at_least, documents, answered, documents - answered, answers, tune_on, value)


@translate()
def tune(
    conn: psycopg.Connection,
    *,
    set: str,  # noqa: A002
    split: str,
    widths: Sequence[int] = WIDTHS,
    progress: Progress | None = None,
) -> TunedExtraction:
    """Return the width and minimum score that match the given answers of a split best.

    A minimum score lies half-way between two scores. Of equally good scores the highest is returned, of equally good widths the
    smallest.

    :raises StateError: the split has no given answers.
    """
    key = _key(conn, set, split)
    given = _answers(conn, key, "given")
    if not given:
        raise StateError(
            f"the split {split} of {set} has no given answers, so nothing can be tuned on it",
            hint="Train and dev have answers once their pairs are loaded. 'stc answers extract --width --min-score' needs none.",
            sqlstate="IR405",
        )
    with conn.transaction():
        conn.execute("SELECT stc.answer_index(%s, %s)", [set, split])
    documents = _documents(conn, key)
    best: TunedExtraction | None = None
    for number, width in enumerate(widths, start=1):
        rows = conn.execute("SELECT document, text, score FROM stc.answer_windows(%s, %s)", [key, width]).fetchall()
        gains = np.array(
            [max(character_f1(text, one) for one in given[document]) if document in given else -1.0 for document, text, _ in rows]
        )
        scores = np.array([score for _, _, score in rows])
        at_least, gained = _least(scores, gains)
        value = (documents - len(given) + gained) / documents
        if best is None or value > best.value + 1e-12:
            best = TunedExtraction(width, at_least, value)
        if progress is not None:
            progress(number, len(widths))
    if best is None:
        raise BadArgument("no width is given", hint="Give at least one width.", sqlstate="IR202")
    return best


def _least(
    scores: np.ndarray[tuple[int], np.dtype[np.float64]], gains: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> tuple[float, float]:
    """Return the minimum score with the greatest total gain, and that gain; 0 if no window gains anything."""
    if not len(scores):
        return 0.0, 0.0
    order = np.argsort(-scores, kind="stable")
    scores, sums = scores[order], np.cumsum(gains[order])
    ends = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))
    best = int(np.argmax(np.round(sums[ends], 12)))
    if sums[ends[best]] <= 0:
        return float(np.nextafter(scores[0], np.inf)), 0.0
    last = int(ends[best])
    if last + 1 == len(scores):
        return 0.0, float(sums[last])
    middle = float((scores[last] + scores[last + 1]) / 2)
    return middle if middle > scores[last + 1] else float(scores[last]), float(sums[last])


@translate()
def quality(conn: psycopg.Connection, *, set: str, split: str, source: str) -> Quality:  # noqa: A002
    """Compare extracted answers with the given ones of the same documents.

    :raises UnknownObject: the set does not exist.
    :raises StateError: it has no answers of this source.
    """
    key = _key(conn, set, split)
    made = _answers(conn, key, source)
    if not made:
        known = [
            name
            for (name,) in conn.execute(
                "SELECT DISTINCT a.source FROM stc.answers a JOIN stc.answer_queries q ON q.id = a.query WHERE q.set = %s"
                " ORDER BY 1",
                [key],
            )
        ]
        raise StateError(
            f"the split {split} of {set} has no answers {source!r}",
            hint=(f"Its sources are {', '.join(known)}. " if known else "") + "Extract answers with 'stc answers extract'.",
            sqlstate="IR405",
        )
    given, documents = _answers(conn, key, "given"), _documents(conn, key)
    told = [max(character_f1(a, b) for a in made[one] for b in given[one]) for one in given if one in made]
    silent = documents - len(given)
    abstained = silent - sum(one not in given for one in made)
    if not given:
        return Quality(source, documents, 0, 0, None, None, silent, abstained, None, None)
    return Quality(
        source,
        documents,
        len(given),
        len(told),
        sum(told) / len(told) if told else None,
        len(told) / len(given),
        silent,
        abstained,
        abstained / silent if silent else None,
        (sum(told) + abstained) / documents,
    )


def _key(conn: psycopg.Connection, set: str, split: str) -> int:  # noqa: A002
    (key,) = conn.execute("SELECT stc.answer_set_key(%s, %s)", [set, split]).fetchone() or (0,)
    return int(key)


def _documents(conn: psycopg.Connection, key: int) -> int:
    row = conn.execute(
        "SELECT count(*) FROM stc.answer_documents d JOIN stc.answer_queries q ON q.id = d.query WHERE q.set = %s", [key]
    )
    return int((row.fetchone() or (0,))[0])


def _answers(conn: psycopg.Connection, key: int, source: str) -> dict[int, list[str]]:
    """Return the answers of a source by document; documents without an answer are omitted."""
    found: dict[int, list[str]] = {}
    for document, text in conn.execute(
        "SELECT a.document, a.text FROM stc.answers a JOIN stc.answer_queries q ON q.id = a.query"
        ' WHERE q.set = %s AND a.source = %s COLLATE "C" AND a.document IS NOT NULL',
        [key, source],
    ):
        found.setdefault(document, []).append(text)
    return found
