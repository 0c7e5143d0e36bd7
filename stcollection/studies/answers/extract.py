"""Extract answers from documents that have no given answers, and evaluate the extraction on documents that do."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import psycopg

from stcollection.db.rows import only_row, only_value
from stcollection.declared import AllowedRange, Option, check_fields
from stcollection.errors import BadArgument, StateError, translate
from stcollection.io.files import Progress
from stcollection.studies.answers.parameters import AnswerSet, Device, Split
from stcollection.studies.answers.spans import AnswerSpan, SpanReader

WIDTHS = (1, 2, 3)  # widths tried when tuning
WIDTH = 2
_SAME = 1e-4  # confidences of two readings of a document by the same reader differ by less
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, kw_only=True)
class ExtractOptions:
    """Which windows of sentences become answers, or which model reads the answers.

    The score of a reader's answer is its confidence (:meth:`.spans.SpanReader.read`).

    :param width: Largest number of sentences per answer. :param per_document: Largest number of answers per document.
    :param at_least: Lowest score of an answer; documents below it get none.
    :param tune_on: Choose --width and --min-score by the given answers of this split of SET.
    :param reader: Read the answers with this extractive question-answering model of transformers; --min-score is its lowest
        confidence.
    :raises BadArgument: a value is out of range, or a reader is given with a width or several answers per document.
    """

    width: Annotated[int | None, AllowedRange(ge=1, le=20), Option(default="2, or tuned")] = None
    per_document: Annotated[int, AllowedRange(ge=1, le=100)] = 1
    at_least: Annotated[float | None, AllowedRange(ge=0), Option("--min-score", default="0, or tuned")] = None
    tune_on: Split | None = None
    reader: Annotated[str | None, Option(metavar="FOLDER")] = None

    def __post_init__(self) -> None:
        check_fields(self)
        if self.reader is None:
            return
        if self.width is not None or self.per_document != 1:
            raise BadArgument(
                "a reader gives one answer per document, without a width in sentences",
                hint="Omit the width and the number of answers per document, or the reader.",
            )
        if self.at_least is not None and not 0 <= self.at_least <= 1:
            raise BadArgument(f"the minimum score is {self.at_least:g}", hint="The confidence of a reader is between 0 and 1.")


BEST_WINDOW = ExtractOptions()


class Extracted(NamedTuple):
    """A stored extraction.

    :param answered: number of documents with an extracted answer.
    :param abstained: number of other documents. :param width: None for a reader.
    :param value: value of :class:`TunedExtraction` on the tuning split; None without tuning.
    :param reader: revision of the reader: a hash of its files, or its commit; None for windows.
    """

    source: str
    width: int | None
    at_least: float
    documents: int
    answered: int
    abstained: int
    answers: int
    tuned_on: str | None
    value: float | None
    reader: str | None = None


class TunedExtraction(NamedTuple):
    """The width and the minimum score with the greatest value. :param width: 0 for a reader.

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


@translate()
def extract(
    conn: psycopg.Connection,
    *,
    set: AnswerSet,  # noqa: A002
    split: Split,
    source: Annotated[str, Option("--as", metavar="NAME")],
    options: ExtractOptions = BEST_WINDOW,
    replace: bool = False,
    device: Device = None,
    progress: Progress | None = None,
) -> Extracted:
    """Store the best windows of sentences of each document as its answers, scored by the SQL function answer_windows.

    With a reader, store the answer that it finds in each document, with its confidence. Each query is committed; an interrupted
    extraction continues when it is repeated with the same reader and options.

    :param split: Split whose documents are read.
    :param source: Name of the extracted answers, as in 'stc answers relate --source NAME'.
    :param replace: Replace stored answers with this name.
    :param progress: counts widths when tuning windows, and documents that a reader has read.
    :raises UnknownObject: the set or the reader does not exist.
    :raises BadArgument: the name is taken or ``given``; a width or number of windows is below 1; or the reader is another model.
    :raises StateError: the split to tune on has no given answers.
    """
    width, at_least, tune_on = options.width, options.at_least, options.tune_on
    if tune_on is not None and at_least is not None:
        raise BadArgument(f"a minimum score of {at_least} is given together with --tune-on", hint="Give only one of the two.")
    if options.reader is not None:
        reader = SpanReader.load(options.reader, device=device)
        return _extract_with(conn, reader, set=set, split=split, source=source, options=options, replace=replace, progress=progress)
    tuned = None
    if tune_on is not None:
        widths = WIDTHS if width is None else (width,)
        tuned = tune(conn, set=set, split=tune_on, widths=widths, progress=progress)
        width, at_least = tuned.width, tuned.at_least
    width, at_least = WIDTH if width is None else width, at_least or 0.0
    with conn.transaction():
        documents, answered, answers = only_row(
            conn,
            "SELECT documents, answered, answers FROM stc.answer_extract(%s, %s, %s, %s, %s, %s, %s)",
            [set, split, source, width, options.per_document, at_least, replace],
        )
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
    given = _given(conn, key, set, split)
    with conn.transaction():
        conn.execute("SELECT stc.answer_index(%s, %s)", [set, split])
    documents = _documents(conn, key)
    best: TunedExtraction | None = None
    for number, width in enumerate(widths, start=1):
        rows = conn.execute("SELECT document, text, score FROM stc.answer_windows(%s, %s)", [key, width]).fetchall()
        tuned = _tuned(width, rows, given, documents)
        if best is None or tuned.value > best.value + 1e-12:
            best = tuned
        if progress is not None:
            progress(number, len(widths))
    if best is None:
        raise BadArgument("no width is given", hint="Give at least one width.")
    return best


