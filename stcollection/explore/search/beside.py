"""Rankings of several systems side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from stcollection.explore.search.asking import SearchPage, SearchRequest, Shown
from stcollection.web.words import n, t


def moved(ranks: Mapping[str, int], system: str, first: str) -> str:
    """Return how a document's rank differs from the first system's.

    :param ranks: rank of the document by system. :returns: '▲ 3' if it is three ranks higher than in the first system.
    """
    if len(ranks) == 1:
        return t("only here")
    if system == first:
        return ""
    if first not in ranks:
        return t("not in {system}", system=first)
    change = ranks[first] - ranks[system]
    return f"▲ {change}" if change > 0 else f"▼ {-change}" if change < 0 else t("same rank")


class Move(NamedTuple):
    """How a document's rank differs. :param text: words or a sign. :param spoken: words instead of a sign, else None."""

    text: str
    spoken: str | None
    kind: str


class RankedRow(NamedTuple):
    """A document in a column. :param move: None in the first column, unless only that has the document."""

    document: Shown
    move: Move | None


def columns(asked: SearchRequest, found: SearchPage) -> dict[str, list[RankedRow]]:
    """Return the rows of each system's column."""
    ranks = _ranks(found)
    return {
        system: [
            RankedRow(row, _move(moved(ranks[row.doc], system, asked.system), alone=len(ranks[row.doc]) == 1))
            for row in found.beside
            if row.system == system
        ]
        for system in asked.systems
    }


def moves(ranks: Mapping[str, int | None], first: str) -> dict[str, Move | None]:
    """Return how a document's rank differs in each system that ranks it."""
    known = {system: rank for system, rank in ranks.items() if rank is not None}
    return {system: _move(moved(known, system, first), alone=len(known) == 1) for system in known}


def overlap(asked: SearchRequest, found: SearchPage) -> str:
    """Return how many documents all rankings have, and what the signs mean."""
    ranks = _ranks(found)
    everywhere = sum(len(places) == len(asked.systems) for places in ranks.values())
    return (
        n(
            "In every ranking: {everywhere} of {count} document.",
            "In every ranking: {everywhere} of {count} documents.",
            len(ranks),
            everywhere=everywhere,
        )
        + " "
        + t("▲ and ▼: ranks higher or lower than by {system}.", system=asked.system)
        + " "
        + t("Only here: in no other ranking's first {count}.", count=asked.k)
    )


def _ranks(found: SearchPage) -> Mapping[int, Mapping[str, int]]:
    """Return the rank of each document by system."""
    ranks: dict[int, dict[str, int]] = defaultdict(dict)
    for row in found.beside:
        ranks[row.doc][row.system] = row.rank
    return ranks


def _move(change: str, *, alone: bool) -> Move | None:
    if change[:1] == "▲":
        return Move(change, t("up {number}", number=change[2:]), "up")
    if change[:1] == "▼":
        return Move(change, t("down {number}", number=change[2:]), "down")
    return Move(change, None, "alone" if alone else "same") if change else None
