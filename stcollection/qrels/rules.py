"""The rules of the track's organisers on an edition of the judgments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.errors import translate


class Verdict(NamedTuple):
    """The result of checking one rule.

    :param verdict: pass, fail, or not asked. :param checked: how many queries, documents or judgments.

    :param offenders: by name.
    """

    rule: str
    verdict: str
    checked: int
    offenders: Sequence[str]


@translate()
def check(conn: psycopg.Connection, edition: str, *, relevant: int = 5, rel: int = 1, highest: int = 2) -> list[Verdict]:
    """Check an edition (sql/qrels/edition_rules.sql says what each rule asks).

    :param relevant: documents of grade rel or better that each query must reach.
    :param highest: the grades are 0 to this one, where the edition has no mapping of grades.
    :raises UnknownObject: there is no such edition.
    :raises BadArgument: relevant is below 1.
    """
    with conn.cursor(row_factory=class_row(Verdict)) as cursor:
        return cursor.execute("SELECT * FROM edition_rules(%s, %s, %s, %s)", [edition, relevant, rel, highest]).fetchall()
