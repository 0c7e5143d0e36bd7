"""Ranking documents for queries: boolean, BM25, dense and hybrid, by SQL functions of one shape."""

# What sql/retrieval/system_search.sql knows, in the order of the published leaderboard.
SYSTEMS = ("boolean", "bm25", "dense-title", "dense-abstract", "hybrid")

# Those that need the query's vector.
EMBEDDING = frozenset({"dense-title", "dense-abstract", "hybrid"})
