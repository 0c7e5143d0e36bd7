"""Read TREC topics: ``<top>`` with ``<num>``, ``<title>``, ``<desc>`` and ``<narr>``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from stcollection.errors import BadArgument
from stcollection.io.corpus.documents import text_of
from stcollection.io.files import bad_line
from stcollection.io.formats import FIELDS, QueryOptions, TopicFormat
from stcollection.io.records import QueryRecord

_TAG = re.compile(r"<\s*/?\s*(top|num|title|desc|narr|dom|smry|con|fac|def|nat|time|head)\b[^<>]*>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LABEL = {"num": r"number\s*:", "title": r"topic\s*:", "desc": r"description\s*:", "narr": r"narrative\s*:"}


def _read(path: Path, text: str, options: QueryOptions) -> Iterator[QueryRecord]:
    field = options.field
    if field not in FIELDS:
        raise BadArgument(f"there is no field {field!r} of a topic", hint=f"Use one of {', '.join(FIELDS)}.")
    text = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    for top in re.finditer(r"<top\b[^>]*>(.*?)(</top\s*>|(?=<top\b)|\Z)", text, re.IGNORECASE | re.DOTALL):
        line = text.count("\n", 0, top.start()) + 1
        parts = _TAG.split(top[1])  # text, tag, text, tag, text …; blank text follows a closing tag
        sections: dict[str, str] = {}
        for tag, content in zip(map(str.lower, parts[1::2]), parts[2::2], strict=True):
            content = " ".join(content.split())
            content = re.sub(rf"^{_LABEL[tag]}\s*", "", content, flags=re.IGNORECASE) if tag in _LABEL else content
            if content:
                sections.setdefault(tag, text_of(content, one_line=True) or "")
        name = sections.get("num")
        if name is None:
            raise bad_line(path, line, "a <top> without <num>", hint="Give each topic its number. Nothing was stored.")
        wanted = field.split("+")
        for part in wanted:
            if part not in sections:
                there = ", ".join(one for one in sections if one != "num") or "nothing"
                raise bad_line(path, line, f"topic {name} has no <{part}>; it has {there}", hint="Choose another with --field.")
        yield QueryRecord(
            line=line,
            query=name,
            text=" ".join(sections[part] for part in wanted),
            topic=name,
            topic_text=sections.get("title"),
        )


FORMAT = TopicFormat(
    name="trec",
    title="TREC topics",
    extensions=(".topics", ".trec", ".txt", ".xml"),
    recognised="<top> in the first 100,000 characters",
    fields={
        "<num>": "query and topic, required",
        "<title>": "text of the topic, and of the query unless --field selects another part",
        "<desc>, <narr>": "text of the query, with --field desc, narr or title+desc",
    },
    example="topics/trec.topics",
    sniff=lambda text: re.search(r"<top\b", text.lstrip()[:100_000], re.IGNORECASE) is not None,
    read=_read,
)
