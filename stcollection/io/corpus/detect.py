"""Which format a stream of documents has, by its first bytes."""

from __future__ import annotations

from dataclasses import dataclass

from stcollection.errors import BadInput
from stcollection.io import registry
from stcollection.io.corpus.head import Head
from stcollection.io.corpus.split import Splitter

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
    """

    name: str
    splitter: Splitter


def detect(head: bytes, *, path: str, name: str | None = None) -> Detected:
    """The format of a stream.

    :param head: its first bytes without a byte order mark, at least one record if possible.
    :param path: what to call it in messages.
    :param name: the format, if it was named; JSON can still be laid out in several ways.
    :raises BadInput: it is of no known format, or not of the named one.
    :raises BadArgument: there is no format of that name.
    """
    named = None if name is None else registry.corpus_format(name)
    for magic, what, way in _OTHERS:
        if head.startswith(magic):
            raise BadInput(f"{path}: {what}, which is not read directly", hint=f"Like this it is: {way.format(path)}")
    if head[257:262] == b"ustar":
        raise BadInput(f"{path}: it is a tar archive", hint=f"Like this it is read: tar -xOf {path} | stc corpus load -")
    begun = Head(head)
    if named is not None and (splitter := named.layout(begun)) is not None:
        return Detected(named.name, splitter)
    found = next((one for one in registry.CORPUS if one.sniff(begun)), None)
    splitter = None if found is None else found.layout(begun)
    if found is None or splitter is None:
        shown = begun.start[:40].split(b"\n")[0].decode("utf-8", "replace")
        raise BadInput(f"{path}: it is of no known format; it begins with {shown!r}", hint=registry.suggestion("corpus", path))
    if named is not None:
        raise BadInput(f"{path}: it looks like {found.name}, not {name}", hint=f"Take --format {found.name}, or leave it out.")
    return Detected(found.name, splitter)
