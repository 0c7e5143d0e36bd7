"""Find the topics of a text by three methods, and count them over the whole corpus."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import psycopg
from psycopg.types.json import Jsonb

from stcollection.db.idle import Caller, call_here
from stcollection.db.rows import records
from stcollection.errors import translate
from stcollection.studies.coverage.itemsets import itemsets
from stcollection.studies.coverage.lattice import concepts
from stcollection.studies.coverage.lda import topics
from stcollection.studies.coverage.near import nearest, words_of
from stcollection.studies.coverage.records import Coverage, CoverageOptions, Kind, Topic, WordDocument
from stcollection.vectors.model import Encoder

OnStep = Callable[[str], None]
STEPS = ("nearest abstracts", "words", "LDA", "itemsets", "concepts", "count")


def cover(
    conn: psycopg.Connection,
    text: str,
    *,
    options: CoverageOptions = CoverageOptions(),  # noqa: B008
    model: str | Encoder | None = None,
    near: tuple[str, list[int]] | None = None,
    on_step: OnStep | None = None,
    call: Caller = call_here,
) -> Coverage:
    """Find the topics of a text by LDA, frequent itemsets and formal concepts of its nearest abstracts, and count each.

    :param near: the result of :func:`nearest`, if already known.
    :param on_step: called with the name of each step as it starts (one of STEPS); an exception from it ends the work.
    :param call: calls the functions that find topics.
    :raises BadArgument: an option is outside its range, or the text is blank.
    :raises StateError: there are no vectors of abstracts, the abstracts have no words, or there are fewer abstracts than topics.
    """
    options = options.checked()
    seconds: dict[str, float] = {}

    @contextmanager
    def step(name: str) -> Iterator[None]:
        if on_step is not None:
            on_step(name)
        began = time.perf_counter()
        yield
        seconds[name] = time.perf_counter() - began

    with step("nearest abstracts"):
        name, docs = near or nearest(conn, text, documents=options.documents, model=model)
    with step("words"):
        counts = words_of(conn, docs, options=options, call=call)
    with step("LDA"):
        by_lda = call(topics, counts, topics=options.topics, words=options.words, seed=options.seed)
    with step("itemsets"):
        by_itemsets, support, notes = call(itemsets, counts, words=options.words, support=options.support)
    with step("concepts"):
        by_concepts, omitted = call(concepts, counts, support=support)
    kinds: tuple[tuple[Kind, list[tuple[tuple[str, ...], float]]], ...] = (
        ("lda", by_lda), ("itemset", by_itemsets), ("concept", by_concepts),
    )  # fmt: skip
    with step("count"):
        totals = iter(count_documents(conn, [words for _, rows in kinds for words, _ in rows], within=options.within))
        state = state_of(conn)
    rows = [
        Topic(kind, place, words, weight, next(totals)) for kind, part in kinds for place, (words, weight) in enumerate(part, 1)
    ]
    return Coverage(
        text=text,
        model=name,
        options=options,
        docs=docs,
        topics=rows,
        support=support,
        state=state,
        notes=notes + omitted,
        seconds=seconds,
    )


@translate()
def count_documents(conn: psycopg.Connection, words: Sequence[Sequence[str]], *, within: str = "text") -> list[int]:
    """Count, for each set of words, the documents of the corpus that contain all of them; by the GIN index, in one statement.

    :param within: ``text`` or ``abstract``.
    :raises BadArgument: a string is not a word.
    """
    rows = conn.execute(
        "SELECT count FROM stc.coverage_counts(%s, %s) ORDER BY place", [Jsonb([list(group) for group in words]), within]
    ).fetchall()
    return [count for (count,) in rows]


@translate()
def state_of(conn: psycopg.Connection) -> str | None:
    """Return the state of the corpus, by its text index; None if the index is stale or missing."""
    row = conn.execute("SELECT stc.coverage_state()").fetchone()
    return None if row is None else row[0]


@translate()
def find_documents(conn: psycopg.Connection, words: Sequence[str], *, k: int = 20, within: str = "text") -> list[WordDocument]:
    """Return the first documents that contain all of some words, best first.

    :param within: ``text`` or ``abstract``.
    :raises BadArgument: a string is not a word, or k is below 1.
    """
    return records(conn, WordDocument, "SELECT * FROM stc.coverage_documents(%s::text[], %s, %s)", [list(words), k, within])
