"""Filters restrict the documents that a search may return; sql/corpus/filter_condition.sql reads them as JSON.

A key of the filter is a field of :class:`TypedFilter`. All interfaces offer the keys of :func:`filter_keys` and read values by
:func:`read_filter`, so a new key is a condition in SQL, a field with its help, and a test.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson

from stcollection.declared import DeclaredParameter, Option, declared_fields
from stcollection.errors import BadArgument, UnknownObject

if TYPE_CHECKING:
    import psycopg  # the options of commands need no driver

Filter = Mapping[str, Any]

_RANGE = re.compile(r"(?P<low>-?\d+(?:\.\d+)?)?(?P<dots>\.\.)?(?P<high>-?\d+(?:\.\d+)?)?")
MOST, LONGEST = 1_000, 10_000  # values of a key in one request, and characters of a value


def interval(text: str) -> float | list[float | None]:
    """Parse a range: ``2015..2020``, ``2015..``, ``..2020``, or a number.

    :returns: [from, to] with None for an open end, or the number.
    :raises BadArgument: the text is not a range.
    """
    match = _RANGE.fullmatch(text.strip())
    ends = 0 if match is None else sum(match[end] is not None for end in ("low", "high"))
    if match is None or ends == 0 or (ends == 2 and match["dots"] is None):
        raise BadArgument(f"{text!r} is not a range", hint="Write 2015..2020, 2015.., ..2020 or 2018.")
    if match["dots"] is None:
        return _number(text.strip())
    low, high = (None if end is None else _number(end) for end in (match["low"], match["high"]))
    if low is not None and high is not None and low > high:
        raise BadArgument(f"the range {text!r} ends before it begins", hint=f"Write {high}..{low}.")
    return [low, high]


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)


def _ranges(key: str, values: Sequence[str]) -> dict[str, Any]:
    """Read ranges of measures such as ``age=..5``. :param key: name of the field, for errors."""
    read: dict[str, Any] = {}
    for text in values:
        measure, equals, span = text.partition("=")
        if not equals:
            raise BadArgument(
                f"{key} {text[:80]!r} has no range", hint="Write MEASURE=RANGE, such as textstat_fkgl=..12 or age=..5."
            )
        read[measure] = interval(span)
    return read


def _object(key: str, text: str | Mapping[str, Any]) -> dict[str, Any]:
    """Read a filter in JSON, or take its object. :param key: name of the field, for errors."""
    if not isinstance(text, str):
        return dict(text)
    hint = """Write an object, such as {"year": [2015, null]}."""
    try:
        read = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise BadArgument(f"{key} {text[:80]!r} is not JSON: {error}", hint=hint) from error
    if not isinstance(read, dict):
        raise BadArgument(f"{key} {text[:80]!r} is not a JSON object", hint=hint)
    return read


def _lines(paths: Sequence[str]) -> list[str]:
    """Read the lines of files; - is the standard input. :raises BadArgument: a file cannot be read."""
    lines: list[str] = []
    for path in paths:
        try:
            with nullcontext(sys.stdin) if path == "-" else Path(path).open(encoding="utf-8") as file:
                lines += list(file) or [""]
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise BadArgument(f"{path} cannot be read: {why}", hint="Give a text file with one docno per line.") from error
    return lines


@dataclass(frozen=True)
class Read:
    """How a field of the filter is read. :param by: reads name and value into keys of the JSON filter."""

    by: Callable[[str, Any], dict[str, Any]]


_A_RANGE = Read(lambda key, text: {key: interval(text)})
_MEASURES = Read(_ranges)
Many = Sequence[str]
_FILES = ", in FILE one per line"


@dataclass(frozen=True, kw_only=True)
class TypedFilter:
    """A filter as typed in options or in a request; unset parts are None or empty.

    :param year: Only documents of these years: 2015..2020, 2015.., ..2020 or 2018.
    :param citations: Only documents with this number of citations: 10.. or 1..50.
    :param venue: Only documents of this venue, ignoring case; % matches any text. Repeatable.
    :param author: Only documents of this author, as in the record. Repeatable.
    :param doc_type: Only documents of this type, such as Conference. Repeatable.
    :param data_source: Only documents from this source, such as openalex. Repeatable.
    :param readability: Only documents with this readability: textstat_fkgl=..12. Repeatable.
    :param credibility: Only documents with this credibility: citation_percentile=90.., citations_per_year=10.., references=1..
        or age=..5. Repeatable.
    :param with_text: Only documents that match this boolean query.
    :param as_of: Only documents that were in the collection on this day.
    :param judged: Only documents judged in EDITION; for a run, judged for the query.
    :param excluded_for: No documents that are excluded for this stored query.
    :param docnos: Only documents with these docnos, in FILE one per line. Repeatable.
    :param raw: Filter in the JSON syntax of the SQL functions, instead of these options or in addition to them.
    """

    year: Annotated[str | None, Option(metavar="RANGE"), _A_RANGE] = None
    citations: Annotated[str | None, Option(metavar="RANGE"), _A_RANGE] = None
    venue: Many = ()
    author: Many = ()
    doc_type: Annotated[Many, Option(metavar="TYPE")] = ()
    data_source: Annotated[Many, Option(metavar="NAME")] = ()
    readability: Annotated[Many, Option(metavar="MEASURE=RANGE"), _MEASURES] = ()
    credibility: Annotated[Many, Option(metavar="MEASURE=RANGE"), _MEASURES] = ()
    with_text: Annotated[str | None, Option(metavar="QUERY"), Read(lambda _, text: {"text": text})] = None
    as_of: Annotated[str | None, Option(metavar="YYYY-MM-DD")] = None
    judged: Annotated[str | None, Option(metavar="EDITION")] = None
    excluded_for: Annotated[str | None, Option(metavar="QUERY")] = None
    docnos: Annotated[Many, Option(metavar="FILE", files=_FILES, reads=_lines)] = ()
    raw: Annotated[str | Mapping[str, Any] | None, Option("--filter", each="filter", metavar="JSON"), Read(_object)] = None


def filter_keys() -> tuple[DeclaredParameter, ...]:
    """Return the keys of the filter, in the order of the record. Interfaces name a key ``each``."""
    return declared_fields(TypedFilter)


def conditions(typed: TypedFilter) -> dict[str, Any]:
    """Return a filter as the SQL functions take it. :raises BadArgument: a value cannot be read."""
    read: dict[str, Any] = {}
    for key in sorted(filter_keys(), key=lambda key: key.name != "raw"):  # the others add to a filter in JSON
        value = getattr(typed, key.name)
        if value is None or value == () or value == []:
            continue
        reader = next((note for note in key.notes if isinstance(note, Read)), None)
        read |= {key.name: list(value) if key.many else value} if reader is None else reader.by(key.each, value)
    texts = [text for value in (*read, *read.values()) for text in (value if isinstance(value, list) else [value])]
    if any("\0" in text for text in texts if isinstance(text, str)):
        raise BadArgument("the filter contains the character U+0000", hint="Remove it.")
    return read


def read_filter(conn: psycopg.Connection, given: TypedFilter | Filter | None) -> dict[str, Any] | None:
    """Return a filter as the SQL functions take it; None if it restricts nothing.

    :raises BadArgument: a value cannot be read. :raises UnknownObject: a document of ``docnos`` is not in the corpus.
    """
    if not isinstance(given, TypedFilter):
        return None if given is None else dict(given)
    read = conditions(given)
    if given.docnos:
        read["docnos"] = known_docnos(conn, given.docnos)
    return read or None


def known_docnos(conn: psycopg.Connection, docnos: Iterable[str]) -> list[str]:
    """Return document names without repetition, in their order, after checking that they exist.

    :raises UnknownObject: a document is not in the corpus. :raises BadArgument: the list is empty.
    """
    names = list(dict.fromkeys(name for docno in docnos if (name := docno.strip())))
    if not names:
        raise BadArgument("the list of documents is empty", hint="Write one name per line.")
    known = {docno for (docno,) in conn.execute("SELECT docno FROM dblp WHERE docno = ANY (%s)", [names])}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UnknownObject(
            f"there is no document {unknown[0]!r}",
            hint=f"{len(unknown):,} of the {len(names):,} are not in the corpus. Use names from the column docno.",
            sqlstate="IR104",
        )
    return names
