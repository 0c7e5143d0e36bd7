"""Which format a stream of documents has, by its first bytes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from stcollection.errors import BadArgument, BadInput
from stcollection.io import registry
from stcollection.io.corpus import table
from stcollection.io.corpus.fields import DEFAULT, FieldNames, map_hint
from stcollection.io.corpus.head import Head
from stcollection.io.corpus.split import Splitter
from stcollection.io.formats import CorpusFormat, Parser

# What other things people have begin with, and how they become a stream of documents.
_OTHERS = (
    (b"\xff\xfe", "it is UTF-16", "iconv -f utf-16 -t utf-8 {} | stc corpus load -"),
    (b"\xfe\xff", "it is UTF-16", "iconv -f utf-16 -t utf-8 {} | stc corpus load -"),
    (b"7z\xbc\xaf\x27\x1c", "it is a 7-Zip archive", "7z x -so {} | stc corpus load -"),
)


@dataclass(frozen=True)
class Detected:
    """The format of a stream.

    :param name: of a format in the registry. :param splitter: how the stream falls into records.
    :param fields: which fields of a record are its id, title and text.
    """

    name: str
    splitter: Splitter
    fields: FieldNames = DEFAULT

    @property
    def parser(self) -> Parser:
        """What makes a document of a record."""
        found = registry.corpus_format(self.name)
        return found.parse if found.renamed is None or self.fields == DEFAULT else found.renamed(self.fields)

    def __str__(self) -> str:
        return f"{self.name} --map {self.fields}" if self.fields != DEFAULT else self.name


def detect(head: bytes, *, path: str, name: str | None = None, fields: FieldNames = DEFAULT) -> Detected:
    """The format of a stream.

    :param head: its first bytes without a byte order mark, at least one record if possible.
    :param path: what to call it in messages.
    :param name: the format, if it was named; JSON can still be laid out in several ways.
    :param fields: which fields of a record are its id, title and text; other names than the usual ones need a format without
        fields of its own.
    :raises BadInput: it is of no known format, or not of the named one; it has none of the fields.
    :raises BadArgument: there is no format of that name, or it has fields of its own.
    """
    named = None if name is None else registry.corpus_format(name)
    for magic, what, way in _OTHERS:
        if head.startswith(magic):
            raise BadInput(f"{path}: {what}, which is not read directly", hint=f"Like this it is: {way.format(path)}")
    if head[257:262] == b"ustar":
        raise BadInput(f"{path}: it is a tar archive", hint=f"Like this it is read: tar -xOf {path} | stc corpus load -")
    begun = Head(head)
    if named is not None and (splitter := named.layout(begun)) is not None:
        return _made(named, splitter, begun, path, fields)
    found = _recognised(begun, fields)
    splitter = None if found is None else found.layout(begun)
    if found is None or splitter is None:
        if columns := table.columns_of(begun):
            raise BadInput(f"{path}: a table of documents needs a column docno (or id)", hint=map_hint(columns))
        shown = begun.start[:40].split(b"\n")[0].decode("utf-8", "replace")
        raise BadInput(f"{path}: it is of no known format; it begins with {shown!r}", hint=registry.suggestion("corpus", path))
    if named is not None:
        raise BadInput(f"{path}: it looks like {found.name}, not {name}", hint=f"Take --format {found.name}, or leave it out.")
    return _made(found, splitter, begun, path, fields)


def _recognised(head: Head, fields: FieldNames) -> CorpusFormat | None:
    """The format of a stream; if fields have other names than usual, the first one that can be read by them."""
    if fields == DEFAULT:
        return next((one for one in registry.CORPUS if one.sniff(head)), None)
    renamed = (one for one in registry.CORPUS if one.renamed is not None)
    return next((one for one in renamed if one.layout(head) is not None), None) or _recognised(head, DEFAULT)


def _made(found: CorpusFormat, splitter: Splitter, head: Head, path: str, fields: FieldNames) -> Detected:
    if fields != DEFAULT:
        if found.renamed is None:
            others = ", ".join(one.name for one in registry.CORPUS if one.renamed is not None)
            raise BadArgument(f"{path}: {found.name} has fields of its own; --map is for {others}", hint="Leave --map out.")
        names = dict.fromkeys(name for value in head.sample for name in value)
        there = splitter.columns if isinstance(splitter, table.TableRecords) else tuple(names)
        fields = _resolved(fields, there, path)
    if isinstance(splitter, table.TableRecords):
        table.check(splitter, path, fields)
    return Detected(found.name, splitter, fields)


def _resolved(fields: FieldNames, there: Collection[str], path: str) -> FieldNames:
    """Field names as the records write them, whatever their case.

    :raises BadInput: the records have no such field.
    """
    by_lower = {name.lower(): name for name in there}
    found: dict[str, tuple[str, ...]] = {}
    for part in ("docno", "title", "text"):
        names = getattr(fields, part)
        if names == getattr(DEFAULT, part) or not there:
            continue
        found[part] = tuple(name if name in there else by_lower.get(name.lower(), "") for name in names)
        if not all(found[part]):
            raise BadInput(f"{path}: there is no field {', '.join(names)}", hint=map_hint(there))
    return replace(fields, **found)
