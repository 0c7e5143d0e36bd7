"""The tab on what the collection holds."""

from __future__ import annotations

import psycopg
from shiny import Inputs, Outputs, Session, module, render, ui

from stcollection.explore.desk import Desk

NAME, TITLE = "collection", "Collection"


@module.ui
def tab() -> ui.Tag:
    return ui.div(ui.h1("What is loaded"), ui.output_ui("counts"))


@module.server
def serve(input: Inputs, output: Outputs, session: Session, desk: Desk) -> None:  # noqa: A002
    @render.ui
    async def counts() -> ui.Tag:
        rows = await desk.ask(_status)
        return ui.tags.table(
            ui.tags.tbody(*(ui.tags.tr(ui.tags.th(what, scope="row"), ui.tags.td(f"{count:,}")) for what, count in rows)),
            class_="table",
        )


def _status(conn: psycopg.Connection) -> list[tuple[str, int]]:
    return conn.execute("SELECT what, count FROM corpus_status()").fetchall()
