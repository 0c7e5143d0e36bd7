"""Plotly figures on the page, drawn by the plotly.js of the plotly package, which we serve ourselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import plotly
from plotly.graph_objects import Figure
from shiny import ui
from shiny.render.renderer import Jsonifiable, Renderer

SCRIPTS = Path(plotly.__file__).parent / "package_data"  # contains plotly.min.js


def figure_output(id: str, *, label: str, height: str = "28rem") -> ui.Tag:  # noqa: A002
    """Return the element of a figure. :param id: within its module's namespace. :param label: text for screen readers."""
    from shiny.module import resolve_id

    return ui.div(id=resolve_id(id), class_="stc-figure", role="img", aria_label=label, style=f"min-height: {height}")


class figure(Renderer[Figure]):  # noqa: N801
    """Decorator of an async function that returns a plotly Figure, drawn in the reader's light or dark theme."""

    def auto_output_ui(self) -> ui.Tag:
        return figure_output(self.output_id, label=self.output_id)

    async def transform(self, value: Figure) -> Jsonifiable:
        drawn: dict[str, Any] = json.loads(value.to_json())
        drawn["layout"].pop("template", None)
        return drawn
