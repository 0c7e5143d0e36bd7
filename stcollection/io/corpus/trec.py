"""Read TREC SGML: ``<DOC> <DOCNO>…</DOCNO> … </DOC>``."""

from __future__ import annotations

import re

from stcollection.io.corpus.decoding import utf8
from stcollection.io.corpus.documents import DocumentRecord, RefusedRecord, compose_document, storable
from stcollection.io.corpus.head import Head
from stcollection.io.corpus.split import Tagged
from stcollection.io.formats import CorpusFormat

# Title tags: TITLE (most collections), HEADLINE (Financial Times, LA Times), HEAD (Associated Press), HL (WSJ), TI (FBIS).
_TITLES, _TEXTS, _AUTHORS = "TITLE|HEADLINE|HEAD|HL|TI", "TEXT|ABSTRACT", "AUTHOR|BYLINE"
_START, _END = re.compile(r"<DOC(?:\s[^<>]*)?>", re.IGNORECASE), re.compile(r"</DOC\s*>", re.IGNORECASE)
_ATTRIBUTE = r"""\s{}\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>]+))"""
_ID = re.compile(_ATTRIBUTE.format("(?:doc)?(?:id|no)"), re.IGNORECASE)
_DOCNO = re.compile(r"<(DOCNO|DOCID)(?:\s[^<>]*)?>\s*([^<]*)(</\1\s*>)?", re.IGNORECASE)
_NAME = re.compile(rb"\s*<DOC(?:NO|ID)[\s>]", re.IGNORECASE)
_ASIDE = re.compile(r"<!--.*?-->|<\?.*?\?>|<![A-Za-z][^<>]*>", re.DOTALL)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
# Entities of old collections (the Federal Register of Robust04) that HTML does not have or that it shows as a symbol.
_OLD = re.compile(r"&(hyph|blank);", re.IGNORECASE)
_CHARACTERS = {"hyph": "-", "blank": " "}


def _elements(names: str, before: str) -> re.Pattern[str]:
    """Return the pattern of elements. One without an end tag ends before a start tag of ``before``, or with the document."""
    content = rf"[^<]*+(?:<(?!/\1\s*>|(?:{before})[\s>])[^<]*+)*+"
    return re.compile(rf"<({names})(?:\s[^<>]*)?>({content})(?:</\1\s*>)?", re.IGNORECASE)


_TITLE = _elements(_TITLES, f"{_TITLES}|{_TEXTS}|{_AUTHORS}")
_TEXT = _elements(_TEXTS, _TEXTS)
_AUTHOR = _elements(_AUTHORS, f"{_TITLES}|{_TEXTS}|{_AUTHORS}")


def parse(record: bytes, line: int) -> DocumentRecord:
    """Return the document of one <DOC>. Without <TEXT>, its text is everything except DOCNO, title and author.

    :raises RefusedRecord: not UTF-8, text outside of a document, no DOCNO, or no end.
    """
    read = utf8(record, line)
    text = storable(read)
    start, end = _START.match(text), text.rfind("<")
    if start is None:
        raise RefusedRecord("it is text outside of a document: not between <DOC> and </DOC>")
    ended = _END.fullmatch(text, end) is not None
    body = _CDATA.sub(r"\1", _ASIDE.sub(" ", text[start.end() : end if ended else None]))
    name, body = _named(start[0], body)
    if not ended:
        raise RefusedRecord("the next document begins before its </DOC>", docno=name)
    texts = [part for _, part in _TEXT.findall(body)] or [_AUTHOR.sub(" ", _TITLE.sub(" ", body))]
    return compose_document(
        line=line,
        name=name,
        title=_plain(" ".join(part for _, part in _TITLE.findall(body))),
        abstract=_plain(" ".join(texts)),
        cleaned=text != read,
        facts={"authors": [{"name": _plain(part)} for _, part in _AUTHOR.findall(body)]},
    )


def _named(start: str, body: str) -> tuple[str, str]:
    """Return the name of a document by <DOCNO>, the attribute of its start tag, or <DOCID>; and its other content.

    :raises RefusedRecord: it has none of them.
    """
    elements = sorted(_DOCNO.finditer(body), key=lambda match: match[1].upper() != "DOCNO")
    attribute = _ID.search(start)
    element = elements[0] if elements and (elements[0][1].upper() == "DOCNO" or attribute is None) else None
    if element is not None:
        name = element[2] if element[3] else element[2].partition("\n")[0]  # without an end tag it ends with the line
        body = body[: element.start()] + " " + (element[2][len(name) :] if not element[3] else "") + body[element.end() :]
    else:
        name = next(filter(None, attribute.groups()), "") if attribute else ""
    if not name.strip():
        raise RefusedRecord("it has no <DOCNO>")
    return name.strip(), body


def _plain(text: str) -> str:
    """Return text without tags, on one line."""
    return " ".join(_OLD.sub(lambda match: _CHARACTERS[match[1].lower()], _TAG.sub(" ", text)).split())


def _sniff(head: Head) -> bool:
    start = Tagged.START.search(head.start)
    return start is not None and (head.start.startswith(b"<") or _NAME.match(head.start, start.end()) is not None)


FORMAT = CorpusFormat(
    name="trec",
    title="TREC SGML",
    extensions=(".trec", ".sgml", ".xml"),
    recognised="a tag at the start and <DOC>, or <DOC> and <DOCNO>",
    fields={
        "<DOCNO>, <DOC id=…> or <DOCID>": "docno, one of them required",
        "<TITLE>, <HEADLINE>, <HEAD>, <HL> or <TI>": "title; several are joined",
        "<TEXT> or <ABSTRACT>": "abstract; without them, all other text",
        "<AUTHOR> or <BYLINE>": "authors in doc",
    },
    example="corpus/trec.sgml",
    layout=lambda head: Tagged() if _sniff(head) else None,
    sniff=_sniff,
    parse=parse,
)
