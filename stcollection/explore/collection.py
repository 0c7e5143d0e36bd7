"""The tab on what the collection holds."""

from __future__ import annotations

import psycopg
from plotly.graph_objects import Bar, Figure
from shiny import Inputs, Outputs, Session, module, render, ui

from stcollection.explore.desk import Desk
from stcollection.explore.figures import figure, figure_output
from stcollection.explore.pieces import table, tells

NAME, TITLE = "collection", "Collection"


@module.ui
def tab() -> ui.Tag:
    return ui.div(ui.h1("What is loaded"), ui.output_ui("counts"), figure_output("years", label="Documents a year"))


@module.server
def serve(input: Inputs, output: Outputs, session: Session, desk: Desk) -> None:  # noqa: A002
    @render.ui
    @tells
    async def counts() -> ui.Tag:
        return table(("what", "count"), await desk.ask(_status), caption="The corpus in numbers", numbers=(1,))

    @figure
    async def years() -> Figure:
        rows = await desk.ask(_years)
        return Figure(Bar(x=[year for year, _ in rows], y=[count for _, count in rows]), {"yaxis": {"title": "documents"}})


def _status(conn: psycopg.Connection) -> list[tuple[str, int]]:
    return conn.execute("SELECT what, count FROM corpus_status()").fetchall()


def _years(conn: psycopg.Connection) -> list[tuple[int, int]]:
    return conn.execute("SELECT year, count(*) FROM dblp_facts WHERE year IS NOT NULL GROUP BY year ORDER BY year").fetchall()
