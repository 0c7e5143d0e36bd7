"""Detect the format of a stream of documents by its first bytes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stcollection.errors import BadArgument, BadInput
from stcollection.io import registry
from stcollection.io.corpus import table, xmlrecords
from stcollection.io.corpus.fields import DEFAULT, FieldNames, unread
from stcollection.io.corpus.head import Head
from stcollection.io.corpus.split import Splitter
from stcollection.io.corpus.xmlrecords import XmlRecords
from stcollection.io.formats import CorpusFormat, Parser

# First bytes of other kinds of files, and commands that convert them to a stream of documents.
_OTHERS = (
    (b"\xff\xfe", "it is UTF-16", "iconv -f utf-16 -t utf-8 {} | stc load --as corpus -"),
    (b"\xfe\xff", "it is UTF-16", "iconv -f utf-16 -t utf-8 {} | stc load --as corpus -"),
    (b"7z\xbc\xaf\x27\x1c", "it is a 7-Zip archive", "7z x -so {} | stc load --as corpus -"),
)
_NO_HEADER = "If the first row is a document, number the columns: --map docno=1,text=2."


@dataclass(frozen=True)
class Detected:
    """The format of a stream.

    :param name: name of a format in the registry. :param splitter: splits the stream into records.
    :param fields: names of the fields of a record for id, title and text.
    """

    name: str
    splitter: Splitter
    fields: FieldNames = DEFAULT

    @property
    def parser(self) -> Parser:
        """The function that converts a record to a document."""
        format_ = registry.corpus_format(self.name)
        return format_.parse if format_.renamed is None or self.fields == DEFAULT else format_.renamed(self.fields)

    def __str__(self) -> str:
        return f"{self.name} --map {self.fields}" if self.fields != DEFAULT else self.name


def detect(head: bytes, *, path: str, name: str | None = None, fields: FieldNames = DEFAULT) -> Detected:
    """Detect the format of a stream.

    :param head: its first bytes without a byte order mark, at least one record if possible.
    :param path: name of the stream for messages.
    :param name: the format, if given; the layout of JSON is still detected.
    :param fields: names of the fields of a record for id, title and text; names other than the default need a format that does
        not define its field names.
    :raises BadInput: unknown format, or not the given one; the fields are missing.
    :raises BadArgument: the given format does not exist, or defines its field names.
    """
    named = None if name is None else registry.corpus_format(name)
    for magic, what, way in _OTHERS:
        if head.startswith(magic):
            raise BadInput(f"{path}: {what}, which cannot be read directly", hint=f"Convert it: {way.format(path)}")
    if head[257:262] == b"ustar":
        raise BadInput(f"{path}: it is a tar archive", hint=f"Unpack it: tar -xOf {path} | stc load --as corpus -")
    begun = Head(head)
    if named is not None and (splitter := named.layout(begun)) is not None:
        return _made(named, splitter, begun, path, fields)
    format_ = _recognised(begun, fields)
    splitter = None if format_ is None else format_.layout(begun)
    if format_ is None or splitter is None:
        columns, rows = table.columns_of(begun)
        if columns:
            raise _missing(path, DEFAULT, columns, rows, what="column") or BadInput(
                f"{path}: it is not clear whether the first row is a header: {', '.join(columns)}", hint=_NO_HEADER
            )
        excerpt = begun.start[:40].split(b"\n")[0].decode("utf-8", "replace")
        hint = registry.suggest("corpus", path)
        if table.CSV.layout(begun) or table.TSV.layout(begun):
            hint = f"If it is a table of documents without header, number its columns: --map docno=1,text=2. {hint}"
        raise BadInput(f"{path}: unknown format; the file begins with {excerpt!r}", hint=hint)
    if named is not None:
        raise BadInput(f"{path}: it looks like {format_.name}, not {name}", hint=f"Use --format {format_.name}, or omit it.")
    return _made(format_, splitter, begun, path, fields)


def _recognised(head: Head, fields: FieldNames) -> CorpusFormat | None:
    """Return the format of a stream; with other field names, the first format that supports them."""
    if not fields.given("documents"):
        return next((format_ for format_ in registry.CORPUS if format_.sniff(head)), None)
    renamed = (format_ for format_ in registry.CORPUS if format_.renamed is not None)
    return next((format_ for format_ in renamed if format_.layout(head) is not None), None) or _recognised(head, DEFAULT)


def _made(format_: CorpusFormat, splitter: Splitter, head: Head, path: str, fields: FieldNames) -> Detected:
    if format_.renamed is None and fields.given("documents") and not fields.foreign("documents"):
        others = ", ".join(other.name for other in registry.CORPUS if other.renamed is not None)
        raise BadArgument(f"{path}: {format_.name} has fixed field names; --map is for {others}", hint="Omit --map.")
    if isinstance(splitter, table.TableRecords):
        splitter = table.numbered(splitter, fields)
        fields = fields.resolved(splitter.columns, path)
        table.check(splitter, path)
        problem = _missing(path, fields, splitter.columns, table.columns_of(head)[1], what="column")
    elif format_.renamed is not None:
        names = tuple(dict.fromkeys(name for value in head.sample for name in value))
        fields = fields.resolved(names, path)
        problem = _missing(path, fields, names, head.sample, what="field") if names else None
    else:
        problem = None
    if problem is not None:
        raise problem
    if isinstance(splitter, XmlRecords):
        xmlrecords.check(head, path)
    return Detected(format_.name, splitter, fields)


def _missing(
    path: str, fields: FieldNames, names: Collection[str], sample: Sequence[Mapping[str, Any]], *, what: str
) -> BadInput | None:
    """Return the error for records that lack a field for the id, or for title and text; None if they have both."""
    parts = {"docno": ("id", fields.docno), "text": ("title or text", (*fields.title, *fields.text))}
    missing = {part: label for part, (label, accepted) in parts.items() if set(accepted).isdisjoint(names)}
    advice = _NO_HEADER if what == "column" else ""
    return unread(path, "documents", missing, tuple(names), sample, what=what, advice=advice) if missing else None
