"""Reservations of documents, so that two pages of one annotator show different documents.

A terminal reserves its document by a lock of its database session (sql/qrels/assessment_lock.sql). Pages share connections, so the
server process records here which page shows which document. This is only a convenience: if two pages show the same document, the
second decision is rejected (sql/qrels/assess_seen.sql).
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Holder:
    """The browser window that reserves a document.

    :param window: id of the browser window; survives a reload. :param session: id of the page's session; does not.
    """

    window: str
    session: str


@dataclass
class Hands:
    """The reserved documents of all sheets, by (pool, annotator, token)."""

    held: dict[tuple[str, str, str], Holder] = field(default_factory=dict)

    def elsewhere(self, pool: str, annotator: str, holder: Holder) -> list[str]:
        """Return the tokens of a sheet that other windows have reserved."""
        return [
            token for (of, by, token), one in self.held.items() if (of, by) == (pool, annotator) and one.window != holder.window
        ]

    def take(self, pool: str, annotator: str, token: str, holder: Holder) -> bool:
        """Reserve a document and release all others. Return False if another window has reserved it."""
        key = (pool, annotator, token)
        if key in self.held and self.held[key].window != holder.window:
            return False
        self.let_go(holder)
        self.held[key] = holder
        return True

    def let_go(self, holder: Holder) -> None:
        """Release the documents of a page, but not those its window has reserved since a reload."""
        for key in [key for key, one in self.held.items() if one == holder]:
            del self.held[key]
