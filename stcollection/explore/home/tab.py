"""The home tab: the collection at a glance, its state, and next steps by role."""

from __future__ import annotations

from urllib.parse import urlencode

from shiny import Inputs, Outputs, Session, module, render, ui

from stcollection.explore.desk import Desk
from stcollection.explore.home.asking import AnnotatorCounts, Overview, Repair, overview
from stcollection.explore.pieces import table, tells
from stcollection.qrels.editions import EditionOverview
from stcollection.runs.listing import RunOverview

NAME, TITLE = "home", "Home"
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
            ui.h1("This collection"),
            ui.p(summary(found), class_="lead"),
            health(found.problems),
            steps(found),
            ui.div(
                ui.div(ui.h2("Editions of judgments"), _editions(found.editions)),
                ui.div(ui.h2(f"Newest runs, of {found.runs:,}" if found.runs else "Runs"), _runs(found.latest)),
                ui.div(ui.h2("Who judged"), _judges(found.judges)),
                class_="stc-columns",
            ),
        )


def summary(found: Overview) -> str:
    """Return one or two sentences: documents, years, queries, judgments, runs."""
    documents, abstracts = found.counts.get("documents", 0), found.counts.get("abstracts", 0)
    first, last = found.years
    years = f" from {first} to {last}" if first is not None and first != last else f" from {first}" if first is not None else ""
    queries = (
        f"{_many(found.queries, 'query', 'queries')} on {_many(found.topics, 'topic')}"
        if found.topics
        else _many(found.queries, "query", "queries")
    )
    judgments = sum(one.judgments for one in found.editions)
    return (
        f"{_many(documents, 'document')}{years}, {abstracts:,} with an abstract. {queries}, {_many(judgments, 'judgment')}"
        f" in {_many(len(found.editions), 'edition')}, {_many(found.runs, 'run')}."
    )


def health(problems: list[Repair]) -> ui.Tag:
    """Show what needs repair, or that nothing does."""
    if not problems:
        return ui.p("✓ Text index and embeddings are complete.", class_="stc-healthy")
    lines = (ui.tags.li(one.what, " Run ", ui.code(one.action), ".") if one.action else ui.tags.li(one.what) for one in problems)
    return ui.div(ui.strong("To repair"), ui.tags.ul(*lines, class_="mb-0"), class_="alert alert-warning", role="status")


def steps(found: Overview) -> ui.Tag:
    """Show three cards of links: for participants, organisers and researchers."""
    board = {"tab": "leaderboard"} | ({"edition": found.editions[0].edition} if found.editions else {})
    judged = "Judge documents" if found.pools else "Judge documents (no pool yet)"
    return ui.div(
        _card(
            "Take part",
            "Search the documents, then compare your run with others.",
            [("Search", "?tab=search"), ("Leaderboard", "?" + urlencode(board)), ("Upload a run", "?tab=upload")],
        ),
        _card(
            "Organise",
            "Judge pooled documents, follow the progress, check what is loaded.",
            [
                (judged, "?tab=judging"),
                ("Upload topics, judgments, documents", "?tab=upload"),
                ("Files, editions, runs, indexes", "?tab=collection"),
            ],
        ),
        _card(
            "Study",
            "Find the topics that documents cover, and what distinguishes systems.",
            [
                ("Topic coverage", "?tab=coverage"),
                ("Map of the documents", "?tab=map"),
                ("Significance and readability", "?tab=leaderboard"),
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
        return ui.p("None yet. Import judgments with ", ui.code("stc qrels import"), ".")
    return table(
        ("edition", "queries", "judgments", "state"),
        [(link(one.edition, tab="leaderboard", edition=one.edition), one.queries, one.judgments, _state(one)) for one in rows],
        caption="Editions; a name opens its leaderboard",
        numbers=(1, 2),
    )


def _state(one: EditionOverview) -> str:
    states = [one.split, "hidden" if one.hidden else None, "sealed" if one.sealed else None, "simulated" if one.simulated else None]
    return ", ".join(state for state in states if state)


def _runs(rows: list[RunOverview]) -> ui.Tag:
    if not rows:
        return ui.p("None yet. Make the baseline runs with ", ui.code("stc retrieval run --all"), ".")
    return table(
        ("run", "team", "queries", "stored"),
        [(link(one.run, tab="leaderboard", run=one.run), one.team, one.queries, f"{one.made:%Y-%m-%d %H:%M}") for one in rows],
        caption="The newest runs first",
        numbers=(2,),
    )


def _judges(rows: list[AnnotatorCounts]) -> ui.Tag:
    if not rows:
        return ui.p("Nobody yet.")
    return table(
        ("annotator", "origin", "editions", "judgments"),
        [(one.annotator or "(not named)", one.origin, ", ".join(one.editions), one.judgments) for one in rows],
        caption="Annotators with most judgments",
        numbers=(3,),
    )


def link(text: str, **state: str) -> ui.Tag:
    """Return a link to a view of the page. :param state: parameters of the URL."""
    return ui.a(text, href="?" + urlencode(state))


def _many(number: int, what: str, plural: str | None = None) -> str:
    return f"{number:,} {what if number == 1 else plural or what + 's'}"
