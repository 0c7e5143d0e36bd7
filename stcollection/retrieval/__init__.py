"""Rank documents for queries: boolean, BM25, dense, feedback and hybrid systems, as SQL functions with the same signature."""

from typing import Annotated

from stcollection.db.files import folder, toml
from stcollection.declared import Option

# The systems of the published leaderboard, in its order; 'stc run --all' makes a run of each.
PUBLISHED = ("boolean", "bm25", "dense-title", "dense-abstract", "hybrid")

_ROWS = toml(folder("sql") / "retrieval" / "systems.toml")["systems"]

#: Labels of the systems of the product, by name. The view ``systems`` also has those of users.
SYSTEMS: dict[str, str] = {row["system"]: row["title"] for row in _ROWS}

# Those of them that need a vector of the query; stcollection.retrieval.systems.needs_vector knows those of users.
EMBEDDING = frozenset(row["system"] for row in _ROWS if "$3" in row["call"])

#: What must exist before they search: index, passages, and the vectors of one of the fields.
NEEDS: dict[str, list[str]] = {row["system"]: row.get("needs", []) for row in _ROWS}
# Those of them that read sparse vectors, by a model of their own kind.
SPARSE = frozenset(row["system"] for row in _ROWS if "sparse" in row["reads"])

#: The name of a system, of the product or of a user.
System = Annotated[str, Option(listed="show systems", completed="systems")]
