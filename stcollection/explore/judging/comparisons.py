"""Comparisons of two documents that a browser sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast, get_args

import psycopg

from stcollection.errors import BadArgument, UnknownObject
from stcollection.explore.judging.decisions import MOST, identity, part, seconds
from stcollection.qrels.comparisons import Choice, DocumentPair, compare_pair
from stcollection.web.desk import Guest

_CHOSEN = frozenset(get_args(Choice))


@dataclass(frozen=True, kw_only=True)
class SentComparison:
    """A comparison as the browser sends it. :param id: made by the browser; a comparison sent twice has the same one."""

    id: str
    pool: str
    annotator: str
    pair: DocumentPair
    choice: Choice
    seconds: float | None


def read(sent: Any) -> SentComparison | None:
    """Read a comparison that the browser sent; None if it is malformed."""
    given, choice = identity(sent), part(sent, "choice")
    if given is None or choice not in _CHOSEN:
        return None
    pair = DocumentPair(part(sent, "query"), 0, part(sent, "left"), part(sent, "right"))
    return SentComparison(
        id=given,
        pool=part(sent, "pool"),
        annotator=part(sent, "annotator"),
        pair=pair,
        choice=cast("Choice", choice),
        seconds=seconds(sent),
    )


def kept_comparisons(sent: Any, guest: Guest | None) -> list[SentComparison]:
    """Read the comparisons that a browser kept. :param guest: an invited assessor, whose own comparisons alone are returned."""
    items = sent.get("queue") if isinstance(sent, Mapping) else None
    found = [read(one) for one in items[:MOST]] if isinstance(items, Sequence) and not isinstance(items, str) else []
    own = (guest.pool, guest.annotator) if guest else None
    return [one for one in found if one is not None and own in (None, (one.pool, one.annotator))]


def store(conn: psycopg.Connection, sent: Sequence[SentComparison]) -> tuple[int, list[str]]:
    """Store comparisons in their order. Return how many are stored, and ids that the browser can forget."""
    stored, ids = 0, []
    for one in sent:
        with suppress(BadArgument, UnknownObject):  # the pool has changed
            stored += compare_pair(conn, one.pool, one.annotator, one.pair, one.choice, seconds=one.seconds, decision=one.id)
        ids.append(one.id)
    return stored, ids
