"""Policies for importing runs: duplicates, and documents and queries that are not in the collection."""

from __future__ import annotations

from typing import Literal, get_args

OnDuplicate = Literal["error", "first", "best"]
ON_DUPLICATE: tuple[str, ...] = get_args(OnDuplicate)
Unknown = Literal["stub", "skip", "error"]
UNKNOWN: tuple[str, ...] = get_args(Unknown)
UNKNOWN_OR_FEW = ("few", *UNKNOWN)
