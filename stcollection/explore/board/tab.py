"""The leaderboard tab: means, significance marks, readability, figures, and the comparison of two runs."""

from __future__ import annotations

from collections.abc import Iterator

from plotly.graph_objects import Figure
from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui
from shiny.types import SilentException

from stcollection.analysis.board_text import note, text
from stcollection.analysis.corrections import CORRECTIONS
from stcollection.analysis.document_measures import MEASURES as OF_DOCUMENTS
from stcollection.analysis.query_sets import ALL
from stcollection.analysis.significance import TESTS
from stcollection.errors import StcError
from stcollection.evaluation.measures import OFFICIAL, Measure
from stcollection.explore.board import figures as board_figures
from stcollection.explore.board import pair as board_pair
from stcollection.explore.board import table as board_table
from stcollection.explore.board.asking import (
    Board,
    BoardFigures,
    BoardRequest,
    Choices,
    baseline_of,
    board,
    choices,
    command,
    drawn,
    draws_of,
    measures_of,
    runs_of,
    statements,
)
from stcollection.explore.desk import Desk
from stcollection.explore.figures import figure, figure_output
from stcollection.explore.pieces import alert, tells
from stcollection.explore.task import PageTask

NAME, TITLE = "leaderboard", "Leaderboard"
_TICKED = tuple(str(measure) for measure in OFFICIAL)
_ALL_PAIRS = "(none: compare all pairs)"


@module.ui
def tab() -> ui.Tag:
    return ui.div(
        ui.h1("Leaderboard"),
        _controls(),
        ui.div(ui.output_ui("told"), aria_live="polite"),
        ui.output_ui("table"),
        ui.output_ui("same"),
        ui.h2("Figures"),
        ui.div(
            ui.input_select("by", "Measure", []),
            ui.input_select("against", "Document measure", list(OF_DOCUMENTS), selected="textstat_fkgl"),
            class_="stc-controls",
        ),
        ui.div(
            ui.div(
                ui.h3("Means with confidence intervals"),
                figure_output(
                    "means", label="Mean score of each run with its interval; see the table above for values", height="18rem"
                ),
            ),
            ui.div(
                ui.h3("Relevance and document measure"),
                ui.output_ui("unread"),
                figure_output("beside", label="Runs by relevance and document measure; see the table above for values"),
            ),
            class_="stc-pair",
        ),
        board_pair.tab("pair"),
    )


def _controls() -> ui.Tag:
    return ui.div(
        ui.div(
            ui.input_select("edition", "Edition", []),
            ui.input_select("queries", "Queries", {ALL: ALL}),
            ui.input_select("baseline", "Baseline", {"": _ALL_PAIRS}),
            ui.input_text("runs", "Filter runs", placeholder="words in run names", update_on="blur"),
            class_="stc-controls",
        ),
        ui.input_checkbox_group("measures", "Measures", [*_TICKED, "R@100", "Judged@10"], selected=list(_TICKED), inline=True),
        ui.div(
            ui.input_text("typed", "More measures", placeholder="RBP(p=0.8), P@5", update_on="blur"),
            ui.input_switch("readable", "Show readability"),
            class_="stc-controls",
        ),
        ui.tags.details(
            ui.tags.summary("Significance test"),
            ui.div(
                ui.input_select("test", "Test (paired, two-sided)", list(TESTS)),
                ui.input_select("correction", "Correction for multiple tests", list(CORRECTIONS), selected="holm"),
                ui.input_numeric("alpha", "Significance level", 0.05, min=0.001, max=0.5, step=0.01, update_on="blur"),
                ui.input_numeric(
                    "draws", "Permutations or bootstrap samples", 10_000, min=100, max=100_000, step=100, update_on="blur"
                ),
                class_="stc-controls",
            ),
        ),
    )


