"""Rank documents for queries: boolean, BM25, dense, feedback and hybrid systems, as SQL functions with the same signature."""

from typing import Literal, get_args

# The systems of the published leaderboard, in its order; 'stc run --all' makes a run of each.
PUBLISHED = ("boolean", "bm25", "dense-title", "dense-abstract", "hybrid")

# The systems of sql/retrieval/system_search.sql.
System = Literal[
    "boolean",
    "conjunctive",
    "conjunctive-passage",
    "bm25",
    "rm3",
    "dense-title",
    "dense-abstract",
    "dense-content",
    "dense-passage",
    "rocchio-title",
    "rocchio-abstract",
    "rocchio-content",
    "hybrid",
]
SYSTEMS: tuple[str, ...] = get_args(System)

# Systems that need a vector of the query.
EMBEDDING = frozenset(SYSTEMS) - {"boolean", "conjunctive", "conjunctive-passage", "bm25", "rm3"}
