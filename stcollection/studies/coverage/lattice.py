"""Formal concepts of the abstracts (Wille 1982): sets of abstracts and of words that determine each other.

The result is the iceberg lattice (Stumme et al., Data & Knowledge Engineering 42, 2002): concepts with a minimum number of
abstracts, whose word sets are exactly the closed frequent itemsets. The whole lattice may be exponential in the number of words.
The ``concepts`` library computes which concept covers which.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stcollection.counts import counted
from stcollection.studies.coverage.itemsets import frequent
from stcollection.studies.coverage.lattice_drawing import Concept, Lattice
from stcollection.studies.coverage.near import Words
from stcollection.studies.coverage.records import Topic

Found = tuple[tuple[str, ...], float]  # intent, extent as a share of the abstracts

ATTRIBUTES = 30  # maximum number of words of a context
CONCEPTS = 2000  # maximum number of concepts to search for
DRAWN = 30  # maximum number of concepts in a readable diagram
SHOWN = 50  # maximum number of concepts counted over the corpus, and drawn


def concepts(counts: Words, *, support: float) -> tuple[list[Found], list[str]]:
    """Return concepts with at least one word and that support, and notes on omitted ones.

    They are sorted by extent, then larger intent, then alphabetically, so a concept comes before those below it.
    """
    documents = len(counts.times)
    least = max(1, round(support * documents))
    columns = frequent(counts, least, ATTRIBUTES)
    extents = [int.from_bytes(np.packbits(counts.held[:, at]).tobytes(), "big") for at in columns]
    notes = []
    low, high, best = 0, len(columns), closed([], least, CONCEPTS) or []
    while low < high:  # fewer words never give more concepts
        middle = high if low == 0 else (low + high + 1) // 2  # usually all words are used
        sets = closed(extents[:middle], least, CONCEPTS)
        if sets is None:
            high = middle - 1
        else:
            low, best = middle, sets
    if low < len(columns):
        notes.append(
            f"concepts use the {counted(low, 'most frequent word')} of {len(columns)}: more would give over"
            f" {CONCEPTS:,} with a support of"
            f" {support:g}"
        )
    rows = [(tuple(counts.words[columns[at]] for at in intent), size / documents) for intent, size in best if intent]
    rows.sort(key=lambda row: (-row[1], -len(row[0]), [word.encode() for word in row[0]]))
    if len(rows) > SHOWN:
        notes.append(f"only the {SHOWN} largest of {counted(len(rows), 'concept')} are counted")
    return rows[:SHOWN], notes


def closed(extents: Sequence[int], least: int, most: int) -> list[tuple[tuple[int, ...], int]] | None:
    """Close-by-One (Kuznetsov 1993): find the closed attribute sets of at least ``least`` objects; None for more than ``most``
    sets.

    :param extents: for each attribute, its objects as bits.
    :returns: sorted attributes, and the number of objects.
    """
    everything = 0
    for objects in extents:
        everything |= objects
    rows: list[tuple[tuple[int, ...], int]] = []
    # Objects without attributes are only in the extent of the top, which is omitted if it has no attribute.
    stack: list[tuple[int, int]] = [(everything, 0)]
    while stack:
        extent, start = stack.pop()
        intent = tuple(at for at, objects in enumerate(extents) if extent & ~objects == 0)
        if extent.bit_count() >= least and intent:
            rows.append((intent, extent.bit_count()))
            if len(rows) > most:
                return None
        for at in range(start, len(extents)):
            if at in intent:
                continue
            smaller = extent & extents[at]
            # Each closed set is reached once: by its first attribute that is not in the set above.
            if smaller.bit_count() >= least and not any(
                smaller & ~extents[earlier] == 0 for earlier in range(at) if earlier not in intent
            ):
                stack.append((smaller, at + 1))
    return rows


def covers(intents: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Return which concepts lie directly above which, as indexes of ``intents``; -1 is the top, which has no words.

    :param intents: those of an iceberg, or its first ones by extent: the intersection of two is one of them, or empty.
    """
    if not intents:
        return []
    from concepts import Context

    words = sorted({word for intent in intents for word in intent}, key=str.encode)
    place = {frozenset(intent): at for at, intent in enumerate(intents)}
    # Objects are named by their indexes: numbers, which never equal a word.
    lattice = Context(
        [str(at) for at in range(len(intents))], words, [tuple(word in intent for word in words) for intent in map(set, intents)]
    )
    edges = []
    for node in lattice.lattice:
        at = place.get(frozenset(node.intent), -1)
        if at >= 0 or not node.intent:
            edges += [(at, place[under]) for under in (frozenset(other.intent) for other in node.lower_neighbors) if under in place]
    return sorted(edges)


def diagram(topics: Sequence[Topic], *, abstracts: int) -> Lattice:
    """Return the first :data:`DRAWN` concepts of a coverage, by place, as a record to draw.

    :param abstracts: number of abstracts of the coverage, the extent of the top.
    """
    rows = sorted(topics, key=lambda topic: topic.place)[:DRAWN]
    return Lattice(
        concepts=[Concept(topic.words, round(topic.weight * abstracts), topic.count) for topic in rows],
        edges=covers([topic.words for topic in rows]),
        abstracts=abstracts,
    )
