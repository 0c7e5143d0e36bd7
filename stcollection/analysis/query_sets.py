"""Sets of the judged queries of an edition, as the SQL function query_set names them: all, human, synthetic, t5, a+b."""

from __future__ import annotations

ALL = "all"

#: A condition on a column ``query`` that holds names. Its parameters are those of :func:`within`.
WITHIN = "(%s = 'all' OR query IN (SELECT q.query FROM st1_queries q WHERE q.id = ANY (stc.query_set(%s, %s))))"


def within(edition: str, which: str) -> list[str]:
    """The parameters of WITHIN. :param which: an origin that no query has raises BadArgument where the statement runs."""
    return [which, edition, which]
