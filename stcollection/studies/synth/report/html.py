"""A report as one page of HTML: nothing is fetched, nothing runs; dark on white, for wide screens, narrow ones and paper.

Jinja2 escapes every value of the template; the policy in its head forbids scripts and requests if something were to get past that.
"""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from stcollection.plots.svg import inline
from stcollection.studies.synth.report.parts import Picture, Report, Section, printed


def html(report: Report) -> str:
    """The whole report; the same report is the same text."""
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
    """A text on one line; markup that is ours unchanged."""
    return printed(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _svg(section: Section, figure: Picture) -> Markup:
    """A figure as an element of HTML, whose texts :func:`~stcollection.plots.svg.inline` has escaped."""
    return Markup(inline(figure.svg, prefix=f"{section.name}-{figure.name}", label=printed(figure.caption)))  # noqa: S704
