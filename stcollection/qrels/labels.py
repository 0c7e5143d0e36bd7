"""Labels of a language model that assessors of a pool may see on the page (sql/qrels/label_pool.sql)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import psycopg

from stcollection.db.rows import records
from stcollection.declared import INTERNAL, Option
from stcollection.errors import translate
from stcollection.qrels.parameters import PoolName


class ShownLabel(NamedTuple):
    """The grade of a language model for a document. :param judge: its name."""

    token: str
    rel: int
    judge: str


@translate()
def show_labels(
    conn: psycopg.Connection,
    pool: PoolName,
    *,
    edition: Annotated[str | None, INTERNAL],
    judge: Annotated[str | None, Option(metavar="NAME", default="the only one")] = None,
    beside: bool = False,
    hidden: Annotated[bool, Option("--show-hidden")] = False,
) -> None:
    """Let assessors of a pool see the grades of a language model on the page.

    :param edition: None shows no labels.
    :param judge: Name of the model in the edition.
    :param beside: Show the label next to the document, not only after the assessor's own decision.
    :param hidden: Show the labels even while the edition is hidden.
    :raises UnknownObject: the pool or the edition is not stored.
    :raises BadArgument: no such judge, several judges, or the edition is hidden and ``hidden`` is False.
    """
    with conn.transaction():
        conn.execute("SELECT stc.label_pool(%s, %s, %s, %s, %s)", [pool, edition, judge, beside, hidden])


@translate()
def labels_of(
    conn: psycopg.Connection, pool: str, annotator: str, tokens: Sequence[str], query: str | None = None
) -> dict[str, ShownLabel]:
    """Return the labels that an annotator may see now, by token. :param query: of all tokens; only it is then read."""
    labels = records(conn, ShownLabel, "SELECT * FROM stc.sheet_labels(%s, %s, %s, %s)", [pool, annotator, list(tokens), query])
    return {label.token: label for label in labels}
