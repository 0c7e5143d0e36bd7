"""Extract the article of an HTML page: title, paragraphs, address, publisher and date."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from html.parser import HTMLParser

_SKIPPED = {"script", "style", "noscript", "template", "svg", "nav", "aside", "footer", "form", "button", "figure", "iframe"}
_BLOCKS = {
    "p", "div", "section", "article", "main", "header", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre",
    "table", "tr", "td", "th", "dl", "dt", "dd", "br", "hr", "body", "title",
}  # fmt: skip
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_NAMES = {  # in the order of preference
    "title": ("og:title", "twitter:title"),
    "url": ("og:url",),
    "source": ("og:site_name", "application-name"),
    "published": ("article:published_time", "date", "dc.date", "dcterms.created"),
}
_CHARSET = re.compile(rb"""<meta\s[^>]*charset\s*=\s*["']?\s*([A-Za-z0-9_:.-]+)""", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class WebPage:
    """The article of a page. :param text: paragraphs, separated by empty lines; '' without text."""

    title: str | None
    text: str
    url: str | None
    source: str | None
    published: date | None


def declared_encoding(page: bytes) -> str | None:
    """Return the encoding that an HTML page declares in its first 4,096 bytes, or None."""
    match = _CHARSET.search(page[:4096])
    return match[1].decode("ascii") if match else None


def read_page(html: str) -> WebPage:
    """Return the article of an HTML page.

    The text is that of ``<article>`` if there is one with text, else of ``<main>``, else of ``<body>``, without navigation, side
    notes, forms, figures and scripts. The title is not repeated in the text.
    """
    parser = _Parser()
    parser.feed(html)
    parser.close()
    title = parser.named("title") or next(iter(parser.headings), None) or next(iter(parser.titles), None)
    blocks = next((part for part in (parser.blocks["article"], parser.blocks["main"], parser.blocks["body"]) if part), [])
    if blocks and blocks[0] == title:
        blocks = blocks[1:]
    return WebPage(
        title=title,
        text="\n\n".join(blocks),
        url=parser.named("url") or parser.canonical,
        source=parser.named("source"),
        published=_date(parser.named("published")) or _date(parser.time),
    )


def _date(value: str | None) -> date | None:
    try:
        return datetime.fromisoformat(value.strip()).date() if value else None
    except ValueError:
        return None


@dataclass
class _State:
    """The open block. :param within: nesting of skipped elements, of <article> and of <main>. :param kind: tag of the block."""

    words: list[str] = field(default_factory=list)
    kind: str = ""
    skipped: int = 0
    article: int = 0
    main: int = 0


class _Parser(HTMLParser):
    """Collect paragraphs, headings and metadata."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: dict[str, list[str]] = {"article": [], "main": [], "body": []}
        self.headings: list[str] = []
        self.titles: list[str] = []
        self.canonical: str | None = None
        self.time: str | None = None
        self._meta: dict[str, str] = {}
        self._at = _State()

    def named(self, what: str) -> str | None:
        """Return a value of the metadata."""
        return next((self._meta[name] for name in _NAMES[what] if self._meta.get(name)), None)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._metadata(tag, values)
        if tag in _VOID:
            if tag in _BLOCKS:
                self._end()
            return
        if tag in _BLOCKS or tag in _SKIPPED:
            self._end()
            self._at.kind = tag
        self._count(tag, 1)

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS or tag in _SKIPPED:
            self._end()
        self._count(tag, -1)

    def handle_data(self, data: str) -> None:
        if not self._at.skipped:
            self._at.words.append(data)

    def close(self) -> None:
        super().close()
        self._end()

    def _metadata(self, tag: str, values: Mapping[str, str]) -> None:
        if tag == "meta":
            name = (values.get("property") or values.get("name") or "").lower()
            self._meta.setdefault(name, " ".join(values.get("content", "").split()))
        elif tag == "link" and values.get("rel", "").lower() == "canonical":
            self.canonical = values.get("href") or None
        elif tag == "time" and self.time is None:
            self.time = values.get("datetime")

    def _count(self, tag: str, step: int) -> None:
        at = self._at
        if tag in _SKIPPED:
            at.skipped = max(0, at.skipped + step)
        elif tag == "article":
            at.article = max(0, at.article + step)
        elif tag == "main":
            at.main = max(0, at.main + step)

    def _end(self) -> None:
        """Store the open block."""
        at = self._at
        text, kind = " ".join("".join(at.words).split()), at.kind
        at.words, at.kind = [], ""
        if not text:
            return
        if kind == "title":
            self.titles.append(text)
            return
        if kind == "h1":
            self.headings.append(text)
        self.blocks["body"].append(text)
        if at.article:
            self.blocks["article"].append(text)
        if at.main:
            self.blocks["main"].append(text)
