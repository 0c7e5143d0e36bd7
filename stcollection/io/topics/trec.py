"""Read TREC topics: ``<top>`` with ``<num>``, ``<title>``, ``<desc>`` and ``<narr>``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from stcollection.counts import counted
from stcollection.errors import BadArgument
from stcollection.io.corpus.documents import text_of
from stcollection.io.files import bad_line
from stcollection.io.formats import FIELDS, QueryOptions, TopicFormat
from stcollection.io.records import QueryRecord
from stcollection.io.topics.background import article, with_topic

_TAG = re.compile(r"<\s*/?\s*(top|num|title|desc|narr|dom|smry|con|fac|def|nat|time|head)\b[^<>]*>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TOP = re.compile(r"<top\b[^>]*>(.*?)(</top\s*>|(?=<top\b)|\Z)", re.IGNORECASE | re.DOTALL)
_ROOT = re.compile(r"\s*</(?:topics|tops|queries|root)\s*>\s*\Z", re.IGNORECASE)  # after a last topic without </top>
_MARKUP = re.compile(r"<[/?!A-Za-z][^<>]*>")
_LABEL = {"num": r"number\s*:", "title": r"topic\s*:", "desc": r"description\s*:", "narr": r"narrative\s*:"}


def _bare(text: str) -> str:
    """Return the text without comments, but with their line breaks."""
    return _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)


def _note(text: str, _options: QueryOptions) -> str:
    """Report text outside of topics, which is not read."""
    outside = _TOP.sub(lambda top: "\n" * top[0].count("\n"), _bare(text))
    lines = [number for number, line in enumerate(outside.split("\n"), 1) if _MARKUP.sub("", line).strip()]
    return f"without {counted(len(lines), 'line')} outside of <top> (from line {lines[0]})" if lines else ""


def _read(path: Path, text: str, options: QueryOptions) -> Iterator[QueryRecord]:
    field = options.field
    if field not in FIELDS:
        raise BadArgument(f"there is no field {field!r} of a topic", hint=f"Use one of {', '.join(FIELDS)}.")
    text, queries = _bare(text), list[QueryRecord]()
    for top in _TOP.finditer(text):
        line = text.count("\n", 0, top.start()) + 1
        parts = _TAG.split(_ROOT.sub("", top[1]))  # text, tag, text, tag, text …; blank text follows a closing tag
        sections: dict[str, str] = {}
        for tag, content in zip(map(str.lower, parts[1::2]), parts[2::2], strict=True):
            content = " ".join(content.split())
            content = re.sub(rf"^{_LABEL[tag]}\s*", "", content, flags=re.IGNORECASE) if tag in _LABEL else content
            if content:
                sections.setdefault(tag, text_of(content, one_line=True) or "")
        name = sections.get("num")
        if name is None:
            raise bad_line(path, line, "a <top> without <num>", hint="Give each topic its number. Nothing was stored.")
        tags = field.split("+")
        for part in tags:
            if part not in sections:
                present = ", ".join(section for section in sections if section != "num") or "nothing"
                raise bad_line(path, line, f"topic {name} has no <{part}>; it has {present}", hint="Choose another with --field.")
        query = QueryRecord(line=line, query=name, text=" ".join(sections[part] for part in tags))
        queries.append(with_topic(query, name, sections.get("title"), article([sections])))
    articles: dict[str, set[str | None]] = {}
    for query in queries:
        articles.setdefault(query.query, set()).add(query.article)
    for query in queries:  # ACM-CR has a description per use of a title: none of them is the article of the topic
        yield query if len(articles[query.query]) == 1 else replace(query, article=None)


FORMAT = TopicFormat(
    name="trec",
    title="TREC topics",
    extensions=(".topics", ".trec", ".txt", ".xml"),
    recognised="<top> in the first 100,000 characters",
    fields={
        "<num>": "query and topic, required",
        "<title>": "text of the topic, and of the query unless --field selects another part",
        "<desc>, <narr>": "text of the query, with --field desc, narr or title+desc; article of the topic",
    },
    example="topics/trec.topics",
    sniff=lambda text: re.search(r"<top\b", text.lstrip()[:100_000], re.IGNORECASE) is not None,
    read=_read,
    note=_note,
)
