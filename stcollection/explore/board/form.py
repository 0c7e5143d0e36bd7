"""The form of the leaderboard: what to rank, by which measures, and how differences are tested."""

from __future__ import annotations

from shiny import Session, ui

from stcollection.analysis.corrections import CORRECTIONS
from stcollection.analysis.query_sets import ALL
from stcollection.analysis.significance import TESTS
from stcollection.explore.board.asking import Choices
from stcollection.explore.board.state import ALPHA, OFFERED, TICKED, FormValues

_ALL_PAIRS = "(none: compare all pairs)"


def form() -> ui.Tag:
    """Return the fields. They are empty until :func:`fill`."""
    return ui.div(
        ui.div(
            ui.input_select("edition", "Edition", []),
            ui.input_select("queries", "Queries", {ALL: ALL}),
            ui.input_select("by", "Rank by", []),
            ui.input_select("baseline", "Baseline", {"": _ALL_PAIRS}),
            class_="stc-controls",
        ),
        ui.div(
            ui.input_checkbox_group("measures", "Measures", list(OFFERED), selected=list(TICKED), inline=True), class_="stc-chips"
        ),
        ui.tags.details(
            ui.tags.summary("More measures, runs and significance test"),
            ui.div(
                ui.input_text("typed", "More measures", placeholder="RBP(p=0.8), P@5", update_on="blur"),
                ui.input_text("runs", "Rank only runs", placeholder="words in run names", update_on="blur"),
                ui.input_switch("readable", "Show readability"),
                class_="stc-controls",
            ),
            ui.div(
                ui.input_select("test", "Test (paired, two-sided)", list(TESTS)),
                ui.input_select("correction", "Correction for multiple tests", list(CORRECTIONS), selected="holm"),
                ui.input_numeric("alpha", "Significance level", ALPHA, min=0.001, max=0.5, step=0.01, update_on="blur"),
                ui.input_numeric(
                    "draws", "Permutations or bootstrap samples", 10_000, min=100, max=100_000, step=100, update_on="blur"
                ),
                class_="stc-controls",
            ),
            class_="stc-fold",
        ),
        # The browser returns this number together with the fields it has filled in.
        ui.div(ui.input_text("filled", "Filled in"), hidden=True),
    )


def live_filter() -> ui.Tag:
    """Return the filter of the table, which static/leaderboard.js applies in the browser."""
    return ui.div(
        ui.div(
            ui.tags.label("Filter runs", for_="stc-filter"),
            ui.tags.input(
                id="stc-filter", type="search", class_="form-control", placeholder="name, team or family", autocomplete="off"
            ),
            class_="stc-field",
        ),
        *(
            ui.div(
                ui.tags.label(title, for_=f"stc-filter-{name}"),
                ui.tags.select(ui.tags.option("(all)", value=""), id=f"stc-filter-{name}", class_="form-select"),
                class_="stc-field",
                hidden=True,
            )
            for name, title in (("team", "Team"), ("family", "Family"))
        ),
        ui.tags.p(id="stc-filter-count", role="status", class_="stc-count"),
        class_="stc-filter stc-controls",
        hidden=True,
    )


def fill(values: FormValues, found: Choices, *, number: int, session: Session) -> None:
    """Fill in the form. :param number: returned by the browser in ``filled``, together with the other fields."""
    names = {one.edition: f"{one.edition}, {one.queries:,} queries" for one in found.editions}
    sets = found.sets(values.edition) if values.edition else [ALL]
    runs = {"": _ALL_PAIRS} | {run: run for run in found.runs}
    ui.update_select("edition", choices=names, selected=values.edition, session=session)
    ui.update_select("queries", choices=sets, selected=values.queries, session=session)
    ui.update_select("by", choices=list(values.names), selected=values.by, session=session)
    ui.update_select("baseline", choices=runs, selected=values.baseline, session=session)
    ui.update_checkbox_group("measures", selected=list(values.ticked), session=session)
    ui.update_text("typed", value=values.typed, session=session)
    ui.update_text("runs", value=values.words, session=session)
    ui.update_switch("readable", value=values.readable, session=session)
    ui.update_select("test", selected=values.test, session=session)
    ui.update_select("correction", selected=values.correction, session=session)
    ui.update_numeric("alpha", value=values.alpha, session=session)
    ui.update_numeric("draws", value=values.draws, session=session)
    ui.update_text("filled", value=str(number), session=session)
