"""A report as one page of HTML: nothing is fetched, nothing runs; dark on white, for wide screens, narrow ones and paper."""

from __future__ import annotations

from html import escape

from stcollection.plots.svg import inline
from stcollection.studies.synth.report.parts import Missing, Picture, Report, Section, Table, printed

_STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 1.5rem 1.25rem 4rem; background: #fff; color: #1a1a1a;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.25rem; margin: 2.75rem 0 .75rem; padding-top: .75rem; border-top: 1px solid #ccc; }
p, ul, ol { max-width: 46rem; }
p.about { color: #555; margin: 0 0 1.5rem; }
nav { background: #f5f5f5; padding: .75rem 1rem; max-width: 46rem; }
nav ol { margin: 0; padding-left: 1.5rem; }
a { color: #00507d; }
figure { margin: 1.5rem 0; }
figcaption { font-size: .9rem; color: #333; max-width: 46rem; padding: .4rem 0; }
b.number { color: #1a1a1a; }
div.wide { overflow-x: auto; }
div.wide:focus-visible { outline: 2px solid #00507d; }
table { border-collapse: collapse; font-size: .875rem; line-height: 1.35; }
th, td { padding: .3rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid #e3e3e3; }
td, tbody th { min-width: 4rem; max-width: 28rem; } td.n { min-width: 0; }
thead th { border-bottom: 2px solid #777; vertical-align: bottom; }
tbody th { font-weight: 400; }
th.n, td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { display: block; max-width: 100%; height: auto; }
aside { border-left: 4px solid #d55e00; background: #fdf3ec; padding: .6rem 1rem; margin: 1rem 0; max-width: 46rem; }
aside p { margin: .2rem 0; }
code { font: .9em ui-monospace, "DejaVu Sans Mono", monospace; background: #f2f2f2; padding: 0 .25em; white-space: pre-wrap; }
ul.notes { font-size: .925rem; color: #333; padding-left: 1.25rem; }
@media (max-width: 40rem) {
  body { padding: 1rem .9rem 3rem; font-size: .95rem; }
  h1 { font-size: 1.35rem; } h2 { font-size: 1.12rem; }
  th, td { padding: .25rem .5rem; }
  figure svg { max-width: none; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav a { color: inherit; text-decoration: none; }
  h2 { break-after: avoid; } figure, tr, aside { break-inside: avoid; } thead { display: table-header-group; }
  div.wide { overflow: visible; } table { font-size: 8pt; } th, td { padding: .15rem .4rem; }
  td, th, th.n, td.n { white-space: normal; }
}
""".strip()
# Whatever were to get past the escaping: it would neither run nor fetch.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def html(report: Report) -> str:
    """The whole report; the same report is the same text."""
    lines = [
        "<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">',
        f"<title>{escaped(report.title)}</title>", f"<style>\n{_STYLE}\n</style>", "</head>", "<body>",
        "<header>", f"<h1>{escaped(report.title)}</h1>", f'<p class="about">{escaped(report.about)}</p>', "</header>",
        '<nav aria-label="Contents">', "<ol>",
    ]  # fmt: skip
    lines += [f'<li><a href="#{section.name}">{escaped(section.title)}</a></li>' for section in report.sections]
    lines += ["</ol>", "</nav>", "<main>"]
    tables = figures = 0
    for section in report.sections:
        lines += [f'<section id="{section.name}">', f"<h2>{escaped(section.title)}</h2>"]
        lines += [f"<p>{escaped(paragraph)}</p>" for paragraph in section.paragraphs]
        for table in section.tables:
            tables += 1
            lines += _table(section, table, tables)
        for figure in section.figures:
            figures += 1
            lines += _figure(section, figure, figures)
        lines += [_missing(one) for one in section.missing]
        if section.notes:
            lines += ['<ul class="notes">', *(f"<li>{escaped(note)}</li>" for note in section.notes), "</ul>"]
        lines.append("</section>")
    return "\n".join([*lines, "</main>", "</body>", "</html>"]) + "\n"


def escaped(text: str) -> str:
    """Text in which nothing is HTML."""
    return escape(printed(text))


def _table(section: Section, table: Table, number: int) -> list[str]:
    caption = f'<b class="number">Table {number}.</b> {escaped(table.told())}'
    if not table.rows:
        return [f"<p>{caption} <em>No rows.</em></p>"]
    name = f"{section.name}-{table.name}-caption"
    right = [' class="n"' if one else "" for one in table.numeric()]
    lines = ["<figure>", f'<figcaption id="{name}">{caption}</figcaption>']
    lines += [f'<div class="wide" role="region" tabindex="0" aria-label="Table {number}">', f'<table aria-labelledby="{name}">']
    heads = "".join(f'<th scope="col"{how}>{escaped(name)}</th>' for name, how in zip(table.headers, right, strict=True))
    lines.append(f"<thead><tr>{heads}</tr></thead>")
    lines.append("<tbody>")
    for row in table.shown():
        cells = "".join(
            f'<th scope="row"{how}>{escaped(cell)}</th>' if at == 0 else f"<td{how}>{escaped(cell)}</td>"
            for at, (cell, how) in enumerate(zip(row, right, strict=True))
        )
        lines.append(f"<tr>{cells}</tr>")
    return [*lines, "</tbody>", "</table>", "</div>", "</figure>"]


def _figure(section: Section, figure: Picture, number: int) -> list[str]:
    svg = inline(figure.svg, prefix=f"{section.name}-{figure.name}", label=printed(figure.caption))
    caption = f'<b class="number">Figure {number}.</b> {escaped(figure.caption)}'
    scrolled = f'<div class="wide" role="region" tabindex="0" aria-label="Figure {number}">'
    return ["<figure>", scrolled, svg, "</div>", f"<figcaption>{caption}</figcaption>", "</figure>"]


def _missing(one: Missing) -> str:
    told = f"<strong>Missing.</strong> {escaped(one.what.rstrip('.'))}."
    told += f" {escaped(one.hint)}" if one.hint else ""
    return f"<aside><p>{told}{f' <code>{escaped(one.command)}</code>' if one.command else ''}</p></aside>"
