"""Formal concepts of the abstracts (Wille 1982): sets of abstracts and of words of which each determines the other.

The lattice is the ``concepts`` library's. What is told of it is the iceberg (Stumme et al., Data & Knowledge Engineering 42, 2002):
concepts of at least so many abstracts, whose words are exactly the closed frequent itemsets.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stcollection.analysis.coverage.itemsets import frequent
from stcollection.analysis.coverage.near import Words

Found = tuple[tuple[str, ...], float]  # intent, extent as a share of the abstracts

ATTRIBUTES = 30  # the most words of a context
CONCEPTS = 400  # the most concepts of a lattice: the number grows exponentially, the time with it
SHOWN = 50  # the most that are counted over the corpus


def concepts(found: Words, *, support: float) -> tuple[list[Found], list[str]]:
    """Concepts with at least one word and that support: by extent, then the larger intent, then the alphabet; and what was cut."""
    documents = len(found.times)
    least = max(1, round(support * documents))
    columns = frequent(found, least, ATTRIBUTES)
    notes = []
    if len(fitting := columns[: fit(found, columns.tolist())]) < len(columns):
        notes.append(
            f"the lattice has the {len(fitting)} most frequent words of {len(columns)}: with more it would have over {CONCEPTS} concepts"
        )
    if not len(fitting):
        return [], notes
    from concepts import Context

    names = [found.words[at] for at in fitting]
    objects = [str(place) for place in range(1, documents + 1)]
    # An attribute must not have the name of an object: numbers are those of objects, words have a letter.
    lattice = Context(objects, names, [tuple(map(bool, row)) for row in found.held[:, fitting]]).lattice
    order = {name: place for place, name in enumerate(names)}
    rows = [
        (tuple(sorted(one.intent, key=order.__getitem__)), len(one.extent) / documents)
        for one in lattice
        if one.intent and len(one.extent) >= least
    ]
    rows.sort(key=lambda row: (-row[1], -len(row[0]), [word.encode() for word in row[0]]))
    if len(rows) > SHOWN:
        notes.append(f"of {len(rows):,} concepts of that support the {SHOWN} of the largest extents are counted")
    return rows[:SHOWN], notes


def fit(found: Words, columns: Sequence[int]) -> int:
    """How many of some columns, the first ones, make a lattice of at most :data:`CONCEPTS`; fewer words never make more concepts."""
    low, high = 0, len(columns)
    while low < high:
        middle = (low + high + 1) // 2
        if _few(found, columns[:middle]):
            low = middle
        else:
            high = middle - 1
    return low


def _few(found: Words, columns: Sequence[int]) -> bool:
    """Whether the context of these columns has at most :data:`CONCEPTS`: its intents are the intersections of its rows."""
    bits = found.held[:, columns] @ (1 << np.arange(len(columns), dtype=np.int64))
    intents = {(1 << len(columns)) - 1}
    for row in set(bits.tolist()):
        intents |= {row & one for one in intents}
        if len(intents) > CONCEPTS:
            return False
    return True


def covers(intents: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """The cover relation of concepts by their intents, as places in ``intents``: the one above has fewer words, none is between."""
    sets = [frozenset(one) for one in intents]
    below = {above: [place for place, one in enumerate(sets) if sets[above] < one] for above in range(len(sets))}
    return [
        (above, under)
        for above, some in below.items()
        for under in some
        if not any(sets[between] < sets[under] for between in some)
    ]
