"""The leaderboard tab: means, significance marks, readability, figures, a card for each run, and the comparison of two runs."""

from __future__ import annotations

from collections.abc import Iterator

from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui
from shiny.module import resolve_id
from shiny.types import SilentException

from stcollection.analysis.board import Board, BoardRequest, Ranking, board, ranking
from stcollection.analysis.board_text import describe_marks, render_board
from stcollection.errors import StcError
from stcollection.evaluation.measures import Measure
from stcollection.explore import address
from stcollection.explore.board import card as board_card
from stcollection.explore.board import form as board_form
from stcollection.explore.board import hard as board_hard
from stcollection.explore.board import overview as board_overview
from stcollection.explore.board import pair as board_pair
from stcollection.explore.board import table as board_table
from stcollection.explore.board.request import Choices, baseline_of, choices, command, draws_of, measures_of, runs_of, statements
from stcollection.explore.board.state import ALPHA, PARAMETERS, form_values, parameters
from stcollection.explore.pieces import alert, simulated, tells
from stcollection.explore.task import PageTask
from stcollection.topics.sets import ALL
from stcollection.web.desk import Desk
from stcollection.web.words import n, t

NAME = "leaderboard"


@module.ui
def tab() -> ui.Tag:
    return ui.div(
        ui.h1(t("Leaderboard")),
        board_form.form(),
        ui.div(ui.output_ui("told"), aria_live="polite"),
        board_form.live_filter(),
        ui.output_ui("table"),
        ui.output_ui("same"),
        board_overview.tab("overview", resolve_id("card")("open")),
        board_pair.tab("pair"),
        board_hard.tab("hard"),
        board_card.tab("card"),
    )


