"""The panel for pairs: an annotator sees two documents of a query and says which is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shiny import Inputs, Session, reactive, render, ui

from stcollection.errors import BadArgument, StcError, UnknownObject
from stcollection.explore.judging.comparisons import SentComparison, kept_comparisons, read, store
from stcollection.explore.judging.decisions import identity, part
from stcollection.explore.judging.pair_view import by_query, compared, instructions, pairs_left, two
from stcollection.explore.judging.sitting import Sitting
from stcollection.explore.pieces import alert, tells
from stcollection.qrels.comparisons import (
    PairProgress,
    compare_pair,
    next_pair,
    pair_progress,
    undo_comparison,
)
from stcollection.qrels.judging import JudgingSession, ShownPair
from stcollection.qrels.sheets import plain
from stcollection.web.desk import Desk, Guest
from stcollection.web.hands import Hands, Holder, reserve_pair
from stcollection.web.words import n, t


@dataclass(frozen=True, kw_only=True)
class PairView:
    """The pair on the page.

    :param shown: None if nothing is left. :param elsewhere: other windows of the annotator show what is left.
    :param trouble: why the last comparison was not stored. :param serial: number of this rendering.
    """

    shown: ShownPair | None
    elsewhere: bool
    trouble: StcError | None
    serial: int


async def progress_of(desk: Desk, here: JudgingSession) -> list[PairProgress]:
    """Return the annotator's comparisons of each query of the set that the page uses."""
    return await desk.ask(pair_progress, here.pool, here.annotator, queries=here.queries)


class Comparing:
    """Comparisons on one page. Its public attributes are reactive values, which the panel draws."""

    def __init__(self, desk: Desk, hands: Hands, session: Session, holder: Holder) -> None:
        self._desk, self._hands, self._session, self._holder = desk, hands, session, holder
        self.drawn: reactive.Value[PairView | None] = reactive.Value(None, name="pair_drawn")
        self.told: reactive.Value[str] = reactive.Value("", name="pair_told")
        self.query: reactive.Value[str | None] = reactive.Value(None, name="pair_query")
        self.decisions: reactive.Value[int] = reactive.Value(0, name="comparisons")
        self._made: list[str] = []  # queries of the comparisons of this page
        self._at: tuple[str, str] | None = None

    def holds(self, window: str) -> None:
        """Set the browser window of this page."""
        self._holder = Holder(f"pairs {window}", self._session.id)

    def leave(self) -> None:
        """Release the query of this page."""
        self._hands.let_go(self._holder)

    async def begin(self, here: JudgingSession, query: str | None = None) -> None:
        """Show the next pair of an annotator. :param query: the only query to compare."""
        if self._at != (here.pool, here.annotator):
            self._made.clear()
        self._at = here.pool, here.annotator
        self.query.set(query)
        try:
            await self._go_on(here, "")
        except StcError as error:
            self._draw(None, trouble=error)

    async def resume(self, sent: Any, guest: Guest | None) -> None:
        """Store the comparisons that the browser kept while it had no connection."""
        found = kept_comparisons(sent, guest)
        if not found:
            return
        stored, ids = await self._desk.write(store, found)
        await self._forget(ids)
        if stored:
            said = n(
                "{count} comparison that the browser kept is stored.",
                "{count} comparisons that the browser kept are stored.",
                stored,
            )
            self.told.set(f"{said} ")

    async def _forget(self, ids: Sequence[str]) -> None:
        await self._session.send_custom_message("stc-pairs-done", {"ids": list(ids)})

    def _draw(self, shown: ShownPair | None, *, elsewhere: bool = False, trouble: StcError | None = None) -> None:
        with reactive.isolate():
            last = self.drawn()
        self.drawn.set(PairView(shown=shown, elsewhere=elsewhere, trouble=trouble, serial=last.serial + 1 if last else 1))

    async def _go_on(self, here: JudgingSession, first: str) -> None:
        """Show the next pair, of a query that no other window of the annotator shows. :param first: text to announce."""
        with reactive.isolate():
            query = self.query()
        shown = await reserve_pair(self._desk, self._hands, here, query, self._holder)
        if shown is None:
            left = await self._desk.ask(next_pair, here.pool, here.annotator, query=query, queries=here.queries)
            self._draw(None, elsewhere=left is not None)
            self.told.set(first + t("Nothing left to compare here"))
        else:
            self._draw(shown)
            said = t("Comparison {number} of query {query}", number=shown.pair.number, query=plain(shown.pair.query))
            self.told.set(first + said)

    async def key(self, here: JudgingSession, sent: Any) -> None:
        """Handle a key that was pressed on a pair."""
        with reactive.isolate():
            at = self.drawn()
        if at is None:
            return
        given = identity(sent)
        if part(sent, "serial") != str(at.serial) or (part(sent, "choice") != "undo" and not self._shows(here, at, sent)):
            await self._forget([given] if given else [])
            return  # the key was meant for a pair that is no longer on the screen
        try:
            if part(sent, "choice") == "undo":
                await self._undo(here)
            elif (decision := read(sent)) is not None:
                await self._compare(here, decision)
        except StcError as error:
            if given and isinstance(error, BadArgument | UnknownObject):
                await self._forget([given])
            self._draw(at.shown, elsewhere=at.elsewhere, trouble=error)

    @staticmethod
    def _shows(here: JudgingSession, at: PairView, sent: Any) -> bool:
        shown = at.shown
        return shown is not None and (here.pool, shown.pair.left_token, shown.pair.right_token) == tuple(
            part(sent, name) for name in ("pool", "left", "right")
        )

    async def _compare(self, here: JudgingSession, sent: SentComparison) -> None:
        stored = await self._desk.write(
            compare_pair, here.pool, here.annotator, sent.pair, sent.choice, seconds=sent.seconds, decision=sent.id
        )
        await self._forget([sent.id])
        if stored:
            self._made.append(sent.pair.query)
        self._counted()
        await self._go_on(here, "" if stored else t("Not stored: this pair was compared in another window.") + " ")

    async def _undo(self, here: JudgingSession) -> None:
        """Undo the last comparison of this page; after a reload, the annotator's last one."""
        last = self._made[-1] if self._made else None
        query = await self._desk.write(undo_comparison, here.pool, here.annotator, query=last)
        self._made = self._made[:-1]
        with reactive.isolate():
            chosen = self.query()
        if query is not None:
            self._counted()
            if chosen not in (None, query):
                self.query.set(None)
            self._hands.take(here.pool, f"pairs of {here.annotator}", query, self._holder)
        await self._go_on(here, (t("Undone.") if query else t("There is nothing to undo.")) + " ")

    def _counted(self) -> None:
        with reactive.isolate():
            self.decisions.set(self.decisions() + 1)


