"""Filters restrict the documents that a search may return; sql/corpus/filter_condition.sql reads them as JSON."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import orjson
import psycopg

from stcollection.declared import Option
from stcollection.errors import BadArgument, UnknownObject

Filter = Mapping[str, Any]

_RANGE = re.compile(r"(?P<low>-?\d+(?:\.\d+)?)?(?P<dots>\.\.)?(?P<high>-?\d+(?:\.\d+)?)?")


@dataclass(frozen=True, kw_only=True)
class TypedFilter:
    """A filter as typed in options or in a request; unset parts are None or empty.

    :param year: Only documents of these years: 2015..2020, 2015.., ..2020 or 2018.
    :param citations: Only documents with this number of citations: 10.. or 1..50.
    :param venue: Only documents of this venue, ignoring case; % matches any text. Repeatable.
    :param doc_type: Only documents of this type, such as Conference. Repeatable.
    :param data_source: Only documents from this source, such as openalex. Repeatable.
    :param readability: Only documents with this readability: textstat_fkgl=..12. Repeatable.
    :param credibility: Only documents with this credibility: citation_percentile=90.., citations_per_year=10.., references=1.. or
        age=..5. Repeatable.
    :param with_text: Only documents that match this boolean query.
    :param as_of: Only documents that were in the collection on this day.
    :param judged: Only documents judged in EDITION; for a run, judged for the query.
    :param docnos: Only documents named in FILE, one docno per line.
    :param raw: Filter in the JSON syntax of the SQL functions, instead of these options or in addition to them.
    """

    year: Annotated[str | None, Option(metavar="RANGE")] = None
    citations: Annotated[str | None, Option(metavar="RANGE")] = None
    venue: Sequence[str] = ()
    doc_type: Annotated[Sequence[str], Option(metavar="TYPE")] = ()
    data_source: Annotated[Sequence[str], Option(metavar="NAME")] = ()
    readability: Annotated[Sequence[str], Option(metavar="MEASURE=RANGE")] = ()
    credibility: Annotated[Sequence[str], Option(metavar="MEASURE=RANGE")] = ()
    with_text: Annotated[str | None, Option(metavar="QUERY")] = None
    as_of: Annotated[str | None, Option(metavar="YYYY-MM-DD")] = None
    judged: Annotated[str | None, Option(metavar="EDITION")] = None
    docnos: Path | None = None
    raw: Annotated[str | None, Option("--filter", each="filter", metavar="JSON")] = None

    def ranges(self) -> Iterable[tuple[str, str]]:
        """Return the given ranges with their names."""
        return [(name, text) for name, text in (("year", self.year), ("citations", self.citations)) if text is not None]

    def words(self) -> dict[str, Any]:
        """Return the parts that are passed on unchanged."""
        given = {
            "venue": list(self.venue),
            "doc_type": list(self.doc_type),
            "data_source": list(self.data_source),
            "text": self.with_text,
            "judged": self.judged,
            "as_of": self.as_of,
        }
        return {name: value for name, value in given.items() if value}


def interval(text: str) -> float | list[float | None]:
    """Parse a range: ``2015..2020``, ``2015..``, ``..2020``, or a number.

    :returns: [from, to] with None for an open end, or the number.
    :raises BadArgument: the text is not a range.
    """
    found = _RANGE.fullmatch(text.strip())
    ends = 0 if found is None else sum(found[end] is not None for end in ("low", "high"))
    if found is None or ends == 0 or (ends == 2 and found["dots"] is None):
        raise BadArgument(f"{text!r} is not a range", hint="Write 2015..2020, 2015.., ..2020 or 2018.", sqlstate="IR202")
    if found["dots"] is None:
        return _number(text.strip())
    low, high = (None if end is None else _number(end) for end in (found["low"], found["high"]))
    if low is not None and high is not None and low > high:
        raise BadArgument(f"the range {text!r} ends before it begins", hint=f"Write {high}..{low}.", sqlstate="IR202")
    return [low, high]


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)


def known_docnos(conn: psycopg.Connection, docnos: Iterable[str]) -> list[str]:
    """Return document names without repetition, in their order, after checking that they exist.

    :raises UnknownObject: a document is not in the corpus. :raises BadArgument: the list is empty.
    """
    names = list(dict.fromkeys(name for one in docnos if (name := one.strip())))
    if not names:
        raise BadArgument("the list of documents is empty", hint="Write one name per line.", sqlstate="IR202")
    known = {docno for (docno,) in conn.execute("SELECT docno FROM dblp WHERE docno = ANY (%s)", [names])}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UnknownObject(
            f"there is no document {unknown[0]!r}",
            hint=f"{len(unknown):,} of the {len(names):,} are not in the corpus. Use names from the column docno.",
            sqlstate="IR104",
        )
    return names


def read_filter(conn: psycopg.Connection, typed: TypedFilter) -> dict[str, Any] | None:
    """Return a filter for the database; None if nothing is set.

    :raises BadArgument: an option cannot be read.
    :raises UnknownObject: a document of the list is not in the corpus.
    """
    wanted: dict[str, Any] = {}
    if typed.raw is not None:
        hint = """For example --filter '{"year": [2015, null]}'."""
        try:
            wanted = orjson.loads(typed.raw)
        except orjson.JSONDecodeError as error:
            raise BadArgument(f"--filter {typed.raw[:80]!r} is not JSON: {error}", hint=hint) from error
        if not isinstance(wanted, dict):
            raise BadArgument(f"--filter {typed.raw[:80]!r} is not a JSON object", hint=hint)
    for key, text in typed.ranges():
        wanted[key] = interval(text)
    for option, example, given in (
        ("--readability", "textstat_fkgl=..12", typed.readability),
        ("--credibility", "age=..5", typed.credibility),
    ):
        for one in given:
            measure, equals, text = one.partition("=")
            if not equals:
                raise BadArgument(f"{option} {one!r} has no range", hint=f"For example {option} {example}.")
            wanted[measure] = interval(text)
    wanted |= typed.words()
    if typed.docnos is not None:
        with nullcontext(sys.stdin) if str(typed.docnos) == "-" else typed.docnos.open(encoding="utf-8") as lines:
            wanted["docnos"] = known_docnos(conn, lines)
    return wanted or None
