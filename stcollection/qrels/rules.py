"""Check an edition of the judgments against the rules of the track's organisers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import psycopg

from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, declare
from stcollection.errors import translate
from stcollection.qrels.parameters import ReadEdition


class Verdict(NamedTuple):
    """The result of checking one rule.

    :param verdict: pass, fail, or not asked. :param checked: number of checked queries, documents or judgments.
    :param offenders: those that break the rule, by name.
    """

    rule: str
    verdict: str
    checked: int
    offenders: Sequence[str]


@declare
@note_simulated("edition")
@translate()
def check(
    conn: psycopg.Connection,
    edition: ReadEdition,
    *,
    relevant: Annotated[int, AllowedRange(ge=1), Option("--min-relevant")] = 5,
    rel: Annotated[int, Option("--min-grade")] = 1,
    highest: int = 2,
) -> list[Verdict]:
    """Check an edition against the rules in sql/qrels/edition_rules.sql.

    :param relevant: Smallest number of relevant documents per query.
    :param rel: Lowest grade that counts as relevant.
    :param highest: Highest grade of the scale, which starts at 0; for an edition whose grades were not mapped.
    :raises UnknownObject: the edition is not stored.
    :raises BadArgument: relevant is below 1.
    """
    return records(conn, Verdict, "SELECT * FROM edition_rules(%s, %s, %s, %s)", [edition, relevant, rel, highest])