@module.server
def serve(input: Inputs, output: Outputs, session: Session, desk: Desk) -> None:  # noqa: A002
    known: reactive.Value[Choices | None] = reactive.Value(None, name="known")
    fault: reactive.Value[StcError | None] = reactive.Value(None, name="fault")
    latest: reactive.Value[BoardRequest | None] = reactive.Value(None, name="latest")
    filled: reactive.Value[int] = reactive.Value(0, name="filled")
    run: reactive.Value[str | None] = reactive.Value(None, name="run")  # whose card is open
    below: reactive.Value[float] = reactive.Value(board_hard.BELOW, name="below")
    pair = board_pair.PairState(reactive.Value(None, name="pair"), reactive.Value(None, name="query"))
    written_once: list[bool] = []
    in_url: dict[str, str] = {}  # our parameters, as last read or written
    root = session.root_scope()

    def restore(found: Choices, place: dict[str, str]) -> None:
        """Show the state of a URL."""
        with reactive.isolate():
            number = filled() + 1
        filled.set(number)
        in_url.clear()
        in_url.update({name: place[name] for name in PARAMETERS if place.get(name)})
        pair.restore(place)
        run.set(place.get("run"))
        below.set(board_hard.threshold(place.get("below")))
        board_form.fill(form_values(place, found), found, number=number, session=session)

    def settled() -> bool:
        """Return True if the inputs have the values of the last restore. The value is reactive."""
        return filled() > 0 and input.filled() == str(filled())

    @reactive.effect
    async def begin() -> None:
        """Fill in the form when the tab is first opened."""
        req(root.input.tab() == NAME)
        if known() is not None:
            return
        try:
            found = await desk.ask(choices)
        except StcError as error:
            fault.set(error)
            return
        known.set(found)
        with reactive.isolate():
            place = address.visited(session) or address.read(session)
        restore(found, place if place.get("tab") == NAME else {})

    @reactive.effect
    def back() -> None:
        """Restore the state of the URL after back or forward."""
        place = address.visited(session)
        with reactive.isolate():
            found = known()
        if place is None or found is None:
            return
        if place.get("tab") == NAME:
            restore(found, place)
        else:
            in_url.clear()

    @reactive.effect
    def sets() -> None:
        found = known()
        if found is not None and settled() and input.edition():
            offered = found.sets(input.edition())
            with reactive.isolate():
                chosen = input.queries()
            ui.update_select("queries", choices=offered, selected=chosen if chosen in offered else ALL, session=session)

    def asked() -> BoardRequest | None:
        found, edition = known(), input.edition()
        if found is None or not edition or not settled():
            return None
        runs = runs_of(found.runs, input.runs())
        queries = input.expression().strip() or (input.queries() if input.queries() in found.sets(edition) else ALL)
        return BoardRequest(
            edition=edition,
            measures=measures_of(tuple(input.measures()), input.typed()),
            runs=runs,
            baseline=baseline_of(found.runs, runs, input.baseline()),
            queries=queries,
            test=input.test(),
            correction=input.correction(),
            alpha=_number(input.alpha(), ALPHA),
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

    @reactive.effect(priority=10)  # before 'remember', which must not write an outdated state
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

    def by() -> Measure:
        measures = {str(measure): measure for measure in result().asked.measures}
        return measures.get(input.by(), result().asked.measures[0])

    @reactive.effect
    async def remember() -> None:
        """Write the state into the URL, except while the page is still restoring one."""
        req(root.input.tab() == NAME and settled())
        done, found = result(), known()
        req(found is not None and done.asked == latest())
        assert found is not None  # noqa: S101
        limit = f"{below():g}" if below() != board_hard.BELOW else None
        state = parameters(done.asked, by=str(by()), words=input.runs(), found=found)
        state |= {**pair.parameters(), "run": run(), "below": limit}
        known_state = {name: value for name, value in state.items() if value}
        if known_state == in_url:  # the reader may already be at another URL
            return
        in_url.clear()
        in_url.update(known_state)
        await address.write(session, push=bool(written_once), tab=NAME, **state)
        written_once[:] = [True]

    @render.ui
    @tells
    async def told() -> ui.TagChild:
        found, error = known(), fault()
        if error is not None:
            return alert(error)
        if found is not None and not found.editions:
            return t("No judgments are stored yet. Import some with {command}.", command="'stc load --as qrels'")
        state = ranked.status()
        if state == "running":
            return ui.div(t("Scoring runs …"), " ", ui.input_action_button("stop", t("Stop"), class_="btn-sm"))
        if state == "cancelled":
            return t("Stopped. Change a setting to start again.")
        if state != "success":
            return None
        done = ranked.result()
        if isinstance(done, StcError):
            return alert(done)
        against = done.asked.baseline
        many = n(
            "{count:,} run, ranked by {measure}.", "{count:,} runs, ranked by {measure}.", len(done.marked.lines), measure=by()
        )
        said = [many, t("Click a column heading to sort, a name for details.")]
        if against and not input.baseline():
            said.append(t("Too many runs for letters: they are compared with {baseline}.", baseline=against))
        return " ".join(said)

    @reactive.calc
    async def shown() -> Ranking:
        return await desk.ask(ranking, result(), by())

    @render.ui
    @tells
    async def table() -> ui.TagChild:
        done, order = result(), await shown()
        lacking = alert(done.lacking) if done.lacking else None
        opens = session.ns("card")("open")
        legend = board_table.legend(done, order)
        return ui.TagList(lacking, board_table.leaderboard(done, order, card=opens), legend, simulated(done.simulated))

    @render.ui
    @tells
    async def same() -> ui.TagChild:
        wanted = result().asked
        return ui.TagList(
            ui.div(
                ui.download_link("as_csv", t("Download as CSV")),
                ui.download_link("as_latex", t("Download as LaTeX")),
                class_="stc-links",
            ),
            ui.tags.details(
                ui.tags.summary(t("Show command and SQL")),
                ui.tags.pre(ui.tags.code(command(wanted)), tabindex="0"),
                ui.tags.pre(ui.tags.code(statements(wanted)), tabindex="0"),
            ),
        )

    def written(style: str) -> Iterator[str]:
        done = result()
        wanted = done.asked
        said = describe_marks(done.marked, test=wanted.paired, baseline=wanted.baseline, queries=wanted.queries)
        yield render_board(done.marked, wanted.measures, digits=4, style=style, note=said, simulated=done.simulated) + "\n"

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

    async def compare(name: str) -> None:
        """Select a run for the comparison, and move there."""
        other = next((line.run for line in result().marked.lines if line.run != name), board_pair.ALONE)
        pair.pair.set((name, other))
        await session.send_custom_message("stc-focus", {"id": "stc-pair"})

    board_overview.serve("overview", desk, result=result, shown=shown)
    board_pair.serve("pair", desk, result=result, measure=by, state=pair)
    board_hard.serve("hard", desk, result=result, measure=by, below=below)
    board_card.serve("card", desk, run=run, edition=lambda: result().asked.edition, compare=compare)


def _number(value: float | None, usual: float) -> float:
    """Return the value of a number field; the default if it is empty."""
    return usual if value is None else value
