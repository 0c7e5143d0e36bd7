"""Options and results of topic coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from stcollection.errors import BadArgument

Kind = Literal["lda", "itemset", "concept"]
KINDS: tuple[Kind, ...] = ("lda", "itemset", "concept")
WITHIN = ("text", "abstract")
FREQUENT, RARE = "frequent", "rare"
_RANGES = {"documents": (1, 1000), "topics": (1, 100), "words": (1, 6), "seed": (0, 2**32 - 1)}


@dataclass(frozen=True, kw_only=True)
class CoverageOptions:
    """Options of a coverage.

    :param documents: number of nearest abstracts.
    :param topics: number of LDA topics.
    :param words: number of words that represent an LDA topic, and maximum size of an itemset.
    :param seed: seed of LDA.
    :param support: minimum share of the abstracts, above 0 and up to 1, that contain an itemset or form a concept's extent; None:
        the greatest value that gives tens of itemsets.
    :param within: ``text`` counts documents with the words in title or abstract, ``abstract`` only in the abstract.
    :param stop_words: leave out function words, number words and the vocabulary of abstracts, such as paper, method and results.
    :param max_df: leave out words of more than this share of the corpus's documents, above 0 and up to 1; 1 leaves out none.
    """

    documents: int = 100
    topics: int = 10
    words: int = 3
    seed: int = 1
    support: float | None = None
    within: str = "text"
    stop_words: bool = True
    max_df: float = 0.25

    def checked(self) -> CoverageOptions:
        """Return these options. :raises BadArgument: one is outside its range."""
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if not least <= value <= most:
                raise BadArgument(f"{name} is {value}", hint=f"It must be {least} to {most}.", sqlstate="IR202")
        if self.support is not None and not 0 < self.support <= 1:
            raise BadArgument(
                f"the support is {self.support:g}",
                hint="It must be a share of the abstracts, above 0 and up to 1.",
                sqlstate="IR202",
            )
        if not 0 < self.max_df <= 1:
            raise BadArgument(
                f"the largest document frequency is {self.max_df:g}",
                hint="It must be a share of the documents, above 0 and up to 1.",
                sqlstate="IR202",
            )
        if self.within not in WITHIN:
            raise BadArgument(f"unknown value {self.within!r} of 'within'", hint=f"Use {' or '.join(WITHIN)}.", sqlstate="IR202")
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
