"""Labels of a language model that assessors of a pool may see on the page (sql/qrels/label_pool.sql)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.errors import translate


class ShownLabel(NamedTuple):
    """The grade of a language model for a document. :param judge: its name."""

    token: str
    rel: int
    judge: str


@translate()
def show_labels(
    conn: psycopg.Connection,
    pool: str,
    *,
    edition: str | None,
    judge: str | None = None,
    beside: bool = False,
    hidden: bool = False,
) -> None:
    """Let assessors of a pool see the grades of a language model on the page.

    :param edition: None shows no labels. :param judge: its annotator name in the edition; None if there is only one.
    :param beside: next to the document, instead of after the assessor's own decision.
    :param hidden: also while the edition is hidden.
    :raises UnknownObject: the pool or the edition is not stored.
    :raises BadArgument: no such judge, several judges, or the edition is hidden and ``hidden`` is False.
    """
    with conn.transaction():
        conn.execute("SELECT stc.label_pool(%s, %s, %s, %s, %s)", [pool, edition, judge, beside, hidden])


@translate()
def labels_of(conn: psycopg.Connection, pool: str, annotator: str, tokens: Sequence[str]) -> dict[str, ShownLabel]:
    """Return the labels that an annotator may see now, by token."""
    with conn.cursor(row_factory=class_row(ShownLabel)) as cursor:
        labels = cursor.execute("SELECT * FROM stc.sheet_labels(%s, %s, %s)", [pool, annotator, list(tokens)]).fetchall()
    return {label.token: label for label in labels}
