"""Decisions as the browser sends them: read, checked, and stored once each, also when they were made without a connection."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg

from stcollection.errors import BadArgument, StcError, UnknownObject
from stcollection.qrels import judging as work
from stcollection.qrels.judging import SentDecision
from stcollection.qrels.sheets import plain
from stcollection.web.words import t

MOST = 200  # queued decisions of one message
SKIP, UNDECIDED = "skip", "undecided"
_ID = re.compile(r"[0-9a-z]{8,64}")
_LONGEST_NOTE = 1000


@dataclass(frozen=True, kw_only=True)
class Flushed:
    """What became of queued decisions.

    :param stored: number of decisions that are stored now. :param ids: ids that the browser can forget.
    :param rejected: why decisions were not stored and cannot be. :param trouble: why the remaining ones have to wait.
    """

    stored: int
    ids: Sequence[str]
    rejected: Sequence[str]
    trouble: StcError | None


def part(sent: Any, name: str) -> str:
    """Return a string that the browser sent, '' if it is missing."""
    value = sent.get(name, "") if isinstance(sent, Mapping) else ""
    return value if isinstance(value, str) else ""


def seconds(sent: Any) -> float | None:
    """Return the time that a decision took, None if it is missing or not a time."""
    value = sent.get("seconds") if isinstance(sent, Mapping) else None
    return float(value) if isinstance(value, int | float) and math.isfinite(value) and value >= 0 else None


def identity(sent: Any) -> str | None:
    """Return the id of a decision, None if it is missing or malformed."""
    given = part(sent, "id")
    return given if _ID.fullmatch(given) else None


def queued(sent: Any) -> list[SentDecision]:
    """Read the decisions that a browser kept, without those that are malformed."""
    items = sent.get("queue") if isinstance(sent, Mapping) else None
    found = [_read(one) for one in items[:MOST]] if isinstance(items, Sequence) and not isinstance(items, str) else []
    return [one for one in found if one is not None]


def _read(sent: Any) -> SentDecision | None:
    key, given = part(sent, "key"), identity(sent)
    if given is None or not (key in (SKIP, UNDECIDED) or re.fullmatch("[0-9]", key)):
        return None
    try:
        seen = datetime.fromisoformat(part(sent, "seen")) if part(sent, "seen") else None
    except ValueError:
        return None
    if seen is not None and seen.tzinfo is None:
        return None
    return SentDecision(
        id=given,
        pool=part(sent, "pool"),
        annotator=part(sent, "annotator"),
        token=part(sent, "token"),
        rel=int(key) if key.isdecimal() else None,
        undecided=key == UNDECIDED,
        note=plain(part(sent, "note"))[:_LONGEST_NOTE] if "note" in sent and sent["note"] is not None else None,
        seconds=seconds(sent),
        seen=seen,
        query=part(sent, "query") or None,
    )


def flush(conn: psycopg.Connection, decisions: Sequence[SentDecision]) -> Flushed:
    """Store queued decisions in their order. A decision that the server received before is not stored again."""
    stored = 0
    ids: list[str] = []
    rejected: list[str] = []
    for one in decisions:
        try:
            if work.store_decision(conn, one):
                stored += 1
            else:
                rejected.append(t("a document was judged elsewhere meanwhile; that decision is kept"))
        except (BadArgument, UnknownObject) as error:
            rejected.append(error.message)
        except StcError as error:
            return Flushed(stored=stored, ids=ids, rejected=rejected, trouble=error)
        ids.append(one.id or "")
    return Flushed(stored=stored, ids=ids, rejected=rejected, trouble=None)
