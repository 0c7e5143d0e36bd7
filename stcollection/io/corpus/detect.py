"""Which format a stream has, told from its first bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from stcollection.errors import BadArgument, BadInput
from stcollection.io.corpus import FORMATS
from stcollection.io.corpus.decoding import json_object
from stcollection.io.corpus.documents import Refused
from stcollection.io.corpus.split import Headed, Lines, Nested, Pretty, Splitter, Tagged

__all__ = ["FORMATS", "Format", "detect"]

_SAMPLE = 20  # records
_DBLP_KEYS = frozenset({"authors", "references", "n_citation", "indexed_abstract", "venue", "fos", "year"})
_GENERIC_KEYS = frozenset({"text", "contents", "docno", "doc_id"})
_HEX24 = re.compile(r"[0-9a-f]{24}")
_OPENING = re.compile(rb"\s*?(\[?)[\s,]*?([^\S\n]*)(?=\{)")
# What other things people have begin with, and how they become a stream of documents.
_OTHERS = (
    (b"\xff\xfe", "it is UTF-16", "iconv -f utf-16 -t utf-8 {} | stc corpus load -"),
    (b"\xfe\xff", "it is UTF-16", "iconv -f utf-16 -t utf-8 {} | stc corpus load -"),
    (b"7z\xbc\xaf\x27\x1c", "it is a 7-Zip archive", "7z x -so {} | stc corpus load -"),
)


@dataclass(frozen=True)
class Format:
    """:param name: one of FORMATS."""

    name: str
    splitter: Splitter


def detect(head: bytes, *, path: str, name: str | None = None) -> Format:
    """The format of a stream.

    :param head: its first bytes without a byte order mark, at least one record if possible.
    :param path: what to call it in messages.
    :param name: the format, if it was named; JSON can still be laid out in several ways.
    :raises BadInput: it is of no known format, or not of the named one.
    :raises BadArgument: there is no format of that name.
    """
    if name is not None and name not in FORMATS:
        raise BadArgument(f"there is no format {name!r}", hint=f"The formats are {', '.join(FORMATS)}.")
    for magic, what, way in _OTHERS:
        if head.startswith(magic):
            raise BadInput(f"{path}: {what}, which is not read directly", hint=f"Like this it is: {way.format(path)}")
    if head[257:262] == b"ustar":
        raise BadInput(f"{path}: it is a tar archive", hint=f"Like this it is read: tar -xOf {path} | stc corpus load -")
    start = head.lstrip()
    if re.match(rb"<", start) and re.search(rb"<DOC>", start, re.IGNORECASE):
        found = Format("trec", Tagged())
    elif re.match(rb"\.I\s+\S", start):
        found = Format("smart", Headed())
    elif start[:1] in (b"{", b"["):
        splitter = _layout(head)
        found = Format(name if name in _JSON else _family(head, splitter), splitter)
    else:
        shown = start[:40].split(b"\n")[0].decode("utf-8", "replace")
        raise BadInput(
            f"{path}: it is of no known format; it begins with {shown!r}",
            hint=f"The formats are {', '.join(FORMATS)}; --format names one.",
        )
    if name not in (None, found.name):
        raise BadInput(f"{path}: it looks like {found.name}, not {name}", hint=f"Take --format {found.name}, or leave it out.")
    return found


_JSON = tuple(name for name in FORMATS if name not in ("trec", "smart"))


def _layout(head: bytes) -> Splitter:
    """How the JSON is laid out: an object a line, indented over several, or any other way."""
    opening = _OPENING.match(head)
    if opening is None:  # an array whose first element is not an object: empty, of something else, or of both
        array = head.lstrip().startswith(b"[")
        return Nested(array) if b"{" in head else Lines(array)
    array = bool(opening[1])
    begun = head[opening.end() :]
    first, _, rest = begun.partition(b"\n")
    deeper = len(rest) - len(rest.lstrip(b" \t")) > len(opening[2])
    if first.strip() == b"{" and deeper:
        pretty = Pretty(array, opening[2])
        end = pretty.cut(begun, len(begun))
        if end and any(_readable(record) for _, record in pretty.records(begun[:end])):
            return pretty
    lines = Lines(array)
    if any(_readable(record) for (_, record), _ in zip(lines.records(begun), range(_SAMPLE), strict=False)):
        return lines
    return Nested(array)


def _readable(record: bytes) -> dict[str, Any] | None:
    try:
        return json_object(record, 1)[0]
    except Refused:
        return None


def _sample(splitter: Splitter, head: bytes) -> list[dict[str, Any]]:
    return [value for (_, record), _ in zip(splitter.records(head), range(_SAMPLE), strict=False) if (value := _readable(record))]


def _family(head: bytes, splitter: Splitter) -> str:
    """The name of a JSON format, by its first records."""
    sample = _sample(splitter, head) or _sample(Nested(head.lstrip().startswith(b"[")), head)
    keys = {key for value in sample for key in value}
    if "_source" in keys:
        return "elasticsearch"
    if keys & _GENERIC_KEYS or not keys & _DBLP_KEYS:
        return "jsonl"
    if "_id" in keys:
        return "dblp-v13"
    ids = [value["id"] for value in sample if "id" in value]
    if any(isinstance(one, int) for one in ids):
        return "dblp-v12"
    if ids and all(isinstance(one, str) and _HEX24.fullmatch(one) for one in ids):
        return "dblp-v14"
    if any(isinstance(author, str) for value in sample for author in value.get("authors") or ()):
        return "dblp-v10"
    return "dblp-v11"
