"""What a removal takes along and what it leaves, the same for documents and queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import LiteralString, NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.errors import BadArgument

# What rows of a table are called. A table of another model's vectors has its name behind that of the first one.
_NAMES = {
    "annotations": "annotations",
    "ask_rankings": "rankings of score requests",
    "citation_ranks": "citation percentiles",
    "dblp_passages": "passages",
    "dblp_v": "embeddings",
    "llm_answers": "answers of language models",
    "qrels_judgments": "judgments",
    "qrels_pool_documents": "pool entries",
    "qrels_preferences": "preferences",
    "query_cuts": "excluded queries",
    "st1_complexity_metrics": "readability measures",
    "st1_queries": "queries made from them",
    "st1_rankings": "ranked documents",
    "st1_scores": "imported scores",
    "synth_passages": "documents of studies",
}


class Dependent(NamedTuple):
    """Rows of a table that refer to what is removed.

    :param keeps: they stay, and keep what they refer to as a stub; others are removed with it.
    :param names: the editions or runs they are in.
    """

    relation: str
    keeps: bool
    rows: int
    names: list[str]

    @property
    def what(self) -> str | None:
        """What the rows are called; None for those that nobody asks about."""
        if self.relation.startswith("dblp_v_"):
            return f"embeddings ({self.relation.removeprefix('dblp_v_')})"
        return _NAMES.get(self.relation)


@dataclass(frozen=True, kw_only=True)
class Removal:
    """What is removed, or would be.

    :param removed: documents or queries that are gone. :param kept: those that stay as stubs, since judgments, runs or other
        records name them.
    :param shared: those that stay, since another loaded file has them too.
    :param files: paths of the files that go from the ledger.
    :param dependents: what refers to them; of a preview only.
    :param stale: the text index has to be built again.
    """

    removed: int
    kept: int
    shared: int
    files: tuple[str, ...] = ()
    dependents: tuple[Dependent, ...] = ()
    stale: bool = False


def staged(conn: psycopg.Connection, parent: str) -> tuple[int, int, tuple[Dependent, ...]]:
    """Count the rows of the temporary table ``removal``: those that go, those that stay as stubs; and what refers to them."""
    with conn.cursor(row_factory=class_row(Dependent)) as cursor:
        found = tuple(cursor.execute("SELECT * FROM stc.removal_dependents(%s)", [parent]).fetchall())
    counts: LiteralString = "SELECT count(*) FILTER (WHERE NOT kept), count(*) FILTER (WHERE kept) FROM pg_temp.removal"
    [(removed, kept)] = conn.execute(counts).fetchall()
    return removed, kept, found


def check_choice(*ways: object, hint: str) -> None:
    """Check that exactly one way of naming what is removed was taken. :raises BadArgument: none, or several."""
    if sum(map(bool, ways)) != 1:
        raise BadArgument("name what to remove, in one way", hint=hint)
