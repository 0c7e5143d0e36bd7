"""Topics as rows of a table, their lattice, and what the page says about a coverage."""

from __future__ import annotations

from typing import NamedTuple

from stcollection.explore.charts import Chart, ChartDot, ChartLine, ChartText
from stcollection.studies.coverage.lattice import diagram
from stcollection.studies.coverage.lattice_drawing import lattice_points
from stcollection.studies.coverage.records import FREQUENT, RARE, Coverage, Kind
from stcollection.texts import later
from stcollection.web.words import n, t

KINDS: dict[Kind, tuple[str, str]] = {
    "lda": (later("LDA"), later("Topics of latent Dirichlet allocation")),
    "itemset": (later("Itemsets"), later("Frequent itemsets of the abstracts")),
    "concept": (later("Concepts"), later("Formal concepts of the abstracts")),
}
HEADERS = ("kind", "words", "share", "documents", "quartile")  # of files
_NODE = "#3b82c4"  # blue on light and dark
_SIGNS = {FREQUENT: later("▲ frequent"), RARE: later("▽ rare")}
_WIDTH, _LAYER, _MARGIN, _RADIUS = 1000.0, 110.0, 24.0, 10.0  # pixels


class TopicLine(NamedTuple):
    """A topic. :param name: in the address. :param share: of the words or the abstracts. :param width: of its bar, in per cent."""

    name: str
    words: str
    share: float
    width: float
    documents: int
    sign: str


def topic_rows(found: Coverage, kind: Kind) -> list[TopicLine]:
    """Return the topics of a kind. The bar of the largest share has full length."""
    marked = found.marked(kind)
    most = max((topic.weight for topic, _ in marked), default=0)
    signs = {mark: t(sign) for mark, sign in _SIGNS.items()}
    return [
        TopicLine(
            f"{kind} {topic.place}",
            ", ".join(topic.words),
            topic.weight,
            round(100 * topic.weight / most if most > 0 else 0, 1),
            topic.count,
            signs.get(mark, ""),
        )
        for topic, mark in marked
    ]


def file_rows(found: Coverage) -> list[tuple[object, ...]]:
    """Return the topics of all kinds, with the columns HEADERS."""
    return [(kind, " ".join(topic.words), topic.weight, topic.count, mark) for kind in KINDS for topic, mark in found.marked(kind)]


def lattice(found: Coverage) -> Chart | None:
    """Draw the concepts, None without any."""
    concepts = found.of("concept")
    if not concepts:
        return None
    data = diagram(concepts, abstracts=len(found.docs))
    points = lattice_points(data)
    places = {at: (_MARGIN * 2 + point.x * (_WIDTH - 4 * _MARGIN), _MARGIN - point.y * _LAYER) for at, point in points.items()}
    return Chart(
        label=t("Lattice of concepts; see the table below for values"),
        width=_WIDTH,
        height=max(y for _, y in places.values()) + 2 * _MARGIN,
        lines=[ChartLine(*places[high], *places[low]) for high, low in data.edges],
        dots=[
            ChartDot(*places[at], 3 + _RADIUS * point.size**0.5, _NODE, ": ".join(filter(None, (point.words, point.about))))
            for at, point in points.items()
        ],
        texts=[ChartText(places[at][0], places[at][1] + _RADIUS + 14, point.label) for at, point in points.items()],
    )


def summary(found: Coverage) -> str:
    """Return how many topics were found, in which time, and what was omitted."""
    took = t("stored earlier") if found.stored else t("computed in {seconds:.2f} seconds", seconds=sum(found.seconds.values()))
    abstracts = n("{count:,} abstract", "{count:,} abstracts", len(found.docs))
    sentences = [
        n(
            "{count:,} topic in {abstracts}, {took}.",
            "{count:,} topics in {abstracts}, {took}.",
            len(found.topics),
            abstracts=abstracts,
            took=took,
        )
    ]
    sentences += [t("Itemsets and concepts occur in at least {share:.0%} of the abstracts.", share=found.support)]
    sentences += [f"{note[:1].upper()}{note[1:]}." for note in found.notes]
    return " ".join(sentences)
