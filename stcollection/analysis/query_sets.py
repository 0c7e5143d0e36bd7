"""Sets of an edition's judged queries, named as in the SQL function query_set: all, human, synthetic, t5, a+b."""

from __future__ import annotations

ALL = "all"

#: A condition on a column ``query`` of query names. Its parameters are those of :func:`within`.
WITHIN = "(%s = 'all' OR query IN (SELECT q.query FROM st1_queries q WHERE q.id = ANY (stc.query_set(%s, %s))))"


def within(edition: str, which: str) -> list[str]:
    """Return the parameters of WITHIN. :param which: a set; the statement raises BadArgument for an origin that no query has."""
    return [which, edition, which]
