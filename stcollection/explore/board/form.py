"""The form of the leaderboard: what to rank, by which measures, and how differences are tested."""

from __future__ import annotations

from shiny import Session, ui

from stcollection.analysis.corrections import CORRECTIONS
from stcollection.analysis.significance import TESTS
from stcollection.explore.board.request import Choices
from stcollection.explore.board.state import ALPHA, OFFERED, TICKED, FormValues
from stcollection.texts import later
from stcollection.topics.sets import ALL
from stcollection.web.words import n, t

_ALL_PAIRS = later("(none: compare all pairs)")


def form() -> ui.Tag:
    """Return the fields. They are empty until :func:`fill`."""
    return ui.div(
        ui.div(
            ui.input_select("edition", t("Edition"), []),
            ui.input_select("queries", t("Queries"), {ALL: ALL}),
            ui.input_select("by", t("Rank by"), []),
            ui.input_select("baseline", t("Baseline"), {"": t(_ALL_PAIRS)}),
            class_="stc-controls",
        ),
        ui.div(
            ui.input_checkbox_group("measures", t("Measures"), list(OFFERED), selected=list(TICKED), inline=True),
            class_="stc-chips",
        ),
        ui.tags.details(
            ui.tags.summary(t("More measures, runs and significance test")),
            ui.div(
                ui.input_text("expression", t("Typed query set"), placeholder="G01.C*", update_on="blur"),
                ui.input_text("typed", t("More measures"), placeholder="RBP(p=0.8), P@5", update_on="blur"),
                ui.input_text("runs", t("Rank only runs"), placeholder=t("words in run names"), update_on="blur"),
                ui.input_switch("readable", t("Show readability")),
                class_="stc-controls",
            ),
            ui.div(
                ui.input_select("test", t("Test (paired, two-sided)"), list(TESTS)),
                ui.input_select("correction", t("Correction for multiple tests"), list(CORRECTIONS), selected="holm"),
                ui.input_numeric("alpha", t("Significance level"), ALPHA, min=0.001, max=0.5, step=0.01, update_on="blur"),
                ui.input_numeric(
                    "draws", t("Permutations or bootstrap samples"), 10_000, min=100, max=100_000, step=100, update_on="blur"
                ),
                class_="stc-controls",
            ),
            class_="stc-fold",
        ),
        # The browser returns this number together with the fields it has filled in.
        ui.div(ui.input_text("filled", t("Filled in")), hidden=True),
    )


def live_filter() -> ui.Tag:
    """Return the filter of the table, which static/leaderboard.js applies in the browser."""
    return ui.div(
        ui.div(
            ui.tags.label(t("Filter runs"), for_="stc-filter"),
            ui.tags.input(
                id="stc-filter", type="search", class_="form-control", placeholder=t("name, team or family"), autocomplete="off"
            ),
            class_="stc-field",
        ),
        *(
            ui.div(
                ui.tags.label(title, for_=f"stc-filter-{name}"),
                ui.tags.select(ui.tags.option(t("(all)"), value=""), id=f"stc-filter-{name}", class_="form-select"),
                class_="stc-field",
                hidden=True,
            )
            for name, title in (("team", t("Team")), ("family", t("Family")))
        ),
        ui.tags.p(id="stc-filter-count", role="status", class_="stc-count"),
        class_="stc-filter stc-controls",
        hidden=True,
    )


def fill(values: FormValues, found: Choices, *, number: int, session: Session) -> None:
    """Fill in the form. :param number: returned by the browser in ``filled``, together with the other fields."""
    names = {
        one.edition: n("{edition}, {count:,} query", "{edition}, {count:,} queries", one.queries, edition=one.edition)
        for one in found.editions
    }
    sets = found.sets(values.edition) if values.edition else [ALL]
    runs = {"": t(_ALL_PAIRS)} | {run: run for run in found.runs}
    ui.update_select("edition", choices=names, selected=values.edition, session=session)
    ui.update_select("queries", choices=sets, selected=values.queries, session=session)
    ui.update_text("expression", value=values.expression, session=session)
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
