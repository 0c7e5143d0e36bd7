"""Write a report as GitHub Markdown, with figures and tables in separate files."""

from __future__ import annotations

import re

from stcollection.cells import on_one_line
from stcollection.studies.synth.report.parts import Missing, Picture, Report, ReportTable, Section

MARK = "<!-- stcollection: analysis study -->"  # the first line, which identifies a report folder

_SIGNS = re.compile(r"[\\`*_\[\]|~$#]")
_START = re.compile(r"^([-+=]|\d+(?=[.)]( |$)))")  # would start a list or a heading


def markdown(report: Report) -> str:
    """Return the whole report; the same report gives the same text."""
    lines = [MARK, f"# {escaped(report.title)}", "", escaped(report.about), "", "## Contents", ""]
    lines += [f"- [{escaped(section.title)}](#{section.name})" for section in report.sections]
    tables = figures = 0
    for section in report.sections:
        lines += ["", f'<a id="{section.name}"></a>', "", f"## {escaped(section.title)}"]
        for paragraph in section.paragraphs:
            lines += ["", escaped(paragraph)]
        for table in section.tables:
            tables += 1
            lines += ["", *_table(section, table, tables)]
        for figure in section.figures:
            figures += 1
            lines += ["", *_figure(section, figure, figures)]
        if section.missing:
            lines += ["", *(_missing(part) for part in section.missing)]
        if section.notes:
            lines += ["", *(f"- {escaped(note)}" for note in section.notes)]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Escape text so that it contains no Markdown or HTML, even at the start of a line."""
    return _START.sub(_at_start, _inside(text))


def code(text: str) -> str:
    """Fence text as code, with more backticks than it contains in a row."""
    text = on_one_line(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _inside(text: str) -> str:
    text = on_one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SIGNS.sub(r"\\\g<0>", text)


def _at_start(match: re.Match[str]) -> str:
    sign = match[0]
    return f"&#{ord(sign[0])};{sign[1:]}"


def _table(section: Section, table: ReportTable, number: int) -> list[str]:
    file = f"tables/{section.name}-{table.name}.csv"
    lines = [f"**Table {number}.** {escaped(table.full_caption())} ([CSV]({file}))", ""]
    if not table.rows:
        return [*lines, "*No rows.*"]
    lines.append(f"| {' | '.join(map(_cell, table.headers))} |")
    lines.append(f"|{'|'.join('---:' if right else ':---' for right in table.numeric())}|")
    return lines + [f"| {' | '.join(map(_cell, row))} |" for row in table.shown()]


def _cell(text: str) -> str:
    """Return a table cell; an empty one gets a visible character, because some renderers drop empty columns."""
    return _inside(text) or " "


def _figure(section: Section, figure: Picture, number: int) -> list[str]:
    return [f"![Figure {number}](figures/{section.name}-{figure.name}.svg)", "", f"**Figure {number}.** {escaped(figure.caption)}"]


def _missing(part: Missing) -> str:
    line = f"> **Missing.** {escaped(part.what.rstrip('.'))}."
    line += f" {escaped(part.hint)}" if part.hint else ""
    return line + (f" {code(part.command)}" if part.command else "") + "\n"
