"""Names of the columns of a table of queries, or of the fields of JSON objects."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from stcollection.io.files import bad_line
from stcollection.io.formats import QueryOptions
from stcollection.io.records import QueryRecord

IDS = ("query_id", "qid", "id", "_id", "query-id", "topic_id", "number", "num", "topic")
TEXTS = {
    "title": ("query", "text", "query_text", "title", "question", "contents"),
    "desc": ("description", "desc"),
    "narr": ("narrative", "narr"),
}
_OF_DOCUMENTS = ("text", "abstract", "contents")
FIELDS = {
    " or ".join(IDS[:5]): "query, required",
    " or ".join(TEXTS["title"][:5]): "text, required",
    "description, narrative": "text of the query, with --field desc, narr or title+desc",
}


def are_queries(names: Collection[str]) -> bool:
    """Return True if columns with these names (in lower case) contain the id and the text of queries."""
    texts = {name for some in TEXTS.values() for name in some}
    return not texts.isdisjoint(names) and not set(IDS).isdisjoint(names)


def query_of(path: Path, line: int, record: Mapping[str, str], options: QueryOptions) -> QueryRecord:
    """Return the query of a record.

    :param record: values by field names in lower case.
    :raises BadInput: the id or the text is missing.
    """
    query = next((record[name] for name in IDS if record.get(name)), None)
    texts = [next((record[name] for name in TEXTS[part] if record.get(name)), None) for part in options.field.split("+")]
    found = [text for text in texts if text]
    if record.get("title") and any(record.get(name) for name in _OF_DOCUMENTS) and not record.get("query"):
        raise bad_line(path, line, "a document, with title and text, not a query", hint="Load documents with 'stc corpus load'.")
    if query is None or len(found) < len(texts):
        missing = "id" if query is None else "text"
        names = IDS if query is None else [name for part in options.field.split("+") for name in TEXTS[part]]
        raise bad_line(
            path,
            line,
            f"a query without {missing}; it has {', '.join(record) or 'nothing'}",
            hint=f"Put the {missing} into one of the fields {', '.join(names)}. Nothing was stored.",
        )
    return QueryRecord(line=line, query=query, text=" ".join(found))