def _given(conn: psycopg.Connection, key: int, set: str, split: str) -> dict[int, list[str]]:  # noqa: A002
    """Return the given answers by document. :raises StateError: the split has none."""
    given = _answers(conn, key, "given")
    if not given:
        raise StateError(
            f"the split {split} of {set} has no given answers, so nothing can be tuned on it",
            hint="Train and dev have answers once their pairs are loaded. 'stc answers extract --width --min-score' needs none.",
            sqlstate="IR405",
        )
    return given


def _tuned(
    width: int, answers: Sequence[tuple[int, str, float]], given: Mapping[int, Sequence[str]], documents: int
) -> TunedExtraction:
    """Choose the minimum score for extracted answers, each with its document and score."""
    gains = [
        max(character_f1(text, other) for other in given[document]) if document in given else -1.0 for document, text, _ in answers
    ]
    at_least, gained = _least(np.array([score for _, _, score in answers]), np.array(gains))
    return TunedExtraction(width, at_least, (documents - len(given) + gained) / documents)


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


class _Unread(NamedTuple):
    """A query whose documents a reader reads."""

    id: int
    text: str
    documents: int


def _extract_with(
    conn: psycopg.Connection,
    reader: SpanReader,
    *,
    set: str,  # noqa: A002
    split: str,
    source: str,
    options: ExtractOptions,
    replace: bool,
    progress: Progress | None,
) -> Extracted:
    at_least, value = options.at_least or 0.0, None
    if options.tune_on is not None:
        tuned_key = _key(conn, set, options.tune_on)
        given = _given(conn, tuned_key, set, options.tune_on)
        answers = [
            (document, span.text, span.confidence)
            for _, spans in _read(conn, reader, _queries(conn, tuned_key), progress)
            for document, (_, span) in spans.items()
        ]
        _, at_least, value = _tuned(0, answers, given, _documents(conn, tuned_key))
    with conn.transaction():
        key = int(only_value(conn, "SELECT stc.answer_begin_extraction(%s, %s, %s, %s, true)", [set, split, source, replace]))
    unread = _queries(conn, key)
    stored = _stored(conn, key, source)
    last = max((place for place, query in enumerate(unread) if query.id in stored), default=None)
    for query, by_document in _read(conn, reader, unread[last or 0 :], progress):
        confident = {document: (url, span) for document, (url, span) in by_document.items() if span.confidence >= at_least}
        if query.id in stored:  # read again, to compare
            _require_same(stored[query.id], confident, set=set, split=split, source=source)
        elif confident:
            spans = [span for _, span in confident.values()]
            columns = [*confident], [span.text for span in spans], [span.confidence for span in spans]
            with conn.transaction():
                conn.execute("SELECT stc.answer_store_spans(%s, %s, %s, %s, %s, %s, %s)", [set, split, source, query.id, *columns])
            _commit(conn)
    documents, answered = _documents(conn, key), _answers(conn, key, source)
    return Extracted(
        source=source,
        width=None,
        at_least=at_least,
        documents=documents,
        answered=len(answered),
        abstained=documents - len(answered),
        answers=sum(map(len, answered.values())),
        tuned_on=options.tune_on,
        value=value,
        reader=reader.revision,
    )


def _read(
    conn: psycopg.Connection, reader: SpanReader, queries: Sequence[_Unread], progress: Progress | None
) -> Iterator[tuple[_Unread, dict[int, tuple[str, AnswerSpan]]]]:
    """Yield each query with the answers of its documents: address and span by document. No transaction is open while reading."""
    total, finished = sum(query.documents for query in queries), 0
    for query in queries:
        documents = conn.execute(
            "SELECT id, url, text FROM stc.answer_documents WHERE query = %s ORDER BY place", [query.id]
        ).fetchall()
        _commit(conn)
        spans = reader.read(query.text, [text for _, _, text in documents])
        yield query, {key: (url, span) for (key, url, _), span in zip(documents, spans, strict=True) if span is not None}
        finished += len(documents)
        if progress is not None:
            progress(finished, total)


