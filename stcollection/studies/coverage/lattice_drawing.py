"""Where the concepts of a lattice are drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from stcollection.counts import counted

_STEPS = 3  # heights within a layer, so that neighbouring labels do not overlap
_STEP = 0.22  # share of a layer


class Concept(NamedTuple):
    """A set of words and the number of texts that contain all of them.

    :param words: whole words.
    :param abstracts: number of abstracts that contain all words.
    :param documents: number of documents in the whole corpus that contain all words.
    """

    words: tuple[str, ...]
    abstracts: int
    documents: int


@dataclass(frozen=True, kw_only=True)
class Lattice:
    """Concepts, and which concept lies directly above which.

    :param edges: indexes of concepts, the upper one first; -1 is the top, which has no words.
    :param abstracts: total number of abstracts.
    """

    concepts: list[Concept]
    edges: list[tuple[int, int]]
    abstracts: int


class LatticePoint(NamedTuple):
    """A concept in a drawing of the lattice.

    :param x: in [0, 1]. :param y: 0 for the top, falling. :param label: the words that no concept above it has (all words if every
        word is above it), and the number of abstracts. :param size: the share of the abstracts, in [0, 1].
    """

    x: float
    y: float
    label: str
    words: str
    about: str
    size: float


def lattice_points(data: Lattice) -> dict[int, LatticePoint]:
    """Place concepts in layers from the top down, by index; -1 is the top.

    A concept's layer is the length of the longest path from the top; within a layer the largest extents come first.
    """
    above: Mapping[int, set[int]] = defaultdict(set)
    for high, low in data.edges:
        above[low].add(high)
    sizes = {at: concept.abstracts for at, concept in enumerate(data.concepts)}
    if any(high < 0 for high, _ in data.edges) or not data.concepts:
        sizes[-1] = data.abstracts
    points = {}
    for at, (x, y) in _places(sizes, above).items():
        if at < 0:
            label, words, about = f"all {data.abstracts:,}", "", f"all {counted(data.abstracts, 'abstract')}"
        else:
            concept = data.concepts[at]
            inherited = {word for high in above[at] if high >= 0 for word in data.concepts[high].words}
            own = [word for word in concept.words if word not in inherited]
            label, words = f"{', '.join(own or concept.words)} {sizes[at]:,}", ", ".join(concept.words)
            about = f"{counted(sizes[at], 'abstract')}, {counted(concept.documents, 'document')} of the corpus"
        points[at] = LatticePoint(x, y, label, words, about, sizes[at] / data.abstracts)
    return points


def _places(sizes: Mapping[int, int], above: Mapping[int, set[int]]) -> dict[int, tuple[float, float]]:
    """Return the positions of points: across in [0, 1], and down."""
    depth: dict[int, int] = {}
    for at in sorted(sizes, key=lambda at: -sizes[at]):  # a concept above has more abstracts
        depth[at] = 1 + max((depth[high] for high in above.get(at, ()) if high in depth), default=-1)
    layers: dict[int, list[int]] = defaultdict(list)
    for at in sorted(sizes, key=lambda at: (-sizes[at], at)):
        layers[depth[at]].append(at)
    places = {}
    for layer, members in sorted(layers.items()):
        for nth, at in enumerate(members):
            places[at] = ((nth + 0.5) / len(members), -layer - (_STEP * (nth % _STEPS) if len(members) > _STEPS else 0.0))
    return places
