"""Read TREC SGML: ``<DOC> <DOCNO>…</DOCNO> … </DOC>``."""

from __future__ import annotations

import re

from stcollection.io.corpus.decoding import utf8
from stcollection.io.corpus.documents import DocumentRecord, RefusedRecord, described, storable
from stcollection.io.corpus.head import Head
from stcollection.io.corpus.split import Tagged
from stcollection.io.formats import CorpusFormat

_DOCNO = re.compile(r"<DOCNO>(.*?)</DOCNO>", re.IGNORECASE | re.DOTALL)
# Title tags: TITLE (most collections), HEADLINE (Financial Times, LA Times), HEAD (Associated Press), HL (WSJ), TI (FBIS).
_TITLE = re.compile(r"<(TITLE|HEADLINE|HEAD|HL|TI)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_TEXT = re.compile(r"<(TEXT|ABSTRACT)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_AUTHOR = re.compile(r"<(AUTHOR|BYLINE)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


def parse(record: bytes, line: int) -> DocumentRecord:
    """Return the document of one <DOC>. Without <TEXT>, its text is everything except DOCNO, title and author.

    :raises RefusedRecord: not UTF-8, or no DOCNO.
    """
    read = utf8(record, line)
    text = storable(read)
    found = _DOCNO.search(text)
    if found is None or not found[1].strip():
        raise RefusedRecord("it has no <DOCNO>")
    body = text[: found.start()] + text[found.end() :]
    titles = _TITLE.findall(body)
    texts = _TEXT.findall(body) or [("", _AUTHOR.sub(" ", _TITLE.sub(" ", body)))]
    return described(
        line=line,
        name=found[1],
        title=_plain(titles[0][1]) if titles else "",
        abstract=_plain(" ".join(part for _, part in texts)),
        cleaned=text != read,
        more={"authors": [{"name": _plain(part)} for _, part in _AUTHOR.findall(body)]},
    )


def _plain(text: str) -> str:
    """Return text without tags, on one line."""
    return " ".join(_TAG.sub(" ", text).split())


def _sniff(head: Head) -> bool:
    return head.start.startswith(b"<") and re.search(rb"<DOC>", head.start, re.IGNORECASE) is not None


FORMAT = CorpusFormat(
    name="trec",
    title="TREC SGML",
    extensions=(".trec", ".sgml", ".xml"),
    recognised="a tag at the start, and <DOC>",
    fields={
        "<DOCNO>": "docno, required",
        "<TITLE>, <HEADLINE>, <HEAD>, <HL> or <TI>": "title",
        "<TEXT> or <ABSTRACT>": "abstract; without them, all other text",
        "<AUTHOR> or <BYLINE>": "authors in doc",
    },
    example="corpus/trec.sgml",
    layout=lambda head: Tagged() if _sniff(head) else None,
    sniff=_sniff,
    parse=parse,
)