def shown() -> ui.TagList:
    """Return the elements of the panel."""
    return ui.TagList(
        ui.output_ui("pair_intro"),
        ui.div(class_="stc-pairs-kept", role="status", hidden=""),
        ui.div(ui.output_text("pair_status"), class_="stc-pairs-status", role="status", aria_live="polite"),
        ui.output_ui("pair_pace"),
        ui.div(ui.output_ui("pair"), ui.output_ui("pair_guide", class_="stc-beside"), class_="stc-pairing"),
        ui.output_ui("pair_queries"),
    )


def serve(input: Inputs, session: Session, desk: Desk, sitting: Sitting, hands: Hands) -> Comparing:  # noqa: A002
    """Let an annotator compare pairs on the page. The annotator and pool are those of the judging session."""
    comparing = Comparing(desk, hands, session, Holder("", session.id))
    session.on_ended(comparing.leave)
    _keys(input, desk, sitting, comparing)
    _drawings(desk, sitting, comparing)
    return comparing


def _keys(input: Inputs, desk: Desk, sitting: Sitting, comparing: Comparing) -> None:  # noqa: A002
    """Handle what the script sends."""

    @reactive.effect
    @reactive.event(input.pairs_resume)
    async def _() -> None:
        sent = input.pairs_resume()
        comparing.holds(part(sent, "window"))
        await comparing.resume(sent, desk.guest)
        if (here := sitting.here()) is not None and input.view() == "pairs":
            await comparing.begin(here)

    @reactive.effect
    async def _() -> None:
        """Show the next pair when the panel opens, or another annotator starts."""
        here = sitting.here()
        if here is None:
            return
        if input.view() == "pairs":
            await comparing.begin(here)
        else:
            comparing.leave()

    @reactive.effect
    @reactive.event(input.compare)
    async def _() -> None:
        if (here := sitting.here()) is not None:
            await comparing.key(here, input.compare())

    @reactive.effect
    @reactive.event(input.pairs_of)
    async def _() -> None:
        if (here := sitting.here()) is not None:
            await comparing.begin(here, part(input.pairs_of(), "query") or None)


def _drawings(desk: Desk, sitting: Sitting, comparing: Comparing) -> None:
    """Draw the panel."""

    @render.ui
    def pair_intro() -> ui.Tag | None:
        if sitting.here() is not None:
            return None
        return ui.p(t("Choose a pool and enter your name to compare two documents of a query at a time."))

    @render.text
    def pair_status() -> str:
        return comparing.told()

    @render.ui
    @tells
    async def pair() -> ui.Tag | None:
        here, at = sitting.here(), comparing.drawn()
        if here is None or at is None:
            return None
        if at.shown is None:
            rows = await progress_of(desk, here)
            drawn = compared(rows, here, query=comparing.query(), elsewhere=at.elsewhere, serial=at.serial)
        else:
            drawn = two(at.shown, pool=here.pool, annotator=here.annotator, serial=at.serial)
        return ui.div(alert(at.trouble) if at.trouble else None, drawn)

    @render.ui
    def pair_guide() -> ui.TagList | None:
        here = sitting.here()
        if here is None:
            return None
        return instructions(here.guidelines or "")  # the default is for grades

    @render.ui
    @tells
    async def pair_pace() -> ui.Tag | None:
        here = sitting.here()
        comparing.decisions()
        return pairs_left(await progress_of(desk, here)) if here else None

    @render.ui
    @tells
    async def pair_queries() -> ui.Tag | None:
        here = sitting.here()
        comparing.decisions()
        if here is None:
            return None
        return by_query(await progress_of(desk, here), chosen=comparing.query())