@module.server
def serve(input: Inputs, output: Outputs, session: Session, desk: Desk) -> None:  # noqa: A002
    known: reactive.Value[Choices | None] = reactive.Value(None, name="known")
    fault: reactive.Value[StcError | None] = reactive.Value(None, name="fault")
    latest: reactive.Value[BoardRequest | None] = reactive.Value(None, name="latest")
    root = session.root_scope()

    @reactive.effect
    async def begin() -> None:
        """Fill in the choices when the tab is first opened."""
        req(root.input.tab() == NAME)
        if known() is not None:
            return
        try:
            found = await desk.ask(choices)
        except StcError as error:
            fault.set(error)
            return
        known.set(found)
        names = {one.edition: f"{one.edition}, {one.queries:,} queries" for one in found.editions}
        ui.update_select("edition", choices=names, selected=found.edition(), session=session)
        usual = baseline_of(found.runs, (), "") or ""
        ui.update_select("baseline", choices={"": _ALL_PAIRS} | {run: run for run in found.runs}, selected=usual, session=session)

    @reactive.effect
    def sets() -> None:
        found = known()
        if found is not None and input.edition():
            ui.update_select("queries", choices=found.sets(input.edition()), session=session)

    def asked() -> BoardRequest | None:
        found, edition = known(), input.edition()
        if found is None or not edition:
            return None
        runs = runs_of(found.runs, input.runs())
        queries = input.queries()
        return BoardRequest(
            edition=edition,
            measures=measures_of(tuple(input.measures()), input.typed()),
            runs=runs,
            baseline=baseline_of(found.runs, runs, input.baseline()),
            queries=queries if queries in found.sets(edition) else ALL,
            test=input.test(),
            correction=input.correction(),
            alpha=_number(input.alpha(), 0.05),
            permutations=draws_of(input.draws()),
            readable=input.readable(),
        )

    @PageTask
    async def ranked(wanted: BoardRequest) -> Board | StcError:
        """Return an error instead of raising it: an exception in an effect would end the session."""
        try:
            return await desk.ask(board, wanted)
        except StcError as error:
            return error

    @reactive.effect
    def ask() -> None:
        req(root.input.tab() == NAME)
        try:
            wanted = asked()
        except StcError as error:
            ranked.cancel()
            latest.set(None)
            fault.set(error)
            return
        with reactive.isolate():
            if wanted is None or wanted == latest():
                return
        fault.set(None)
        latest.set(wanted)
        ranked.cancel()
        ranked.invoke(wanted)

    @reactive.effect
    @reactive.event(input.stop)
    def stop() -> None:
        ranked.cancel()

    def result() -> Board:
        """Return the leaderboard; if it is not available, outputs that depend on it stay empty."""
        req(fault() is None)
        done = ranked.result()
        if isinstance(done, StcError):
            raise SilentException
        return done

    @render.ui
    @tells
    async def told() -> ui.TagChild:
        found, error = known(), fault()
        if error is not None:
            return alert(error)
        if found is not None and not found.editions:
            return "No judgments are stored yet. Import some with 'stc qrels import'."
        state = ranked.status()
        if state == "running":
            return ui.div("Scoring runs … ", ui.input_action_button("stop", "Stop", class_="btn-sm"))
        if state == "cancelled":
            return "Stopped. Change a setting to start again."
        if state != "success":
            return None
        done = ranked.result()
        if isinstance(done, StcError):
            return alert(done)
        against = done.asked.baseline
        instead = f" Too many runs for letters: they are compared with {against}." if against and not input.baseline() else ""
        ranked_by = f"{len(done.marked.lines):,} runs, sorted by {done.asked.measures[0]}. Click a column heading to sort."
        return ranked_by + instead

    @render.ui
    @tells
    async def table() -> ui.TagChild:
        done = result()
        lacking = alert(done.lacking) if done.lacking else None
        return ui.TagList(lacking, board_table.leaderboard(done), board_table.legend(done))

    @render.ui
    @tells
    async def same() -> ui.TagChild:
        wanted = result().asked
        return ui.TagList(
            ui.div(
                ui.download_link("as_csv", "Download as CSV"),
                ui.download_link("as_latex", "Download as LaTeX"),
                class_="stc-links",
            ),
            ui.tags.details(
                ui.tags.summary("Show command and SQL"),
                ui.tags.pre(ui.tags.code(command(wanted)), tabindex="0"),
                ui.tags.pre(ui.tags.code(statements(wanted)), tabindex="0"),
            ),
        )

    def written(style: str) -> Iterator[str]:
        done = result()
        wanted = done.asked
        said = note(done.marked, test=wanted.paired, baseline=wanted.baseline, queries=wanted.queries)
        yield text(done.marked, wanted.measures, digits=4, style=style, told=said, simulated=done.simulated) + "\n"

    @render.download_link(filename="leaderboard.csv", media_type="text/csv")
    def as_csv() -> Iterator[str]:
        return written("csv")

    @render.download_link(filename="leaderboard.tex", media_type="application/x-tex")
    def as_latex() -> Iterator[str]:
        return written("latex")

    @reactive.effect
    def offer() -> None:
        names = [str(measure) for measure in result().asked.measures]
        with reactive.isolate():
            chosen = input.by()
        ui.update_select("by", choices=names, selected=chosen if chosen in names else names[0], session=session)

    def by() -> Measure:
        measures = {str(measure): measure for measure in result().asked.measures}
        return measures.get(input.by(), result().asked.measures[0])

    @reactive.calc
    async def shown() -> BoardFigures:
        return await desk.ask(drawn, result().asked, by(), input.against())

    @figure
    async def means() -> Figure | None:
        try:
            return board_figures.means(await shown())
        except StcError:  # 'unread' reports it
            return None

    @figure
    async def beside() -> Figure | None:
        try:
            found = await shown()
        except StcError:
            return None
        return board_figures.beside(found) if found.read else None

    @render.ui
    @tells
    async def unread() -> ui.TagChild:
        lacking = (await shown()).lacking
        return alert(lacking) if lacking else None

    board_pair.serve("pair", desk, result)


def _number(value: float | None, usual: float) -> float:
    """Return the value of a number field; the default if it is empty."""
    return usual if value is None else value
