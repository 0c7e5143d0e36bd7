"""The judging session of one page: which document is shown, and what each key does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from shiny import Session, reactive

from stcollection.errors import BadArgument, StcError, UnknownObject
from stcollection.explore.judging.decisions import SKIP, UNDECIDED, flush, identity, part, queued, seconds
from stcollection.explore.judging.sheet import document, labelled, said, scale
from stcollection.qrels import judging as work
from stcollection.qrels.judging import BlindDocument, JudgingSession, SentDecision, judging_session
from stcollection.qrels.sheets import plain
from stcollection.texts import later
from stcollection.topics.sets import ALL
from stcollection.web.desk import Desk
from stcollection.web.hands import Hands, Holder, reserve
from stcollection.web.words import n, t

_FEW = 5  # documents ahead, below which the browser gets more
_WORDS = {SKIP: later("Skipped."), UNDECIDED: later("Stored: cannot decide.")}


@dataclass(frozen=True, kw_only=True)
class SheetView:
    """The document shown on the page.

    :param paper: None when nothing is left. :param again: the reader went back to it.
    :param trouble: why the last decision was not stored. :param serial: number of this rendering.
    """

    paper: BlindDocument | None
    again: bool
    trouble: StcError | None
    serial: int


class Sitting:
    """The judging session of a page. Its public attributes are reactive values, which the tab draws."""

    def __init__(self, desk: Desk, hands: Hands, session: Session) -> None:
        self._desk, self._hands, self._session = desk, hands, session
        self.guest = desk.guest
        self.here: reactive.Value[JudgingSession | None] = reactive.Value(None, name="here")
        self.drawn: reactive.Value[SheetView | None] = reactive.Value(None, name="drawn")
        self.refusal: reactive.Value[StcError | None] = reactive.Value(None, name="refusal")
        self.queries: reactive.Value[str] = reactive.Value(ALL, name="chosen")  # the set typed on the page
        self.told: reactive.Value[str] = reactive.Value("", name="told")
        self.decisions: reactive.Value[int] = reactive.Value(0, name="decisions")
        self._holder = Holder("", session.id)
        self._undo: list[str] = []  # ids of the decisions of this page
        self._ahead: list[str] = []  # tokens of documents that the browser keeps

    def holds(self, window: str) -> None:
        """Set the browser window of this page."""
        self._holder = Holder(window, self._session.id)

    def leave(self) -> None:
        """Release the page's document."""
        self._hands.let_go(self._holder)

    async def begin(self, pool: str, annotator: str, query: str | None, *, first: str = "") -> bool:
        """Start judging a sheet, or show why that is not possible. :param first: text to announce."""
        last = self.here()
        if self.guest is not None:
            pool, annotator = self.guest.pool, self.guest.annotator
        try:
            if not pool:
                raise BadArgument(later("no pool is selected"), hint=later("Select a pool."))
            if not annotator:
                raise BadArgument(
                    later("the name is empty"), hint=later("Enter your name: each judgment is stored with its annotator.")
                )
            here = await self._desk.ask(judging_session, pool, annotator, query, self.queries())
            here = replace(here, grades=scale(here.grades))
            self._ahead.clear()
            await self._go_on(here, first)
        except StcError as error:
            self.refuse(error)
            return False
        if last is None or (last.pool, last.annotator) != (pool, annotator):
            self._undo.clear()
        self.refusal.set(None)
        self.here.set(here)
        self.decisions.set(self.decisions() + 1)
        await self._session.send_custom_message("stc-judging", {"pool": pool, "annotator": annotator, "query": here.query or ""})
        await self._send_ahead(here)
        return True

    async def flush(self, sent: Any) -> str:
        """Store the decisions that the browser kept while it had no connection. Return what became of them."""
        found = queued(sent)
        if self.guest is not None:  # decisions that somebody else made in this browser stay there
            own = self.guest.pool, self.guest.annotator
            found = [one for one in found if (one.pool, one.annotator) == own]
        if not found:
            return ""
        done = await self._desk.write(flush, found)
        await self._forget(done.ids)
        self.refusal.set(done.trouble)
        told = (
            [
                n(
                    "{count:,} decision that the browser kept is stored.",
                    "{count:,} decisions that the browser kept are stored.",
                    done.stored,
                )
            ]
            if done.stored
            else []
        )
        told += [t("Not stored: {reason}.", reason=reason) for reason in dict.fromkeys(done.rejected)]
        return "".join(f"{one} " for one in told)

    def _draw(self, paper: BlindDocument | None, *, again: bool = False, trouble: StcError | None = None) -> None:
        last = self.drawn()
        self.drawn.set(SheetView(paper=paper, again=again, trouble=trouble, serial=last.serial + 1 if last else 1))

    def refuse(self, error: StcError) -> None:
        """Show an error, and keep the document on the page ready for keys."""
        self.refusal.set(error)
        at = self.drawn()
        if at is not None:
            self._draw(at.paper, again=at.again)

    async def _go_on(self, here: JudgingSession, first: str) -> None:
        """Show the next document on the sheet. :param first: text to announce before it."""
        token = await reserve(self._desk, self._hands, here, self._holder)
        if token is None:
            self._draw(None)
            self.told.set(first + t("Nothing left to judge here") + ".")
        else:
            await self.show(here, token, first)

    async def show(self, here: JudgingSession, token: str, first: str, *, again: bool | None = False) -> None:
        """Show a document of the sheet. :param again: the reader went back to it; None: if there is a decision on it."""
        paper = await self._desk.ask(work.paper, here.pool, here.annotator, token)
        self._draw(paper, again=paper.changed is not None if again is None else again)
        told = t(
            "Document {number} of {of} of query {query}, {state}.",
            number=paper.number,
            of=paper.of,
            query=plain(paper.query),
            state=said(paper),
        )
        self.told.set(first + told)

    async def _send_ahead(self, here: JudgingSession) -> None:
        """Give the browser the next documents, so that it can go on without a connection."""
        at = self.drawn()
        now = at.paper.token if at and at.paper else ""
        self._ahead = [token for token in self._ahead if token != now]
        if len(self._ahead) >= _FEW or not now:
            return
        passed = [now, *self._hands.elsewhere(here.pool, here.annotator, self._holder)]
        try:
            found = await self._desk.ask(work.ahead, here.pool, here.annotator, here.query, passed, queries=here.queries)
        except StcError:
            return  # only a convenience
        self._ahead = [one.token for one in found]
        drawn = [
            {"token": one.token, "html": str(document(one, pool=here.pool, annotator=here.annotator, grades=here.grades, serial=0))}
            for one in found
        ]
        await self._session.send_custom_message("stc-judging-ahead", {"documents": drawn})

    async def _forget(self, ids: Sequence[str]) -> None:
        """Let the browser forget decisions that are stored, or can never be."""
        await self._session.send_custom_message("stc-judging-done", {"ids": list(ids)})

    async def key(self, sent: Any) -> None:
        """Handle a key that was pressed on a document."""
        here, at, given = self.here(), self.drawn(), identity(sent)
        if here is None or at is None:
            return
        key = part(sent, "key")
        of_this = (here.pool, at.paper.query if at.paper else "", at.paper.token if at.paper else "", str(at.serial))
        if tuple(part(sent, name) for name in ("pool", "query", "token", "serial")) != of_this:
            await self._forget([given] if given else [])
            return  # the key was meant for a document that is no longer on the screen
        try:
            if key == "back":
                await self._back(here, at)
            elif key == "undo":
                await self._undo_last(here, at)
            elif at.paper is None or key not in {SKIP, UNDECIDED, *map(str, here.grades)}:
                self._draw(at.paper, again=at.again)
            else:
                await self._decide(here, at.paper, key, sent)
                await self._send_ahead(here)
        except StcError as error:
            if given and isinstance(error, BadArgument | UnknownObject):
                await self._forget([given])
            self._draw(at.paper, again=at.again, trouble=error)

    async def _back(self, here: JudgingSession, at: SheetView) -> None:
        earlier = (
            await self._desk.ask(work.before, here.pool, here.annotator, at.paper.token, again=at.again)
            if at.paper
            else await self._desk.ask(work.decided_last, here.pool, here.annotator)
        )
        if earlier is None:
            self._draw(at.paper, again=at.again)
            self.told.set(t("There is no earlier document."))
        else:
            await self.show(here, earlier, t("Back.") + " ", again=True)

    async def _undo_last(self, here: JudgingSession, at: SheetView) -> None:
        done = await self._desk.write(work.undo, here.pool, here.annotator, self._undo[-1]) if self._undo else None
        del self._undo[-1:]
        if done is None:
            self._draw(at.paper, again=at.again)
            self.told.set(t("There is nothing to undo on this page."))
            return
        if done.undone:
            self.decisions.set(self.decisions() + 1)
            self._hands.take(here.pool, here.annotator, done.token, self._holder)
        first = t("Undone.") if done.undone else t("Not undone: the judgment was submitted or changed elsewhere.")
        await self.show(here, done.token, first + " ", again=None)

    async def _decide(self, here: JudgingSession, paper: BlindDocument, key: str, sent: Any) -> None:
        """Store a decision and show the next document."""
        given, note = identity(sent), plain(part(sent, "note"))[:1000]
        new = None if note == plain(paper.note) else note
        rel = int(key) if key.isdecimal() else None
        if key == SKIP and paper.state not in ("open", "skipped") and new is None:  # keep the decision
            await self._forget([given] if given else [])
            await self._go_on(here, "")
            return
        decision = SentDecision(
            id=given,
            pool=here.pool,
            annotator=here.annotator,
            token=paper.token,
            rel=rel,
            undecided=key == UNDECIDED,
            note=new,
            seconds=seconds(sent) if key != SKIP else None,
            seen=paper.changed,
        )
        try:
            stored = await self._desk.write(work.decide, decision)
        except StcError:
            self.told.set(t("Not stored."))
            raise
        await self._forget([given] if given else [])
        if stored is None:
            first = t("Not stored: this document was judged in another tab or terminal.")
            await self.show(here, paper.token, first + " ", again=True)
            return
        if given is not None:
            self._undo.append(given)
        self.decisions.set(self.decisions() + 1)
        done = (t(_WORDS[key]) if key in _WORDS else t("Graded {grade}.", grade=rel)) + " "
        if stored.label and paper.label is None:  # shown after the annotator's own decision
            done += f"{labelled(stored)}. "
        try:
            await self._go_on(here, done)
        except StcError as error:  # the decision is stored nevertheless
            self._draw(stored, again=True, trouble=error)
            self.told.set(done + t("The next document could not be loaded."))
