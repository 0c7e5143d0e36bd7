"""Counts of a removal of documents or queries: removed rows, stubs, and dependent rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import LiteralString, NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.counts import counted
from stcollection.errors import BadArgument
from stcollection.plugins import tables

# Names for the rows of tables. The table of another model's vectors has the model's name as suffix.
_NAMES = {
    "annotations": "annotations",
    "ask_rankings": "rankings of score requests",
    "citation_ranks": "citation percentiles",
    "dblp_passages": "passages",
    "dblp_v": "embeddings",
    "llm_answers": "answers of language models",
    "qrels_judgments": "judgments",
    "qrels_pool_documents": "pool entries",
    "qrels_pool_undrawn": "pool entries that were not drawn",
    "qrels_preferences": "preferences",
    "qrels_strata": "documents of strata",
    "qrels_subtopics": "subtopic judgments",
    "query_cuts": "excluded queries",
    "st1_complexity_metrics": "readability measures",
    "st1_queries": "queries made from them",
    "st1_rankings": "ranked documents",
    "st1_scores": "imported scores",
}


class Dependent(NamedTuple):
    """Rows of a table that refer to removed rows.

    :param keeps: True if they stay and keep the row they refer to as a stub; otherwise they are removed with it.
    :param names: the editions or runs they belong to.
    """

    relation: str
    keeps: bool
    rows: int
    names: list[str]

    @property
    def what(self) -> str | None:
        """The name of the rows; None for internal rows."""
        if self.relation.startswith("dblp_v_"):
            return f"embeddings ({self.relation.removeprefix('dblp_v_')})"
        of_studies = {table.name: table.rows for table in tables()}
        return _NAMES.get(self.relation) or of_studies.get(self.relation)


@dataclass(frozen=True, kw_only=True)
class Removal:
    """Counts of a removal, performed or (under ``dry_run``) planned.

    :param removed: removed documents or queries. :param kept: those that stay as stubs because judgments, runs or other records
        refer to them.
    :param shared: those that stay because another loaded file contains them.
    :param files: paths of the files removed from the ledger.
    :param dependents: rows that refer to them; only for a preview.
    :param stale: True if the text index must be rebuilt.
    """

    removed: int
    kept: int
    shared: int
    files: tuple[str, ...] = ()
    dependents: tuple[Dependent, ...] = ()
    stale: bool = False


def count_staged(conn: psycopg.Connection, parent: str) -> tuple[int, int, tuple[Dependent, ...]]:
    """Count the rows of the temporary table ``removal`` to remove and to keep as stubs, and the rows that refer to them."""
    with conn.cursor(row_factory=class_row(Dependent)) as cursor:
        dependents = tuple(cursor.execute("SELECT * FROM stc.removal_dependents(%s)", [parent]).fetchall())
    counts: LiteralString = "SELECT count(*) FILTER (WHERE NOT kept), count(*) FILTER (WHERE kept) FROM pg_temp.removal"
    [(removed, kept)] = conn.execute(counts).fetchall()
    return removed, kept, dependents


def check_choice(*ways: object, hint: str) -> None:
    """Check that exactly one selection is given. :raises BadArgument: none, or several."""
    if sum(map(bool, ways)) != 1:
        raise BadArgument(f"{counted(sum(map(bool, ways)), 'selection')} of what to remove; give exactly one", hint=hint)
