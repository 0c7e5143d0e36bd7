"""Ranking documents for queries: boolean, BM25, dense, feedback and hybrid, by SQL functions of one shape."""

from typing import Literal, get_args

# The published leaderboard's systems, in its order: what a run of all makes.
PUBLISHED = ("boolean", "bm25", "dense-title", "dense-abstract", "hybrid")

# What sql/retrieval/system_search.sql knows.
System = Literal[
    "boolean",
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

# Those that need the query's vector.
EMBEDDING = frozenset(SYSTEMS) - {"boolean", "bm25", "rm3"}
