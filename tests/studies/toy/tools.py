"""The tool of the toy study for assistants."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stcollection.mcp.answers import LimitedReader
from stcollection.mcp.tools import ToolAnswer


def tools(reader: LimitedReader, licences: Sequence[str]) -> list[Callable[..., ToolAnswer]]:
    """Return the tool."""

    def count_notes() -> ToolAnswer:
        """Count the notes."""
        found = reader.query("SELECT stc.toy_count()")
        return ToolAnswer(columns=found.columns, rows=found.rows, sql=found.statement)

    return [count_notes]
