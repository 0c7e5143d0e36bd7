"""Options and results of topic coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, NamedTuple

import numpy as np

from stcollection.declared import AllowedRange, Option, check_fields

Kind = Literal["lda", "itemset", "concept"]
KINDS: tuple[Kind, ...] = ("lda", "itemset", "concept")
WITHIN = ("text", "abstract")
FREQUENT, RARE = "frequent", "rare"


@dataclass(frozen=True, kw_only=True)
class CoverageOptions:
    """Options of a coverage.

    :param documents: Number of nearest abstracts to use.
    :param topics: Number of topics of LDA.
    :param words: Number of words per topic; the largest size of an itemset.
    :param seed: Seed of LDA.
    :param support: Smallest share of abstracts that contain an itemset or concept.
    :param within: Count documents that contain the words in title or abstract (text), or in the abstract.
    :param stop_words: Leave out function words and words of most abstracts, such as paper and results.
    :param max_df: Leave out words of more than this share of the corpus's documents; 1 leaves out none.
    """

    documents: Annotated[int, AllowedRange(ge=1, le=1000)] = 100
    topics: Annotated[int, AllowedRange(ge=1, le=100)] = 10
    words: Annotated[int, AllowedRange(ge=1, le=6)] = 3
    seed: Annotated[int, AllowedRange(ge=0, le=2**32 - 1)] = 1
    support: Annotated[
        float | None, AllowedRange(gt=0, le=1), Option(metavar="SHARE", default="the greatest that gives tens of itemsets")
    ] = None
    within: Annotated[str, Option(choices=WITHIN)] = "text"
    stop_words: Annotated[bool, Option("--stop-words/--no-stop-words")] = True
    max_df: Annotated[float, AllowedRange(gt=0, le=1), Option(metavar="SHARE")] = 0.25

    def checked(self) -> CoverageOptions:
        """Return these options. :raises BadArgument: one is outside its range."""
        check_fields(self)
        return self


@dataclass(frozen=True, order=True)
class Topic:
    """Words that represent a topic.

    :param place: within its kind, from 1, in the order found.
    :param words: whole words, the most important first.
    :param weight: for LDA, the topic's share of the words of the abstracts; otherwise the share of abstracts with all words.
    :param count: number of documents of the whole corpus that contain all words.
    """

    kind: Kind
    place: int
    words: tuple[str, ...]
    weight: float
    count: int


class WordDocument(NamedTuple):
    """A document that contains some words.

    :param abstract: two fragments.
    :param total: number of documents that contain the words.
    """

    rank: int
    docno: str
    year: int | None
    title: str | None
    abstract: str | None
    total: int


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """The topics of a text.

    :param docs: dblp.id of the nearest abstracts, nearest first.
    :param support: minimum share of itemsets and concepts.
    :param state: state of the corpus that was counted; None if it cannot be identified.
    :param notes: omissions and their reasons.
    :param seconds: duration of each step.
    :param stored: the coverage was stored before.
    """

    text: str
    model: str
    options: CoverageOptions
    docs: list[int]
    topics: list[Topic]
    support: float
    state: str | None
    notes: list[str]
    seconds: dict[str, float] = field(default_factory=dict)
    stored: bool = False

    def of(self, kind: Kind) -> list[Topic]:
        """Return the topics of a kind, the highest count first, then by weight, then in the order found."""
        topics = [topic for topic in self.topics if topic.kind == kind]
        return sorted(topics, key=lambda topic: (-topic.count, -topic.weight, topic.place))

    def marked(self, kind: Kind) -> list[tuple[Topic, str]]:
        """Return the topics of a kind as :meth:`of` does, each with its mark: frequent, rare or none (:func:`marks`)."""
        topics = self.of(kind)
        return [*zip(topics, marks([topic.count for topic in topics]), strict=True)]


def marks(counts: Sequence[int]) -> list[str]:
    """Mark each count as ``frequent`` from the third quartile, ``rare`` up to the first, else ''.

    Quartiles are numpy's (linear between order statistics) over the counts of one kind. Nothing is marked if both are equal.
    """
    if not counts:
        return []
    first, third = np.quantile(np.asarray(counts, dtype=np.float64), (0.25, 0.75))
    if first == third:
        return [""] * len(counts)
    return [FREQUENT if count >= third else RARE if count <= first else "" for count in counts]