def _commit(conn: psycopg.Connection) -> None:
    if not conn.autocommit:
        conn.commit()


def _queries(conn: psycopg.Connection, key: int) -> list[_Unread]:
    rows = conn.execute(
        "SELECT q.id, q.text, (SELECT count(*) FROM stc.answer_documents d WHERE d.query = q.id)"
        " FROM stc.answer_queries q WHERE q.set = %s ORDER BY q.place",
        [key],
    )
    return [_Unread(*row) for row in rows]


def _stored(conn: psycopg.Connection, key: int, source: str) -> dict[int, dict[tuple[str, str], float]]:
    """Return the scores of the answers of a source, by query, address and text."""
    scores: dict[int, dict[tuple[str, str], float]] = {}
    for query, url, text, score in conn.execute(
        "SELECT a.query, a.url, a.text, a.score FROM stc.answers a JOIN stc.answer_queries q ON q.id = a.query"
        ' WHERE q.set = %s AND a.source = %s COLLATE "C"',
        [key, source],
    ):
        scores.setdefault(query, {})[url, text] = score
    return scores


def _require_same(
    stored: Mapping[tuple[str, str], float],
    spans: Mapping[int, tuple[str, AnswerSpan]],
    *,
    set: str,  # noqa: A002
    split: str,
    source: str,
) -> None:
    """Check that stored answers of a query are those that the reader gives. :raises BadArgument: they are not."""
    scores: dict[tuple[str, str], float] = {}
    for url, span in spans.values():
        scores.setdefault((url, span.text), span.confidence)
    if scores.keys() != stored.keys() or any(abs(scores[answer] - score) > _SAME for answer, score in stored.items()):
        raise BadArgument(
            f"{set!r}, {split}, already has extracted answers {source!r}, which this reader does not give with these options",
            hint="Continue with the same reader and options, choose another name, or replace them: stc answers extract … --replace",
        )


@translate()
def quality(
    conn: psycopg.Connection,
    *,
    set: AnswerSet,  # noqa: A002
    split: Split,
    source: Annotated[str, Option(metavar="NAME")],
) -> Quality:
    """Compare extracted answers with the given ones of the same documents.

    :param source: Name of the extracted answers.
    :raises UnknownObject: the set does not exist.
    :raises StateError: it has no answers of this source.
    """
    key = _key(conn, set, split)
    answers = _answers(conn, key, source)
    if not answers:
        sources = [
            name
            for (name,) in conn.execute(
                "SELECT DISTINCT a.source FROM stc.answers a JOIN stc.answer_queries q ON q.id = a.query WHERE q.set = %s"
                " ORDER BY 1",
                [key],
            )
        ]
        raise StateError(
            f"the split {split} of {set} has no answers {source!r}",
            hint=(f"Its sources are {', '.join(sources)}. " if sources else "") + "Extract answers with 'stc answers extract'.",
            sqlstate="IR405",
        )
    given, documents = _answers(conn, key, "given"), _documents(conn, key)
    values = [max(character_f1(a, b) for a in answers[doc] for b in given[doc]) for doc in given if doc in answers]
    silent = documents - len(given)
    abstained = silent - sum(doc not in given for doc in answers)
    if not given:
        return Quality(source, documents, 0, 0, None, None, silent, abstained, None, None)
    return Quality(
        source,
        documents,
        len(given),
        len(values),
        sum(values) / len(values) if values else None,
        len(values) / len(given),
        silent,
        abstained,
        abstained / silent if silent else None,
        (sum(values) + abstained) / documents,
    )


def _key(conn: psycopg.Connection, set: str, split: str) -> int:  # noqa: A002
    return int(only_value(conn, "SELECT stc.answer_set_key(%s, %s)", [set, split]))


def _documents(conn: psycopg.Connection, key: int) -> int:
    statement = "SELECT count(*) FROM stc.answer_documents d JOIN stc.answer_queries q ON q.id = d.query WHERE q.set = %s"
    return int(only_value(conn, statement, [key]))


def _answers(conn: psycopg.Connection, key: int, source: str) -> dict[int, list[str]]:
    """Return the answers of a source by document; documents without an answer are omitted."""
    answers: dict[int, list[str]] = {}
    for document, text in conn.execute(
        "SELECT a.document, a.text FROM stc.answers a JOIN stc.answer_queries q ON q.id = a.query"
        ' WHERE q.set = %s AND a.source = %s COLLATE "C" AND a.document IS NOT NULL',
        [key, source],
    ):
        answers.setdefault(document, []).append(text)
    return answers
