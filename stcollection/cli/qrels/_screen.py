"""A document on an assessor's terminal: wrapped, with the query's words highlighted, and without control sequences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from itertools import groupby

import click

from stcollection.analysis.columns import columns
from stcollection.counts import counted
from stcollection.qrels.assess import SheetDocument, SheetProgress
from stcollection.qrels.metadata import described
from stcollection.qrels.sheets import plain

WIDEST = 100  # columns: longer lines are hard to read
_ARTICLE_LINES = 3
_WORDS = re.compile(r"\w+|\W")


def page(document: SheetDocument, progress: SheetProgress, words: Set[str], *, width: int) -> str:
    """Return the document as a page, without a final line break.

    :param words: the words to highlight.
    :param width: columns, 20 or more.
    """
    state = [f"{progress.judged:,} of {progress.documents:,} judged"]
    state += [f"{progress.skipped:,} skipped"] if progress.skipped else []
    state.append(f"query {plain(document.query)}: {progress.query_judged:,} of {progress.query_documents:,}")
    lines = [click.style(line, dim=True) for line in wrapped(" · ".join(state), width=width)]
    lines += [click.style("─" * width, dim=True)]
    for name, text in (("topic", document.article_title), ("query", document.query_text or document.query)):
        if text:
            lines += wrapped(f"{name}: {plain(text)}", width=width)
    if document.article:
        lines += [click.style(line, dim=True) for line in _beginning(document, width=width)]
    lines += ["", *(_set_off(line, words, bold=True) for line in wrapped(plain(document.title) or "(no title)", width=width)), ""]
    lines += [_set_off(line, words) for line in wrapped(plain(document.abstract) or "(no abstract)", width=width)]
    metadata = " · ".join(described(document.metadata, cited=lambda count: counted(count, "citation")))
    lines += ["", *(click.style(line, dim=True) for line in wrapped(metadata, width=width))] if metadata else []
    lines.append("")
    if document.rel is not None or document.note or document.state in ("skipped", "undecided"):
        said = "submitted as" if document.state == "submitted" else "judged"
        undecided = "cannot decide" if document.state == "undecided" else "skipped before"
        told = f"{said} {document.rel}" if document.rel is not None else undecided
        lines += [
            click.style(line, dim=True)
            for line in wrapped(told + (f" · note: {plain(document.note)}" if document.note else ""), width=width)
        ]
    return "\n".join(lines)


def _beginning(document: SheetDocument, *, width: int) -> list[str]:
    """Return the first lines of the article. 'a' shows all of it."""
    lines = wrapped(f"article: {plain(document.article)}", width=width)
    return lines if len(lines) <= _ARTICLE_LINES else [*lines[:_ARTICLE_LINES], "… (a shows the article)"]


def article(document: SheetDocument, *, width: int) -> str:
    """Return the article that the topic comes from, paragraph by paragraph."""
    if not document.article:
        return "This topic has no article."
    head = filter(None, (plain(document.article_title), plain(document.article_origin)))
    return "\n\n".join("\n".join(wrapped(plain(one), width=width)) for one in [*head, *document.article.split("\n\n")])


def wrapped(text: str, *, width: int) -> list[str]:
    """Return lines of at most this width, broken at blanks; only words that are longer than a line are split."""
    lines, line, used = [], "", 0
    for word in text.split():
        for piece in _pieces(word, width):
            size = columns(piece)
            if line and used + 1 + size > width:
                lines.append(line)
                line, used = "", 0
            line, used = (f"{line} {piece}", used + 1 + size) if line else (piece, size)
    return [*lines, line] if line or not lines else lines


def _pieces(word: str, width: int) -> Iterator[str]:
    piece, used = "", 0
    for sign in word:
        size = columns(sign)
        if used + size > width:
            yield piece
            piece, used = "", 0
        piece, used = piece + sign, used + size
    yield piece


def _set_off(line: str, words: Set[str], *, bold: bool = False) -> str:
    """Return the line with the words underlined, which stays visible in bold type."""
    return "".join(
        click.style("".join(pieces), underline=True, bold=True) if asked_for else click.style("".join(pieces), bold=bold or None)
        for asked_for, pieces in groupby(_WORDS.findall(line), key=words.__contains__)
    )
