"""Policies for importing runs: duplicates, and documents and queries that are not in the collection."""

from __future__ import annotations

ON_DUPLICATE = ("error", "first", "best")
UNKNOWN = ("stub", "skip", "error")
UNKNOWN_OR_FEW = ("few", *UNKNOWN)
