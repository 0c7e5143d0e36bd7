"""Check an edition of the judgments against the rules of the track's organisers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.db.simulated import note_simulated
from stcollection.errors import translate


class Verdict(NamedTuple):
    """The result of checking one rule.

    :param verdict: pass, fail, or not asked. :param checked: number of checked queries, documents or judgments.
    :param offenders: those that break the rule, by name.
    """

    rule: str
    verdict: str
    checked: int
    offenders: Sequence[str]


@note_simulated("edition")
@translate()
def check(conn: psycopg.Connection, edition: str, *, relevant: int = 5, rel: int = 1, highest: int = 2) -> list[Verdict]:
    """Check an edition against the rules in sql/qrels/edition_rules.sql.

    :param relevant: minimum number of documents with grade ``rel`` or better per query.
    :param highest: highest allowed grade, if the edition has no mapping of grades.
    :raises UnknownObject: the edition is not stored.
    :raises BadArgument: relevant is below 1.
    """
    with conn.cursor(row_factory=class_row(Verdict)) as cursor:
        return cursor.execute("SELECT * FROM edition_rules(%s, %s, %s, %s)", [edition, relevant, rel, highest]).fetchall()
