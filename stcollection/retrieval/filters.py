"""Filters: which documents a search may find, as the JSON that sql/corpus/filter_condition.sql reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import psycopg

from stcollection.errors import BadArgument, UnknownObject

Filter = Mapping[str, Any]

_RANGE = re.compile(r"(?P<low>-?\d+(?:\.\d+)?)?(?P<dots>\.\.)?(?P<high>-?\d+(?:\.\d+)?)?")


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
