"""Names of the columns of a table of queries, or of the fields of JSON objects."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from stcollection.io.corpus.fields import FieldNames, folded, unread
from stcollection.io.files import bad_line
from stcollection.io.formats import QueryOptions
from stcollection.io.records import QueryRecord

IDS = ("query_id", "qid", "id", "_id", "query-id", "topic_id", "number", "num", "topic")
TEXTS = {
    "title": ("query", "text", "query_text", "title", "question", "contents", "narrative"),
    "desc": ("description", "desc", "problem_statement"),
    "narr": ("narrative", "narr", "background"),
}
_OF_DOCUMENTS = ("text", "abstract", "contents")
_NOUNS = {"title": "text", "desc": "description", "narr": "narrative"}
#: Usual names, as :func:`~stcollection.io.corpus.fields.folded` returns them.
KNOWN = frozenset(folded(name) for names in (IDS, *TEXTS.values()) for name in names)
FIELDS = {
    " or ".join(IDS[:5]): "query, required",
    " or ".join(TEXTS["title"][:5]): "text, required",
    "description or problem_statement, narrative or background": "text of the query, with --field desc, narr or title+desc; article"
    " of the topic",
}


def are_queries(names: Collection[str]) -> bool:
    """Return True if columns with these names contain the id and the text of queries."""
    keys = set(map(folded, names))
    ids, titles = _id_and_title(keys)
    return all(not keys.isdisjoint(map(folded, usual)) for usual in (ids, (*titles, *TEXTS["desc"], *TEXTS["narr"])))


def _id_and_title(keys: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the usual names of ids and texts. Beside ``text``, ``query`` is the id, as in the view ``queries``.

    :param keys: names, folded.
    """
    if {"query", "text"}.issubset(keys) and set(map(folded, IDS[:-1])).isdisjoint(keys):
        return ("query",), TEXTS["title"][1:]
    return IDS, TEXTS["title"]


def query_of(
    path: Path, line: int, record: Mapping[str, str | None], options: QueryOptions, *, what: str = "field", advice: str = ""
) -> QueryRecord:
    """Return the query of a record.

    :param record: values by field names; None for a value that is not text. :param what: ``field`` or ``column``, for messages.
    :param advice: a further hint if a field is missing.
    :raises BadInput: the id or the text is missing.
    """
    by_name = {folded(name): name for name in reversed(list(record))}
    values: dict[str, str | None] = {}
    absent: dict[str, str] = {}
    empty: list[str] = []
    ids, titles = _id_and_title(by_name)
    parts = [(part, _NOUNS[part], titles if part == "title" else TEXTS[part]) for part in options.field.split("+")]
    for part, noun, usual in (("query", "id", ids), *parts):
        present = [by_name[name] for name in map(folded, usual) if name in by_name]
        if (own := mapped_name(options.fields, part)) is not None:
            mapped = own if own in record else by_name.get(folded(own))
            present = [mapped] if mapped is not None else present if options.fields.foreign("queries") else []
        present = present[:1] if part == "query" else present
        values[part] = next((record[name] for name in present if record[name]), None)
        if not present:
            absent["text" if part == "title" else part] = noun
        elif values[part] is None:
            empty.append(f"a query without {noun}: {', '.join(present)} is empty or not text")
    if _is_document(record, options.fields):
        raise bad_line(path, line, "a document, with title and text, not a query", hint="Use 'stc load --as corpus'.")
    if absent:
        advice = "Or choose another part with --field." if {"desc", "narr"} & set(absent) else advice
        raise unread(f"{path}:{line}", "queries", absent, list(record), [record], what=what, advice=advice)
    if empty:
        raise bad_line(path, line, empty[0], hint="Correct the record. Nothing was stored.")
    query, *texts = [value or "" for value in values.values()]
    return QueryRecord(line=line, query=query, text=" ".join(texts))


def mapped_name(fields: FieldNames, part: str) -> str | None:
    """Return the name that a map gives to a part of queries; None if it gives none."""
    given = fields.given("queries")
    return given.get("text", given.get("title")) if part == "title" else given.get(part)


def _is_document(record: Mapping[str, str | None], fields: FieldNames) -> bool:
    keys = {folded(name) for name, value in record.items() if value}
    return not keys.isdisjoint(_OF_DOCUMENTS) and "title" in keys and "query" not in keys and not fields.given("queries")
