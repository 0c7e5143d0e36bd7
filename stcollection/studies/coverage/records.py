"""What topic coverage is asked with and what it gives."""

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
    """What a coverage is made with.

    :param documents: how many of the nearest abstracts. :param topics: of LDA. :param words: that stand for a topic of LDA, and the
        most an itemset has. :param seed: of LDA. :param support: the least share of the abstracts, above 0 to 1, that hold a
        frequent itemset, or are a concept's extent; None takes the greatest that gives tens of itemsets.
    :param within: ``text`` counts documents that hold the words in title or abstract, ``abstract`` in the abstract.
    """

    documents: int = 100
    topics: int = 10
    words: int = 3
    seed: int = 1
    support: float | None = None
    within: str = "text"

    def checked(self) -> CoverageOptions:
        """These options. :raises BadArgument: one is outside its range."""
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if not least <= value <= most:
                raise BadArgument(f"{name} is {value}", hint=f"It is {least} to {most}.", sqlstate="IR202")
        if self.support is not None and not 0 < self.support <= 1:
            raise BadArgument(
                f"the support is {self.support:g}", hint="It is a share of the abstracts: above 0, to 1.", sqlstate="IR202"
            )
        if self.within not in WITHIN:
            raise BadArgument(f"words within {self.within!r}", hint=f"Within {' or '.join(WITHIN)}.", sqlstate="IR202")
        return self


@dataclass(frozen=True, order=True)
class Topic:
    """Words that stand for a topic.

    :param place: within its kind, from 1, as found. :param words: whole words, the most telling first.
    :param weight: of LDA the share of the words of the abstracts that are the topic's; else the share of abstracts with all words.
    :param count: documents of the whole corpus that hold all words.
    """

    kind: Kind
    place: int
    words: tuple[str, ...]
    weight: float
    count: int


class WordDocument(NamedTuple):
    """A document that holds some words.

    :param title, abstract: the words stand between U+E000 and U+E001; of the abstract two fragments.
    :param total: how many documents hold them.
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

    :param docs: dblp.id of the nearest abstracts, nearest first. :param support: the least share that itemsets and concepts have.
    :param state: of the corpus that was counted; None where it cannot be told from another. :param notes: what was cut, and why.
    :param seconds: of each step. :param stored: it was there already.
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
        """The topics of a kind by count, the most frequent first; equal counts by weight, then as found."""
        return sorted((one for one in self.topics if one.kind == kind), key=lambda one: (-one.count, -one.weight, one.place))


def marks(counts: Sequence[int]) -> list[str]:
    """For each count ``frequent`` from the third quartile on, ``rare`` up to the first, else nothing.

    Quartiles are numpy's (linear between order statistics) of the counts of one kind. Nothing is marked where both are the same.
    """
    if not counts:
        return []
    first, third = np.quantile(np.asarray(counts, dtype=np.float64), (0.25, 0.75))
    if first == third:
        return [""] * len(counts)
    return [FREQUENT if one >= third else RARE if one <= first else "" for one in counts]
