"""The home tab: the collection at a glance, its state, and next steps by role."""

from __future__ import annotations

from urllib.parse import urlencode

from shiny import Inputs, Outputs, Session, module, render, ui

from stcollection.analysis.contents import AnnotatorCounts, Overview, Repair, overview
from stcollection.explore.pieces import table, tells
from stcollection.qrels.editions import EditionOverview
from stcollection.runs.listing import RunOverview
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.words import n, t, woven

NAME = "home"
_FRESH_SECONDS = 10.0


@module.ui
def tab() -> ui.Tag:
    return ui.div(ui.output_ui("shown"), class_="stc-home")


@module.server
def serve(input: Inputs, output: Outputs, session: Session, desk: Desk) -> None:  # noqa: A002
    @render.ui
    @tells
    async def shown() -> ui.TagList:
        found = await desk.ask_often(overview, seconds=_FRESH_SECONDS)
        return ui.TagList(
            ui.h1(t("This collection")),
            ui.p(summary(found), class_="lead"),
            health(found.problems),
            to_do(found.next[len(found.problems) :]),
            steps(found),
            ui.div(
                ui.div(ui.h2(t("Editions of judgments")), _editions(found.editions)),
                ui.div(ui.h2(t("Newest runs, of {count:,}", count=found.runs) if found.runs else t("Runs")), _runs(found.latest)),
                ui.div(ui.h2(t("Who judged")), _judges(found.judges)),
                class_="stc-columns",
            ),
        )


def summary(found: Overview) -> str:
    """Return one or two sentences: documents, years, queries, judgments, runs."""
    documents, abstracts = found.size.documents, found.size.abstracts
    first, last = found.years
    what = n("{count:,} document", "{count:,} documents", documents)
    if first is not None and first != last:
        what = t("{documents} from {first} to {last}", documents=what, first=first, last=last)
    elif first is not None:
        what = t("{documents} from {year}", documents=what, year=first)
    queries = n("{count:,} query", "{count:,} queries", found.queries)
    if found.topics:
        queries = t("{queries} on {topics}", queries=queries, topics=n("{count:,} topic", "{count:,} topics", found.topics))
    exact = later("{documents}, {abstracts:,} with an abstract. {queries}, {judgments} in {editions}, {runs}.")
    estimated = later("{documents}, about {abstracts:,} with an abstract. {queries}, {judgments} in {editions}, {runs}.")
    return t(
        estimated if found.size.estimated else exact,
        documents=what,
        abstracts=abstracts,
        queries=queries,
        judgments=n("{count:,} judgment", "{count:,} judgments", sum(one.judgments for one in found.editions)),
        editions=n("{count:,} edition", "{count:,} editions", len(found.editions)),
        runs=n("{count:,} run", "{count:,} runs", found.runs),
    )


def health(problems: list[Repair]) -> ui.Tag:
    """Show what needs repair, or that nothing does."""
    if not problems:
        return ui.p(t("✓ Text index and embeddings are complete."), class_="stc-healthy")
    return ui.div(ui.strong(t("To repair")), _commands(problems), class_="alert alert-warning", role="status")


def to_do(following: list[Repair]) -> ui.Tag | None:
    """Show the next steps, if there are any."""
    return ui.div(ui.strong(t("Next steps")), _commands(following), class_="stc-next") if following else None


def _commands(repairs: list[Repair]) -> ui.Tag:
    """Return a list of what to do, with the command for each."""

    def line(repair: Repair) -> ui.Tag:
        run = [" ", *woven("Run {command}.", command=ui.code(repair.action))] if repair.action else []
        return ui.tags.li(t(repair.what, **repair.values), *run)

    return ui.tags.ul(*map(line, repairs), class_="mb-0")


def steps(found: Overview) -> ui.Tag:
    """Show three cards of links: for participants, organisers and researchers."""
    board = {"tab": "leaderboard"} | ({"edition": found.editions[0].edition} if found.editions else {})
    judged = t("Judge documents") if found.pools else t("Judge documents (no pool yet)")
    return ui.div(
        _card(
            t("Take part"),
            t("Search the documents, then compare your run with others."),
            [(t("Search"), "/search"), (t("Leaderboard"), "?" + urlencode(board)), (t("Upload a run"), "?tab=upload")],
        ),
        _card(
            t("Organise"),
            t("Judge pooled documents, follow the progress, check what is loaded."),
            [
                (judged, "?tab=judging"),
                (t("Upload topics, judgments, documents"), "?tab=upload"),
                (t("Files, editions, runs, indexes"), "?tab=collection"),
            ],
        ),
        _card(
            t("Study"),
            t("Find the topics that documents cover, and what distinguishes systems."),
            [
                (t("Topic coverage"), "?tab=coverage"),
                (t("Map of the documents"), "?tab=map"),
                (t("Significance and readability"), "?tab=leaderboard"),
            ],
        ),
        class_="stc-cards",
    )


def _card(title: str, text: str, links: list[tuple[str, str]]) -> ui.Tag:
    """Return a card; its first link is the main step."""
    (first, where), *rest = links
    return ui.tags.section(
        ui.h2(title),
        ui.p(text),
        ui.a(first, href=where, class_="btn btn-primary"),
        ui.tags.ul(*(ui.tags.li(ui.a(name, href=href)) for name, href in rest)),
        aria_label=title,
    )


def _editions(rows: list[EditionOverview]) -> ui.Tag:
    if not rows:
        return ui.p(*woven("None yet. Import judgments with {command}.", command=ui.code("stc qrels import")))
    return table(
        (t("edition"), t("queries"), t("judgments"), t("state")),
        [(link(one.edition, tab="leaderboard", edition=one.edition), one.queries, one.judgments, _state(one)) for one in rows],
        caption=t("Editions; a name opens its leaderboard"),
        numbers=(1, 2),
    )


def _state(one: EditionOverview) -> str:
    states = ((one.hidden, t("hidden")), (one.sealed, t("sealed")), (one.simulated, t("simulated")))
    return ", ".join([*([one.split] if one.split else []), *(word for holds, word in states if holds)])


def _runs(rows: list[RunOverview]) -> ui.Tag:
    if not rows:
        return ui.p(*woven("None yet. Make the baseline runs with {command}.", command=ui.code("stc retrieval run --all")))
    return table(
        (t("run"), t("team"), t("queries"), t("stored")),
        [(link(one.run, tab="leaderboard", run=one.run), one.team, one.queries, f"{one.made:%Y-%m-%d %H:%M}") for one in rows],
        caption=t("The newest runs first"),
        numbers=(2,),
    )


def _judges(rows: list[AnnotatorCounts]) -> ui.Tag:
    if not rows:
        return ui.p(t("Nobody yet."))
    return table(
        (t("annotator"), t("origin"), t("editions"), t("judgments")),
        [(one.annotator or t("(not named)"), one.origin, ", ".join(one.editions), one.judgments) for one in rows],
        caption=t("Annotators with most judgments"),
        numbers=(3,),
    )


def link(text: str, **state: str) -> ui.Tag:
    """Return a link to a view of the page. :param state: parameters of the URL."""
    return ui.a(text, href="?" + urlencode(state))
