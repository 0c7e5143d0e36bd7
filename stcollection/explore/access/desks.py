"""Desks of single requests and of invited assessors."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Concatenate

import psycopg

from stcollection.errors import StateError
from stcollection.explore.judging import comparisons
from stcollection.explore.judging.decisions import flush
from stcollection.qrels import judging as work
from stcollection.qrels.comparisons import compare_pair, next_pair, pair_progress, undo_comparison
from stcollection.qrels.judging import SentDecision, judging_session, shown_pair
from stcollection.qrels.pools import pools
from stcollection.qrels.simulated import collection_note
from stcollection.texts import later
from stcollection.web.desk import Desk, Guest, P, T

DESK = "stc.desk"  # key of an ASGI scope: the desk of the signed-in reader
WHO = "stc.who"  # key of an ASGI scope: the name of the signed-in reader
current: ContextVar[Desk | None] = ContextVar("current", default=None)

# What an invited assessor may call. The first arguments must be the pool and the annotator of the invitation …
_OWN_SHEET: frozenset[Callable[..., Any]] = frozenset(
    {
        judging_session, work.begin, work.progress, work.next_token, work.paper, work.papers, work.ahead, work.before,
        work.place_before, work.sheet_page, work.undo, work.was_undone, shown_pair, next_pair, pair_progress, compare_pair,
        undo_comparison,
    }
)  # fmt: skip
# … or the decisions must have them.
_OWN_DECISIONS: frozenset[Callable[..., Any]] = frozenset({work.decide, work.store_decision, flush, comparisons.store})


class RequestDesk(Desk):
    """The desk of the login that sends the current request, for endpoints that are made once. :param home: without sign-in."""

    def __init__(self, home: Desk) -> None:
        self.seconds, self.role, self.origin, self._home = home.seconds, None, home, home
        self.licences = home.licences

    async def ask(self, question: Callable[Concatenate[psycopg.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await (current.get() or self._home).ask(question, *args, **kwargs)

    async def write(self, deed: Callable[Concatenate[psycopg.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await (current.get() or self._home).write(deed, *args, **kwargs)

    def note(self, kind: str, **details: Any) -> None:
        (current.get() or self._home).note(kind, **details)

    def serving(self) -> Desk:
        return current.get() or self._home

    def open(self) -> None: ...

    def close(self) -> None: ...


class GuestDesk(Desk):
    """The page's own desk for an invited assessor, limited to the assessor's sheet of one pool.

    The limit holds whatever the page's tabs do: other calls are refused here.
    """

    def __init__(self, home: Desk, guest: Guest) -> None:
        self.seconds, self.role, self.origin, self.guest, self._home = home.seconds, home.role, home, guest, home

    async def ask(self, question: Callable[Concatenate[psycopg.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        assert self.guest is not None  # noqa: S101
        if question is pools:
            found: Any = await self._home.ask(question, *args, **kwargs)
            return [one for one in found if one.pool == self.guest.pool]  # type: ignore[return-value]
        self._check(question, *args, **kwargs)
        return await self._home.ask(question, *args, **kwargs)

    async def ask_often(self, question: Callable[[psycopg.Connection], T], *, seconds: float) -> T:
        if question is not collection_note:
            self._check(question)
        return await self._home.ask_often(question, seconds=seconds)

    async def write(self, deed: Callable[Concatenate[psycopg.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        self._check(deed, *args, **kwargs)
        if deed is work.undo:
            kwargs["invited"] = True
        return await self._home.write(deed, *map(_of_guest, args), **kwargs)

    def note(self, kind: str, **details: Any) -> None:
        assert self.guest is not None  # noqa: S101
        self._home.note(kind, annotator=self.guest.annotator, pool=self.guest.pool, **details)

    def open(self) -> None: ...

    def close(self) -> None: ...

    def _check(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
        assert self.guest is not None  # noqa: S101
        if function in _OWN_SHEET:  # a declared route names the arguments
            args = inspect.signature(function).bind_partial(None, *args, **kwargs).args[1:]
        own = self.guest.pool, self.guest.annotator
        if function in _OWN_DECISIONS:
            sent = [args[0]] if isinstance(args[0], SentDecision) else args[0]
            allowed = all((one.pool, one.annotator) == own for one in sent)
        else:
            allowed = function in _OWN_SHEET and args[:2] == own
        if not allowed:
            raise StateError(
                later(
                    "this invitation is for judging the pool {pool!r} as {annotator!r} only",
                    pool=self.guest.pool,
                    annotator=self.guest.annotator,
                ),
                hint=later("Ask the organiser who sent it for a login or another invitation."),
                sqlstate="IR410",
            )


def _of_guest(argument: Any) -> Any:
    """Mark the decisions in an argument as those of an invited assessor."""
    if isinstance(argument, SentDecision):
        return replace(argument, invited=True)
    return [*map(_of_guest, argument)] if isinstance(argument, list) else argument
