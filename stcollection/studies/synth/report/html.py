"""Write a report as one self-contained HTML page for wide and narrow screens and for print; it loads and runs nothing.

Jinja2 escapes every value in the template; the content security policy in its head forbids scripts and requests as a second
barrier.
"""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from stcollection.cells import on_one_line
from stcollection.plots.svg import inline
from stcollection.studies.synth.report.parts import Picture, Report, Section


def html(report: Report) -> str:
    """Return the whole report; the same report gives the same text."""
    pages = Environment(
        loader=PackageLoader("stcollection.studies.synth.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printed,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return pages.get_template("report.html.jinja").render(report=report, svg=_svg)


def _printed(value: object) -> object:
    """Return a text on one line; our own markup stays unchanged."""
    return on_one_line(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _svg(section: Section, figure: Picture) -> Markup:
    """Return a figure as an HTML element, whose texts :func:`~stcollection.plots.svg.inline` has escaped."""
    return Markup(inline(figure.svg, prefix=f"{section.name}-{figure.name}", label=on_one_line(figure.caption)))  # noqa: S704
