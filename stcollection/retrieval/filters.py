"""Filters: which documents a search may find, as the JSON that sql/corpus/filter_condition.sql reads."""

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
    """A filter as people type it, an option or a member of a request each; None or nothing where it is not asked for.

    :param year, citations: ranges, as :func:`interval` reads them. :param readability, credibility: as ``textstat_fkgl=..12``.
    :param with_text: a boolean query. :param judged: an edition. :param docnos: a file of names, one a line.
    :param raw: a filter as SQL has it, as JSON.
    """

    year: str | None = None
    citations: str | None = None
    venue: Sequence[str] = ()
    doc_type: Sequence[str] = ()
    readability: Sequence[str] = ()
    credibility: Sequence[str] = ()
    with_text: str | None = None
    judged: str | None = None
    docnos: Path | None = None
    raw: str | None = None

    def ranges(self) -> Iterable[tuple[str, str]]:
        """The ranges that are asked for, by the name of what they are of."""
        return [(name, text) for name, text in (("year", self.year), ("citations", self.citations)) if text is not None]

    def words(self) -> dict[str, Any]:
        """What is taken as it is."""
        given = {"venue": list(self.venue), "doc_type": list(self.doc_type), "text": self.with_text, "judged": self.judged}
        return {name: value for name, value in given.items() if value}


def interval(text: str) -> float | list[float | None]:
    """A range as people type it: ``2015..2020``, ``2015..``, ``..2020``, or a number.

    :returns: as a filter holds it: [from, to] with None for an open end, or the number.
    :raises BadArgument: anything else.
    """
    found = _RANGE.fullmatch(text.strip())
    ends = 0 if found is None else sum(found[end] is not None for end in ("low", "high"))
    if found is None or ends == 0 or (ends == 2 and found["dots"] is None):
        raise BadArgument(f"{text!r} is no range", hint="Write 2015..2020, 2015.., ..2020 or 2018.", sqlstate="IR202")
    if found["dots"] is None:
        return _number(text.strip())
    low, high = (None if end is None else _number(end) for end in (found["low"], found["high"]))
    if low is not None and high is not None and low > high:
        raise BadArgument(f"the range {text!r} ends before it begins", hint=f"Write {high}..{low}.", sqlstate="IR202")
    return [low, high]


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)


def known_docnos(conn: psycopg.Connection, docnos: Iterable[str]) -> list[str]:
    """The names of documents, each once, in their order.

    :raises UnknownObject: one is not in the corpus; it is named. :raises BadArgument: there is none.
    """
    names = list(dict.fromkeys(name for one in docnos if (name := one.strip())))
    if not names:
        raise BadArgument("the list of documents is empty", hint="Write one name a line.", sqlstate="IR202")
    unknown = conn.execute(
        "SELECT name, count(*) OVER () FROM unnest(%s::text[]) WITH ORDINALITY n (name, place)"
        " WHERE NOT EXISTS (SELECT FROM dblp d WHERE d.docno = name) ORDER BY place LIMIT 1",
        [names],
    ).fetchone()
    if unknown is not None:
        raise UnknownObject(
            f"there is no document {unknown[0]!r}",
            hint=f"{unknown[1]:,} of the {len(names):,} are not in the corpus; names are those of the column docno.",
            sqlstate="IR104",
        )
    return names
