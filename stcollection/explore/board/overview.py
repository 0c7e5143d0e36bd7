"""The two figures of all runs: means with intervals, and relevance against a document measure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from plotly.graph_objects import Figure
from shiny import Inputs, Outputs, Session, module, reactive, render, ui
from shiny.module import ResolvedId

from stcollection.analysis.board import Board, BoardFigures, Ranking, reading
from stcollection.analysis.document_measures import MEASURES as OF_DOCUMENTS
from stcollection.errors import StcError
from stcollection.explore.board import figures as board_figures
from stcollection.explore.figures import figure, figure_output
from stcollection.explore.pieces import alert, tells
from stcollection.web.desk import Desk
from stcollection.web.words import t


@module.ui
def tab(opens: ResolvedId) -> ui.Tag:
    """Return the figures.

    :param opens: id of the input that receives the name of a run that the reader clicks.
    """
    return ui.div(
        ui.h2(t("Figures")),
        ui.div(
            ui.input_select("against", t("Document measure"), list(OF_DOCUMENTS), selected="textstat_fkgl"), class_="stc-controls"
        ),
        ui.div(
            ui.div(
                ui.h3(t("Means with confidence intervals")),
                ui.output_ui("labelled"),
                figure_output(
                    "means",
                    label=t("Mean score of each run with its interval; see the table above for values"),
                    height="18rem",
                    click=opens,
                ),
            ),
            ui.div(
                ui.h3(t("Relevance and document measure")),
                ui.output_ui("unread"),
                figure_output(
                    "beside", label=t("Runs by relevance and document measure; see the table above for values"), click=opens
                ),
            ),
            class_="stc-pair",
        ),
    )


@module.server
def serve(
    input: Inputs,  # noqa: A002
    output: Outputs,
    session: Session,
    desk: Desk,
    *,
    result: Callable[[], Board],
    shown: Callable[[], Awaitable[Ranking]],
) -> None:
    @reactive.calc
    async def read() -> BoardFigures:
        return await desk.ask(reading, result().asked, (await shown()).measure, input.against())

    @figure
    async def means() -> Figure | None:
        try:
            found = await shown()
        except StcError:  # the table reports it
            return None
        return board_figures.means(found) if found.scores else None

    @render.ui
    @tells
    async def labelled() -> ui.TagChild:
        return board_figures.labelled(await shown())

    @figure
    async def beside() -> Figure | None:
        try:
            found = await read()
        except StcError:  # 'unread' reports it
            return None
        return board_figures.beside(found) if found.read else None

    @render.ui
    @tells
    async def unread() -> ui.TagChild:
        lacking = (await read()).lacking
        return alert(lacking) if lacking else None
