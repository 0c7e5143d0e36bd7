"""Filters restrict the documents that a search may return; sql/corpus/filter_condition.sql reads them as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from stcollection.errors import BadArgument, UnknownObject

Filter = Mapping[str, Any]

_RANGE = re.compile(r"(?P<low>-?\d+(?:\.\d+)?)?(?P<dots>\.\.)?(?P<high>-?\d+(?:\.\d+)?)?")


@dataclass(frozen=True, kw_only=True)
class TypedFilter:
    """A filter as typed in options or in a request; unset parts are None or empty.

    :param year, citations: ranges as :func:`interval` reads them. :param readability, credibility: such as ``textstat_fkgl=..12``.
    :param with_text: a boolean query. :param judged: an edition. :param docnos: a file with one document name per line.
    :param raw: a JSON filter as the SQL functions accept it.
    """

    year: str | None = None
    citations: str | None = None
    venue: Sequence[str] = ()
    doc_type: Sequence[str] = ()
    data_source: Sequence[str] = ()
    readability: Sequence[str] = ()
    credibility: Sequence[str] = ()
    with_text: str | None = None
    judged: str | None = None
    as_of: str | None = None
    docnos: Path | None = None
    raw: str | None = None

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
