"""A Model Context Protocol server: assistants search, read, score and compare, without the right to change anything.

``login`` finds or creates a login with the rights of a reader; ``answers`` runs one query with it. ``statements`` has
the SQL of each tool, ``tools`` the tools, ``http`` the HTTP transport; ``server`` runs the server. The extra ``mcp`` installs the
package ``mcp``; only ``tools``, ``http`` and ``server`` import it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class AnswerLimits:
    """Limits of each tool call.

    :param rows: rows per answer. :param size: bytes per answer, as JSON. :param seconds: time of a statement.
    :param at_once: calls that run at the same time; further ones wait.
    :param characters: length of an SQL text; other arguments have smaller limits. :param body: bytes of an HTTP request.
    """

    rows: int = 200
    size: int = 200_000
    seconds: float = 10.0
    at_once: int = 4
    characters: int = 20_000
    body: int = 2**20
