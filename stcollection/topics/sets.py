"""Sets of queries: expressions such as ``type:long-topic:G1*`` (sql/topics/query_set.sql), and sets stored under a name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, NamedTuple

from stcollection.declared import Option
from stcollection.errors import BadInput, StcError, translate
from stcollection.io.files import read_text

if TYPE_CHECKING:
    import psycopg

ALL = "all"
Queries = str | Sequence[str]  # an expression, or names of queries
SETS = "query ids, a stored set, type:long, origin:t5, topic:G*, @FILE with one id per line; a+b, a-b"
# A quoted name, or the path after an @ at the start of a term. A path may be quoted too.
_FILES = re.compile(r'("(?:[^"]|"")*")|(^|(?<=[,+-]))(\s*)@(?:"([^"]+)"|([^,"]+))')


class QuerySet(NamedTuple):
    """A stored set of queries.

    :param queries: number of queries; None if the expression now names nothing.
    """

    name: str
    expression: str
    queries: int | None
    description: str | None
    added: datetime


class StoredSet(NamedTuple):
    """The outcome of storing a set.

    :param queries: number of queries. :param replaced: True if the name had another expression before.
    """

    queries: int
    replaced: bool


def expression(queries: Queries) -> str:
    """Return a set of queries as an expression for the database: names as a list, ``@FILE`` as the names in the file.

    Call it for what the user of this process typed, never for text from elsewhere: it reads files.

    :raises BadInput: a file cannot be read or is empty.
    """
    if isinstance(queries, str):
        return _FILES.sub(_names_in, queries)
    return ",".join(_quoted(name) for name in queries)


def set_option(*names: str) -> Option:
    """Return the declaration of a parameter that restricts a function to the queries of a set."""
    return Option(
        *names,
        metavar="SET",
        help=f"Use only the queries of a set: {SETS}.",
        files=", @FILE with one id per line",
        default="all",
        reads=expression,
        completed="queries",
    )


OF_SET = set_option()
SetExpression = Annotated[str, OF_SET]


def titled(title: str, queries: str) -> str:
    """Return a title with the set of queries in parentheses, shortened; unchanged for all queries."""
    return title if queries == ALL else f"{title} ({shorten(queries, 40, placeholder='…')})"


@translate()
def members(conn: psycopg.Connection, queries: Annotated[Queries, OF_SET] = ALL) -> list[str]:
    """Return the names of the queries of a set, sorted as bytes. Files that it names are read by the caller (:func:`expression`).

    :raises UnknownObject: a part of the expression names no query. :raises BadArgument: the expression is not complete.
    """
    return [name for (name,) in conn.execute("SELECT query FROM query_set(%s)", [_written(queries)])]


def _written(queries: Queries) -> str:
    return queries if isinstance(queries, str) else expression(queries)


@translate()
def store_set(
    conn: psycopg.Connection,
    name: Annotated[str, Option("NAME")],
    queries: Annotated[Queries, Option("SET", reads=expression)],
    *,
    description: Annotated[str | None, Option(metavar="TEXT", default="keep the stored description")] = None,
) -> StoredSet:
    """Store a set under a name, or change the one with this name (sql/topics/store_query_set.sql).

    The expression is evaluated when the set is used, so the set includes queries that are loaded later.

    >>> c.topics.set("hard", "type:long-topic:G1*", description="long queries without the first topics")

    :param description: Purpose of the set.
    :raises UnknownObject: a part of the expression names no query.
    :raises BadArgument: the name cannot be used, or the set would contain itself.
    :raises StateError: the role may not store sets.
    """
    given = [name, _written(queries), description]
    row = conn.execute("SELECT queries, replaced FROM stc.store_query_set(%s, %s, %s)", given).fetchone()
    return StoredSet(*row or (0, False))


@translate()
def drop_set(conn: psycopg.Connection, name: Annotated[str, Option("NAME")]) -> None:
    """Remove a stored set; its queries stay.

    :raises UnknownObject: there is no such set. :raises StateError: the role may not remove sets.
    """
    conn.execute("SELECT stc.drop_query_set(%s)", [name])


@translate()
def query_sets(conn: psycopg.Connection) -> list[QuerySet]:
    """Return the stored sets, by name."""
    rows = conn.execute("SELECT name, expression, description, added FROM stc.query_sets ORDER BY name").fetchall()
    return [QuerySet(name, text, _size(conn, name), *rest) for name, text, *rest in rows]


def _size(conn: psycopg.Connection, name: str) -> int | None:
    try:
        with conn.transaction():
            return len(members(conn, _quoted(name)))
    except StcError:
        return None


def _names_in(match: re.Match[str]) -> str:
    """Return the names in the file that a match names, and what follows the path; other matches unchanged."""
    if match[1] is not None:
        return match[1]
    path, rest = (match[4], "") if match[4] is not None else _longest(match[5])
    names = [line.strip() for line in read_text(Path(path)).splitlines() if line.strip()]
    if not names:
        raise BadInput(f"{path}: contains no query", hint="Write one query name per line.")
    return f"{match[3]}{expression(names)}{rest}"


def _longest(text: str) -> tuple[str, str]:
    """Split text into the longest path of an existing file that ends before an operator, and the rest."""
    ends = [len(text), *(match.start() for match in reversed(list(re.finditer(r"[+-]", text))))]
    end = next((end for end in ends if Path(text[:end].strip()).is_file()), len(text))
    return text[:end].strip(), text[end:]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
