"""The answers of one query as SVG: groups from top to bottom, support on the left, contradictions on the right."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from html import escape
from itertools import accumulate
from typing import NamedTuple

from stcollection.analysis.columns import columns
from stcollection.counts import counted
from stcollection.plots.canvas import BLACK, DARK, GREEN, VERMILION
from stcollection.plots.table import Parts, table

_WIDTH, _ARCS = 760, 110  # pixels; of the whole, and for the arcs on each side
_ROW, _HEAD, _GAP = 22, 26, 14
_LETTERS = 68  # columns of an answer; Chinese characters take two
# Attributes, because pages with a strict policy ignore the attribute style.
_FONT = 'font-family="DejaVu Sans,Noto Sans CJK SC,PingFang SC,Microsoft YaHei,sans-serif" font-size="12"'


class GraphAnswer(NamedTuple):
    """An answer. :param gold: whether its document is relevant; None if that is not known."""

    answer: int
    doc_id: str
    text: str
    gold: bool | None


class GraphGroup(NamedTuple):
    """A group of answers that agree. :param documents: number of its distinct documents. :param returned: its documents are."""

    documents: int
    returned: bool
    answers: Sequence[GraphAnswer]


class GraphEdge(NamedTuple):
    """A relation between two answers. :param a, b: their numbers. :param weight: its probability, in [0, 1]."""

    a: int
    b: int
    weight: float


class AnswerGraph(NamedTuple):
    """The groups of a query, best first, and the relations between its answers."""

    query: str
    run: str
    groups: Sequence[GraphGroup]
    supports: Sequence[GraphEdge]
    contradictions: Sequence[GraphEdge]

    def counts(self) -> str:
        """Return the numbers of groups, supports and contradictions, as a phrase."""
        parts = (("group", self.groups), ("support", self.supports), ("contradiction", self.contradictions))
        return ", ".join(counted(len(members), name) for name, members in parts)


def answer_rows(graph: AnswerGraph) -> list[tuple[int, int, str, str, bool, bool | None]]:
    """Return the answers of a graph: group, documents of the group, document, text, whether it is returned, and relevant."""
    return [
        (number, group.documents, answer.doc_id, answer.text, group.returned, answer.gold)
        for number, group in enumerate(graph.groups, start=1)
        for answer in group.answers
    ]


def relation_rows(graph: AnswerGraph) -> list[tuple[str, str, str, str, str, float]]:
    """Return the relations of a graph: support or contradiction, document and text of both answers, and the probability."""
    answers = {answer.answer: answer for group in graph.groups for answer in group.answers}
    kinds = (("support", graph.supports), ("contradiction", graph.contradictions))
    return [
        (kind, answers[edge.a].doc_id, answers[edge.a].text, answers[edge.b].doc_id, answers[edge.b].text, edge.weight)
        for kind, edges in kinds
        for edge in sorted(edges, key=lambda arc: (-arc.weight, arc.a, arc.b))
    ]


def draw_clusters(graph: AnswerGraph) -> str:
    """Return the graph as SVG with readable text: a box per group, a row per answer, an arc per relation.

    The width of an arc follows its probability. ✓ marks answers in relevant documents. The title lists the counts for screen
    readers. An answer that does not fit is shortened; the whole text is its tooltip.
    """
    title = f"{_line(graph.query)} — run {_line(graph.run)}"
    parts, places, y = [_text(_ARCS, 18, _fitted(title), weight="bold")], dict[int, float](), 34.0
    if not graph.groups:
        parts.append(_text(_ARCS, y + 16, "no answers", colour=DARK))
        y += _ROW
    for number, group in enumerate(graph.groups, start=1):
        height = _HEAD + _ROW * len(group.answers)
        parts.append(
            f'<rect x="{_ARCS}" y="{y:g}" width="{_WIDTH - 2 * _ARCS}" height="{height}" rx="4" fill="white"'
            f' stroke="{GREEN if group.returned else DARK}" stroke-width="{2.5 if group.returned else 1}"/>'
        )
        documents = counted(group.documents, "document")
        parts.append(_text(_ARCS + 8, y + 17, f"group {number}: {documents}{', returned' if group.returned else ''}", colour=DARK))
        for place, answer in enumerate(group.answers):
            at = y + _HEAD + _ROW * place
            places[answer.answer] = at + _ROW / 2 - 4
            mark = "✓ " if answer.gold else ""
            whole = _line(answer.text)
            label = _fitted(f"{mark}{_line(answer.doc_id)}: {whole}")
            parts.append(f"<g><title>{escape(whole)}</title>{_text(_ARCS + 8, at + 12, label)}</g>")
        y += height + _GAP
    parts += _arcs(graph.supports, places, x=_ARCS, side=-1, colour=GREEN, dashed=False)
    parts += _arcs(graph.contradictions, places, x=_WIDTH - _ARCS, side=1, colour=VERMILION, dashed=True)
    parts.append(_text(4, y + 12, "— support", colour=GREEN))
    parts.append(_text(_WIDTH - 4, y + 12, "- - contradiction", colour=VERMILION, anchor="end"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y + 22:g}" width="{_WIDTH}" height="{y + 22:g}"'
        f' role="img" aria-label="{escape(f"{title}: {graph.counts()}")}" {_FONT}>'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n'
    )


def _arcs(edges: Iterable[GraphEdge], places: dict[int, float], *, x: float, side: int, colour: str, dashed: bool) -> list[str]:
    """Return an arc per edge: the further apart the answers, the further out it bends."""
    drawn = []
    longest = max(places.values(), default=1.0) - min(places.values(), default=0.0) or 1.0
    for edge in sorted(edges, key=lambda arc: arc.weight):
        top, bottom = sorted((places[edge.a], places[edge.b]))
        style = ' stroke-dasharray="4 3"' if dashed else ""
        out = x + side * (12 + (_ARCS * 1.2 - 24) * (bottom - top) / longest)
        drawn.append(
            f'<path d="M{x:g} {top:g} C{out:g} {top:g} {out:g} {bottom:g} {x:g} {bottom:g}" fill="none" stroke="{colour}"'
            f' stroke-width="{0.5 + 2 * edge.weight:.2f}" stroke-opacity="0.75"{style}>'
            f"<title>{edge.weight:.2f}</title></path>"
        )
    return drawn


def _text(x: float, y: float, text: str, *, colour: str = BLACK, weight: str = "normal", anchor: str = "start") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" fill="{colour}" font-weight="{weight}" text-anchor="{anchor}"'
        f' xml:space="preserve">{escape(text)}</text>'
    )


def _line(text: str) -> str:
    """Return a text on one line, without characters that XML forbids or that have no form."""
    return "".join(" " if sign.isspace() else sign for sign in text if sign.isspace() or unicodedata.category(sign)[0] != "C")


def _fitted(text: str) -> str:
    """Return the start of a text that fits in a row, with … if it was shortened."""
    ends = list(accumulate(map(columns, text)))
    return text if not ends or ends[-1] <= _LETTERS else text[: bisect_right(ends, _LETTERS - 1)] + "…"


@table.register
def _(record: AnswerGraph) -> Parts:
    """Return a row per answer, then a row per relation."""
    answers = (
        ("answer", group, documents, returned, doc, text, gold, None, None, None)
        for group, documents, doc, text, returned, gold in answer_rows(record)
    )
    relations = (
        (kind, None, None, None, doc, text, None, other_doc, other, weight)
        for kind, doc, text, other_doc, other, weight in relation_rows(record)
    )
    columns = ("kind", "group", "documents", "returned", "document", "answer", "relevant", "other document", "other answer")
    return (*columns, "probability"), (*answers, *relations)
