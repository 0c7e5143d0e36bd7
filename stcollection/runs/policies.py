"""Policies for importing runs: duplicates, and documents and queries that are not in the collection."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from stcollection.declared import Option

OnDuplicate = Literal["error", "first", "best"]
ON_DUPLICATE: tuple[str, ...] = get_args(OnDuplicate)
UNKNOWN = ("stub", "skip", "error")
UNKNOWN_OR_FEW = ("few", *UNKNOWN)
UNKNOWN_DOCUMENTS = Option(
    "--unknown-docs",
    choices=UNKNOWN_OR_FEW,
    help="How to treat documents that are not in the collection: store their names as stubs, which keeps ranks unchanged "
    "(stub); do so only if they are at most 10 or 10 %, and at most half, and stop otherwise (few); skip their lines; or "
    "stop (error). A collection without documents accepts all.",
)
UNKNOWN_QUERIES = Option(
    choices=UNKNOWN_OR_FEW,
    help="How to treat queries that are not in the collection: store their names as stubs, which keeps ranks unchanged (stub); do "
    "so unless the topics of the collection are others or spell ids in another way, such as 051 for 51 (few); skip their lines; "
    "or stop (error). A collection without topics accepts all.",
)
UnknownDocuments = Annotated[str, UNKNOWN_DOCUMENTS]
UnknownQueries = Annotated[str, UNKNOWN_QUERIES]
