"""The card of a run, in a panel: provenance, checks, scores by edition, best and worst queries."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlencode

from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui
from shiny.module import resolve_id

from stcollection.analysis.run_card import QueryValue, RunCard, RunFacts, run_card
from stcollection.cells import shown
from stcollection.explore.pieces import table, tells
from stcollection.web.desk import Desk
from stcollection.web.words import t, whole

_SHOWN = 5  # queries at either end
_MOST_REASONS = 20


@module.ui
def tab() -> ui.Tag:
    return ui.tags.dialog(
        ui.tags.form(
            ui.tags.button(t("Close"), class_="btn btn-sm btn-outline-secondary"), method="dialog", class_="stc-card-close"
        ),
        ui.output_ui("body"),
        class_="stc-card",
        aria_label=t("Details of a run"),
        data_ns=resolve_id("open").removesuffix("open"),
    )


@module.server
def serve(
    input: Inputs,  # noqa: A002
    output: Outputs,
    session: Session,
    desk: Desk,
    *,
    run: reactive.Value[str | None],
    edition: Callable[[], str],
    compare: Callable[[str], Awaitable[None]],
) -> None:
    """Show the card of ``run``.

    :param edition: whose queries are listed. :param compare: called to compare the run with another.
    """

    @reactive.effect
    @reactive.event(input.open)
    def opened() -> None:
        run.set(str(input.open()))

    @reactive.effect
    @reactive.event(input.closed)
    def closed() -> None:
        run.set(None)

    @reactive.effect
    @reactive.event(input.compare)
    async def compared() -> None:
        name = run()
        run.set(None)
        if name is not None:
            await compare(name)

    @reactive.effect
    async def follow() -> None:
        await session.send_custom_message("stc-card", {"open": run() is not None})

    @output(suspend_when_hidden=False)
    @render.ui
    @tells
    async def body() -> ui.TagChild:
        name = run()
        req(name)
        found = await desk.ask(run_card, str(name))
        return _card(found, edition())


def _card(card: RunCard, edition: str) -> ui.TagChild:
    facts = card.facts
    return ui.TagList(
        ui.h2(facts.run, tabindex="-1", autofocus=True),
        ui.input_action_button("compare", t("Compare {run} with …", run=facts.run), class_="btn-sm btn-primary"),
        _provenance(facts),
        _scores(card),
        _ends(card, edition),
        _checks(card),
        ui.tags.details(
            ui.tags.summary(t("Provenance as ir_metadata")),
            ui.tags.pre(ui.tags.code(json.dumps(facts.metadata, indent=2, ensure_ascii=False)), tabindex="0"),
        ),
    )


def _provenance(facts: RunFacts) -> ui.Tag:
    rows = [
        (t("Team"), facts.team),
        (t("Family"), facts.family),
        (t("Tag"), facts.tag),
        (t("Made by"), t("manual run") if facts.manual else t("automatic run")),
        (t("System"), facts.params.get("system")),
        (t("Parameters"), _parameters(facts.params)),
        (t("Imported from"), facts.source),
        (t("Stored"), f"{facts.made:%Y-%m-%d %H:%M %Z}"),
        (t("Queries"), whole(facts.queries)),
        (t("Documents"), t("{count:,}, at most {depth:,} per query", count=facts.ranked, depth=facts.depth)),
        (t("SHA-256 of the file"), facts.sha256),
        (t("Made with"), facts.commit),
    ]
    return ui.tags.dl(
        *(ui.TagList(ui.tags.dt(name), ui.tags.dd(shown(str(value)))) for name, value in rows if value), class_="stc-facts"
    )


def _parameters(params: dict[str, Any]) -> str:
    """Return the parameters on one line; nested ones only by name, because the provenance below has them."""
    return ", ".join(
        f"{name} …" if isinstance(value, dict | list) else f"{name}={value}" for name, value in params.items() if name != "system"
    )


def _scores(card: RunCard) -> ui.Tag:
    names = [str(measure) for measure in card.measures]
    columns = [*names[:-1], t("unjudged in the first 10")]
    rows = [
        (
            one.edition,
            one.queries,
            *(f"{one.means[name]:.4f}" if name in one.means else "–" for name in names[:-1]),
            f"{1 - one.means[names[-1]]:.0%}" if names[-1] in one.means else "–",
        )
        for one in card.scores
    ]
    if not rows:
        return ui.p(t("No edition that you can see has judgments for this run."))
    return table([t("edition"), t("queries"), *columns], rows, caption=t("Scores by edition"), numbers=range(1, 2 + len(columns)))


def _ends(card: RunCard, edition: str) -> ui.TagChild:
    values = card.values.get(edition, [])
    if not values:
        return None
    best, worst = values[:_SHOWN], values[_SHOWN:][-_SHOWN:][::-1]
    return ui.TagList(
        ui.h3(t("Queries of {edition} by {measure}", edition=edition, measure=card.measures[0])),
        _queries(t("Best queries"), best, card.facts),
        _queries(t("Worst queries"), worst, card.facts) if worst else None,
    )


def _queries(caption: str, values: list[QueryValue], facts: RunFacts) -> ui.Tag:
    rows = [(one.query, search_link(one.text, facts.params.get("system")), f"{one.value:.4f}") for one in values]
    return table([t("query"), t("text (opens the search)"), t("value")], rows, caption=caption, numbers=[2])


def search_link(text: str | None, system: str | None = None) -> ui.TagChild:
    """Return a link that searches for the text of a query."""
    if not text:
        return t("(no text)")
    place = {"q": text} | ({"system": str(system)} if system else {})
    return ui.tags.a(text, href=f"/search?{urlencode(place)}")


def _checks(card: RunCard) -> ui.TagChild:
    if card.receipts is None or not card.receipts:
        hidden = card.receipts is None
        told = t("Receipts are visible to organisers only.") if hidden else t("No receipt is stored for this run.")
        return ui.TagList(ui.h3(t("Checks")), ui.p(told))
    parts: list[ui.TagChild] = [ui.h3(t("Checks"))]
    for one in card.receipts:
        state = t("accepted") if one.accepted else t("rejected")
        said = [
            ui.tags.li(
                (t("Note") if reason.get("note") else t("Fault"))
                + (t(", line {number}", number=line) if (line := reason.get("line")) else "")
                + f": {shown(str(reason.get('what')))}"
            )
            for reason in one.reasons[:_MOST_REASONS]
        ]
        more = len(one.reasons) - _MOST_REASONS
        parts += [
            ui.p(f"{shown(one.file)}: {state} {one.received:%Y-%m-%d %H:%M}" + ("" if said else t(", no fault and no note"))),
            ui.tags.ul(*said, ui.tags.li(t("{count:,} more", count=more)) if more > 0 else None) if said else None,
        ]
    return ui.TagList(*parts)
