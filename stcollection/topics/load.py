"""Load topics and queries into the collection."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, LiteralString

import psycopg

from stcollection.cells import HtmlFields
from stcollection.declared import INTERNAL, Option
from stcollection.errors import BadInput, translate
from stcollection.io.corpus.fields import DEFAULT, FieldNames
from stcollection.io.files import bad_line, clip, sha256
from stcollection.io.places import is_file, place
from stcollection.io.streams import STDIN
from stcollection.io.topics.queries import FIELDS, NUMBERS, QueryRecord, read_queries
from stcollection.io.topics.spelling import other_spellings
from stcollection.topics.excluded import exclude

SEARCHED = 10_000  # characters of a query that searches of words read (sql/retrieval/tidy_query.sql)
ON_DUPLICATE = ("error", "first", "last")
Named = dict[str, tuple[Path, QueryRecord]]
_OF_QUERY = ("text", "topic")
_OF_TOPIC = ("topic_text", "url", "abstract_url", "topic_title", "article", "source", "published")
STORE_TOPICS: LiteralString = (
    "SELECT * FROM stc.load_topics(%s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[],"
    " %s::date[], %s::text[], %s)"
)


@dataclass(frozen=True, kw_only=True)
class LoadedTopics(HtmlFields):
    """Counts of a load of topics and queries.

    :param formats: format of each file.
    :param queries: distinct queries in the files. :param duplicates: further texts for the same query, dropped.
    :param filled: stubs that received their text. :param changed: replaced texts, topics or origins.
    :param gone: stored queries from an earlier version of a file that the file no longer contains.
    :param earlier: SHA-256 of these earlier versions.
    :param apart: queries of judgments and runs without text, each with the query of the files that is spelled in another way:
        ``{"51": "051"}``.
    :param long: names of queries of more than SEARCHED characters, of which searches of words read the beginning.
    :param excluded: documents that the files leave out for queries (``excluded_ids``), of which ``lacking`` more are not stored.
    """

    formats: list[str]
    topics: int
    queries: int
    duplicates: int
    added: int
    filled: int
    changed: int
    added_topics: int
    changed_topics: int
    gone: int = 0
    earlier: tuple[str, ...] = ()
    apart: Mapping[str, str] = dataclasses.field(default_factory=dict)
    long: tuple[str, ...] = ()
    excluded: int = 0
    lacking: int = 0


class _ReadFile:
    """A file with the names of its queries and topics, to be recorded in the ledger."""

    def __init__(self, path: Path, how: str) -> None:
        self._place, self._format = place(path), how
        self._sha256 = sha256(path) if is_file(path) and self._place != STDIN else None
        self._queries: dict[str, None] = {}
        self._topics: dict[str, None] = {}

    def add(self, query: QueryRecord) -> None:
        for names, name in ((self._queries, query.query), (self._topics, query.topic)):
            if name is not None:
                names[name] = None

    def record(self, conn: psycopg.Connection) -> tuple[int, str] | None:
        """Record the file in the ledger. :returns: number of queries that only the earlier version has, and its SHA-256."""
        row = conn.execute(
            "SELECT gone, earlier FROM stc.record_topic_file(%s, %s, %s, %s::text[], %s::text[])",
            [self._place, self._sha256, self._format, list(self._queries), list(self._topics)],
        ).fetchone()
        return row if row is not None and row[1] is not None else None


@translate()
def load(
    conn: psycopg.Connection,
    paths: Annotated[Sequence[Path], INTERNAL],
    *,
    layout: Annotated[str | None, INTERNAL] = None,
    field: Annotated[str, Option(choices=FIELDS)] = "title",
    number: Annotated[
        str | None,
        Option(choices=NUMBERS, default="position if the .I are zero-padded and have gaps, as in Cranfield; else .I"),
    ] = None,
    fields: Annotated[FieldNames, INTERNAL] = DEFAULT,
    origin: Annotated[str | None, Option(metavar="NAME", default="human for new queries; others are unchanged")] = None,
    on_duplicate: Annotated[str, Option(choices=ON_DUPLICATE)] = "error",
    replace: bool = False,
) -> LoadedTopics:
    """Store the topics and queries of files, all or none; loading the same files again changes nothing.

    ``layout`` and ``fields`` are as for :func:`~stcollection.io.topics.queries.read_queries`.

    :param field: Part of a TREC topic that becomes the query.
    :param number: Name of a SMART query: its .I or its position.
    :param origin: Origin of the queries, such as gpt-4.
    :param on_duplicate: If the files have two texts for one query: stop, or use the first or the last.
    :param replace: Replace stored texts that differ; otherwise that is an error.
    :raises BadInput: an invalid file or line; a query with two texts, in the files or in the collection.
    """
    formats: list[str] = []
    queries: Named = {}
    topics: Named = {}
    files: list[_ReadFile] = []
    duplicates = 0
    for path in paths:
        how, records = read_queries(path, layout=layout, field=field, number=number, fields=fields)
        formats.append(how)
        files.append(_ReadFile(path, how))
        for query in records:
            files[-1].add(query)
            for seen, name, attributes in ((queries, query.query, _OF_QUERY), (topics, query.topic, _OF_TOPIC)):
                other = None if name is None else _keep(seen, name, path, query, attributes)
                if name is None or other is None:
                    continue
                if on_duplicate == "error":
                    raise _two(path, query, f"{'query' if seen is queries else 'topic'} {name}", other, seen[name])
                if on_duplicate == "last":
                    seen[name] = (path, query)
                duplicates += seen is queries
    with conn.transaction():
        added_topics, changed_topics = call_loader(
            conn,
            STORE_TOPICS,
            [
                (name, *(getattr(topic, attribute) for attribute in _OF_TOPIC), f"{path}:{topic.line}")
                for name, (path, topic) in topics.items()
            ],
            [replace],
        )
        added, filled, changed = call_loader(
            conn,
            "SELECT * FROM stc.load_queries(%s::text[], %s::text[], %s::text[], %s::text[], %s, %s)",
            [(name, query.topic, query.text, f"{path}:{query.line}") for name, (path, query) in queries.items()],
            [origin, replace],
        )
        excluded = exclude(
            conn,
            (
                (name, docno, f"{path}:{query.line}")
                for name, (path, query) in queries.items()
                for docno in (() if query.excluded is None else query.excluded or (None,))
            ),
        )
        gone = [earlier for file in files if (earlier := file.record(conn)) is not None]
        stubs = [query for (query,) in conn.execute("SELECT query FROM st1_queries WHERE text IS NULL ORDER BY query")]
    return LoadedTopics(
        formats=formats,
        topics=len(topics),
        queries=len(queries),
        duplicates=duplicates,
        added=added,
        filled=filled,
        changed=changed,
        added_topics=added_topics,
        changed_topics=changed_topics,
        gone=sum(count for count, _ in gone),
        earlier=tuple(earlier for count, earlier in gone if count),
        apart=other_spellings(stubs, queries),
        excluded=excluded.documents,
        lacking=excluded.unknown,
        long=tuple(name for name, (_, query) in queries.items() if len(query.text) > SEARCHED),
    )


def _keep(seen: Named, name: str, path: Path, new: QueryRecord, attributes: Sequence[str]) -> str | None:
    """Keep the first query (or topic) with a name; a second may repeat its attributes or add missing ones.

    :returns: the attribute in which they differ, or None.
    """
    old_path, old = seen.setdefault(name, (path, new))
    for attribute in attributes:
        before, after = getattr(old, attribute), getattr(new, attribute)
        if before is None and after is not None:
            old = dataclasses.replace(old, **{attribute: after})
            seen[name] = (old_path, old)
        elif after is not None and before != after:
            return attribute
    return None


def _two(path: Path, new: QueryRecord, what: str, attribute: str, earlier: tuple[Path, QueryRecord]) -> BadInput:
    old_path, old = earlier
    before, after = (clip(getattr(record, attribute)) for record in (old, new))
    return bad_line(
        path,
        new.line,
        f"{what} has the {attribute} {after}, but {before} in {old_path}:{old.line}",
        hint="Use --on-duplicate first or last to keep one of the two. Nothing was stored.",
        sqlstate="IR302",
    )


def call_loader(
    conn: psycopg.Connection, query: LiteralString, rows: Sequence[tuple[Any, ...]], options: list[Any]
) -> tuple[int, ...]:
    """Call a loading function with each column of the rows as an array, and return its counts."""
    width = query.count("[]")
    counts = conn.execute(query, [*([row[column] for row in rows] for column in range(width)), *options]).fetchone()
    return counts or ()
