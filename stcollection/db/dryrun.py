"""Print the statements of an upgrade that is rolled back: ``stc db upgrade --dry-run``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import psycopg

Tell = Callable[[str], None]

# Statements that only read, and settings of the transaction; setval writes.
_READS = re.compile(r"\s*(?:SELECT(?!\s+(?:pg_catalog\.)?setval)|SHOW|WITH|SET LOCAL|LOCK)\b", re.IGNORECASE)
# Prefix of notices that the functions of sql/db/ send before executing a statement.
_SAID = "stc: "


class Undone(Exception):
    """Raised at the end of a dry run to roll back the transaction. :ivar result: the result of the upgrade."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result


def record(conn: psycopg.Connection, tell: Tell) -> None:
    """Call ``tell`` with every writing statement of the connection, with its parameters, before it is executed."""

    class Recorder(psycopg.Cursor[Any]):
        def execute(self, query: Any, params: Any = None, **keywords: bool | None) -> Any:
            self._tell(query, params)
            return super().execute(query, params, **keywords)

        def executemany(self, query: Any, params_seq: Iterable[Any], **keywords: bool) -> None:
            rows = list(params_seq)
            for row in rows:
                self._tell(query, row)
            super().executemany(query, rows, **keywords)

        def _tell(self, query: Any, params: Any) -> None:
            text = psycopg.ClientCursor(self.connection).mogrify(query, params).strip().rstrip(";")
            if not _READS.match(re.sub(r"--[^\n]*\n", "", text)):
                tell(f"{text};")

    def heard(diagnostic: psycopg.errors.Diagnostic) -> None:
        message = diagnostic.message_primary or ""
        if message.startswith(_SAID):
            tell(f"{message.removeprefix(_SAID)};")

    conn.cursor_factory = Recorder
    conn.add_notice_handler(heard)


def hear(conn: psycopg.Connection) -> None:
    """Make the functions of sql/db/ report the statements they execute, until the transaction ends."""
    conn.execute("SET LOCAL client_min_messages = debug1")
