"""A report as Markdown (GitHub's): figures and tables are files beside it."""

from __future__ import annotations

import re

from stcollection.studies.synth.report.parts import Missing, Picture, Report, ReportTable, Section, printed

MARK = "<!-- stcollection: analysis study -->"  # the first line, by which a folder is known as a report's

_SIGNS = re.compile(r"[\\`*_\[\]|~$#]")
_START = re.compile(r"^([-+=]|\d+(?=[.)]( |$)))")  # what makes the start of a line a list or a heading


def markdown(report: Report) -> str:
    """The whole report; the same report is the same text."""
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
            lines += ["", *(_missing(one) for one in section.missing)]
        if section.notes:
            lines += ["", *(f"- {escaped(note)}" for note in section.notes)]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Text in which nothing is Markdown or HTML, wherever a line begins with it."""
    return _START.sub(_at_start, _inside(text))


def code(text: str) -> str:
    """Text as it is typed, fenced by more backticks than it holds in a row."""
    text = printed(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _inside(text: str) -> str:
    text = printed(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SIGNS.sub(r"\\\g<0>", text)


def _at_start(found: re.Match[str]) -> str:
    sign = found[0]
    return f"&#{ord(sign[0])};{sign[1:]}"


def _table(section: Section, table: ReportTable, number: int) -> list[str]:
    file = f"tables/{section.name}-{table.name}.csv"
    lines = [f"**Table {number}.** {escaped(table.told())} ([CSV]({file}))", ""]
    if not table.rows:
        return [*lines, "*No rows.*"]
    lines.append(f"| {' | '.join(map(_cell, table.headers))} |")
    lines.append(f"|{'|'.join('---:' if right else ':---' for right in table.numeric())}|")
    return lines + [f"| {' | '.join(map(_cell, row))} |" for row in table.shown()]


def _cell(text: str) -> str:
    """A cell cannot be empty of signs, or its column would be no column everywhere."""
    return _inside(text) or " "


def _figure(section: Section, figure: Picture, number: int) -> list[str]:
    return [f"![Figure {number}](figures/{section.name}-{figure.name}.svg)", "", f"**Figure {number}.** {escaped(figure.caption)}"]


def _missing(one: Missing) -> str:
    told = f"> **Missing.** {escaped(one.what.rstrip('.'))}."
    told += f" {escaped(one.hint)}" if one.hint else ""
    return told + (f" {code(one.command)}" if one.command else "") + "\n"
