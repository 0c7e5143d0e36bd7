"""Plotly figures on the page, drawn by the plotly.js of the plotly package, which we serve ourselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import plotly
from plotly.graph_objects import Figure
from shiny import reactive, ui
from shiny.module import resolve_id
from shiny.render.renderer import Jsonifiable, Renderer

from stcollection.web.words import t

SCRIPTS = Path(plotly.__file__).parent / "package_data"  # contains plotly.min.js
FILES = ("SVG", "PNG", "CSV")  # formats of a figure's download


def figure_output(id: str, *, label: str, height: str = "28rem") -> ui.Tag:  # noqa: A002
    """Return the element of a figure, with buttons below it that download it (static/figures.js).

    :param id: within its module's namespace. :param label: text for screen readers.
    """
    name, short = resolve_id(id), label.split(";")[0].strip()
    drawn = ui.div(
        id=name,
        class_="stc-figure",
        role="figure",
        aria_label=label,
        style=f"min-height: {height}",
    )
    return ui.div(drawn, downloads(name, label=short))


def downloads(name: str, *, label: str, hidden: bool = True) -> ui.Tag:
    """Return the buttons that download a figure.

    :param name: id of its element. :param label: names the figure and the files. :param hidden: until the figure is drawn.
    """
    buttons = (
        ui.tags.button(
            kind,
            type="button",
            class_="stc-save",
            data_figure=name,
            data_kind=kind.lower(),
            aria_label=t("Download {figure} as {format}", figure=label, format=kind),
        )
        for kind in FILES
    )
    return ui.div(ui.span(t("Download"), aria_hidden="true"), *buttons, class_="stc-saves", hidden=True if hidden else None)


class figure(Renderer[Figure]):  # noqa: N801
    """Decorator of an async function that returns a plotly Figure, drawn in the reader's light or dark theme."""

    def auto_output_ui(self) -> ui.Tag:
        return figure_output(self.output_id, label=self.output_id)

    async def render(self) -> Jsonifiable:
        """Draw the figure. Try again soon if plotly met pandas half imported: the thread that loads the model imports it."""
        try:
            return await super().render()
        except AttributeError as error:
            if "partially initialized module" not in str(error):
                raise
        reactive.invalidate_later(0.5)
        return None

    async def transform(self, value: Figure) -> Jsonifiable:
        drawn: dict[str, Any] = json.loads(value.to_json())
        drawn["layout"].pop("template", None)
        return drawn
