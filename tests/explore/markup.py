"""Tables of a page that the server wrote."""

from __future__ import annotations

from html.parser import HTMLParser


class _Tables(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, list[list[str]]] = {}
        self._rows: list[list[str]] = []
        self._caption = ""
        self._open = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._rows, self._caption = [], ""
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("th", "td"):
            self._rows[-1].append("")
            self._open = "cell"
        elif tag == "caption":
            self._open = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self.found[self._caption.strip()] = [[cell.strip() for cell in row] for row in self._rows]
        elif tag in ("th", "td", "caption"):
            self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open == "cell":
            self._rows[-1][-1] += data
        elif self._open == "caption":
            self._caption += data


def tables(html: str) -> dict[str, list[list[str]]]:
    """Return the rows of each table by its caption, the headings first."""
    read = _Tables()
    read.feed(html)
    return read.found


def row(html: str, caption: str, name: str) -> list[str]:
    """Return the cells of a row after its heading."""
    [found] = [row[1:] for row in tables(html)[caption] if row[0] == name]
    return found
