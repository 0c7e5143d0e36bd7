"""Read SMART: ``.I`` number, then fields that start with a line of a dot and a letter (CACM, Cranfield, …)."""

from __future__ import annotations

import re

from stcollection.io.corpus.decoding import utf8
from stcollection.io.corpus.documents import DocumentRecord, RefusedRecord, described, storable
from stcollection.io.corpus.head import Head
from stcollection.io.corpus.split import Headed
from stcollection.io.formats import CorpusFormat

_FIELD = re.compile(r"\.([A-Z])\s*")
_YEAR = re.compile(r"\b(1[89][0-9]{2}|20[0-9]{2})\b")


def parse(record: bytes, line: int) -> DocumentRecord:
    """Return the document of one ``.I``: title .T, abstract .W, one author per line .A, source and year .B, keywords .K.

    In real files, a repeated start of a field is a line of text. It is skipped, and the text after it belongs to the current field.

    :raises RefusedRecord: not UTF-8, or .I without a number.
    """
    read = utf8(record, line)
    head, *rest = storable(read).splitlines()
    name = head.removeprefix(".I").strip()
    if not head.startswith(".I") or not name:
        raise RefusedRecord("it does not begin with .I and a number")
    fields: dict[str, list[str]] = {}
    into: list[str] = []
    for part in rest:
        opened = _FIELD.fullmatch(part)
        if opened and opened[1] not in fields:
            into = fields[opened[1]] = []
        elif not opened and part.strip():
            into.append(part.strip())
    source = " ".join(fields.get("B", ()))
    years = _YEAR.findall(source)
    return described(
        line=line,
        name=name,
        title=" ".join(fields.get("T", ())),
        abstract=" ".join(fields.get("W", ())),
        cleaned="\0" in read,
        more={
            "authors": [{"name": author} for author in fields.get("A", ())],
            "year": int(years[-1]) if years else None,
            "venue": {"raw": source} if source else None,
            "keywords": " ".join(fields.get("K", ())),
        },
    )


def _sniff(head: Head) -> bool:
    return re.match(rb"\.I\s+\S", head.start) is not None


FORMAT = CorpusFormat(
    name="smart",
    title="SMART (CACM, Cranfield, …)",
    extensions=(".all", ".smart", ".1400"),
    recognised=".I and a number on the first line",
    fields={
        ".I": "docno, required",
        ".T": "title",
        ".W": "abstract",
        ".A": "authors in doc, a line each",
        ".B": "venue and year in doc",
        ".K": "keywords in doc",
    },
    example="corpus/smart.all",
    layout=lambda head: Headed() if _sniff(head) else None,
    sniff=_sniff,
    parse=parse,
)
