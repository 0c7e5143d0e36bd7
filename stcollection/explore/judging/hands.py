"""Which document is in whose hand, so that two pages of one annotator get different ones.

What a terminal shows is held by a lock of its session (sql/qrels/assessment_lock.sql). A page has no session of the database: its
connections are shared. So what pages show is noted here, in the process that serves them. It is a courtesy and no safeguard: where
two do show the same document, the second decision is refused (sql/qrels/assess_seen.sql).
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Holder:
    """The browser window that holds a sheet.

    :param window: of the browser; it stays the same when the page is loaded again. :param session: of the page; it does not.
    """

    window: str
    session: str


@dataclass
class Hands:
    """Who holds which document of which sheet, as (pool, annotator, token)."""

    held: dict[tuple[str, str, str], Holder] = field(default_factory=dict)

    def elsewhere(self, pool: str, annotator: str, holder: Holder) -> list[str]:
        """The tokens of a sheet that other windows hold."""
        return [
            token for (of, by, token), one in self.held.items() if (of, by) == (pool, annotator) and one.window != holder.window
        ]

    def take(self, pool: str, annotator: str, token: str, holder: Holder) -> bool:
        """Hold a document, and let go of all others; False where another window holds it."""
        key = (pool, annotator, token)
        if key in self.held and self.held[key].window != holder.window:
            return False
        self.let_go(holder)
        self.held[key] = holder
        return True

    def let_go(self, holder: Holder) -> None:
        """Let go of what a page holds; not of what its window, loaded again, has taken since."""
        for key in [key for key, one in self.held.items() if one == holder]:
            del self.held[key]
