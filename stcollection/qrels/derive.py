"""Editions made from other editions: by precedence, by a rule for several annotators, by another scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import class_row

from stcollection.errors import translate
from stcollection.moved import grouped
from stcollection.qrels.editions import NOTHING_SAID, EditionFacts, as_scale, describe

RULES = ("first", "majority", "median", "max", "min")


@dataclass(frozen=True, kw_only=True)
class Derived:
    """A derived edition.

    :param combined: documents that several annotators judged. :param differing: those of them that were not of one mind.
    """

    queries: int
    judgments: int
    combined: int
    differing: int


@grouped(facts=EditionFacts)
@translate()
def derive(
    conn: psycopg.Connection,
    edition: str,
    sources: Sequence[str],
    *,
    rule: str = "first",
    grades: Mapping[int, int] | None = None,
    origins: Sequence[str] | None = None,
    annotators: Sequence[str] | None = None,
    facts: EditionFacts = NOTHING_SAID,
) -> Derived:
    """Make a new edition from one or several others, one judgment a query and document (sql/qrels/derive_edition.sql).

    :param rule: what several annotators of the origin that counts come to: one of RULES.
    :param grades: a mapping ``{theirs: ours}``, done first. :param origins, annotators: that count; None is all.
    :param facts: None of one takes what the sources agree on, and as its description what was done.
    :raises UnknownObject: there is no such source.
    :raises BadArgument: the new edition exists; no such rule; a source named twice; a grade that is not in the mapping.
    :raises StateError: there is no such judgment.
    """
    with conn.transaction(), conn.cursor(row_factory=class_row(Derived)) as cursor:
        row = cursor.execute(
            "SELECT * FROM derive_edition(%s, %s::text[], %s, %s, %s::text[], %s::text[])",
            [
                edition,
                list(sources),
                rule,
                as_scale(grades),
                None if origins is None else list(origins),
                None if annotators is None else list(annotators),
            ],
        ).fetchone()
        if facts != NOTHING_SAID:
            describe(conn, edition, description=facts.description, split=facts.split, year=facts.year)
    assert row is not None  # noqa: S101
    return row
