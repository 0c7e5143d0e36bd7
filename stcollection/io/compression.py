"""Compressed streams: recognised by their first bytes, unpacked in small pieces, and only up to a limit."""

from __future__ import annotations

import bz2
import lzma
import os
import re
import zlib
from collections.abc import Iterator
from typing import Any

import zstandard

from stcollection.errors import BadArgument

SETTING = "STC_MAX_UNPACKED"
ZIP = b"PK\x03\x04"
_PIECE = 2**18
# Compressed bytes taken at a time of a gzip or zstd stream. zstd can make 32,768 bytes of one: the step is small at first, and as
# large as the stream allows.
_LEAST_STEP, _STEP = 2**6, 2**14
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz"}
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}

# Runs, judgments and topics compress some ten times, seldom a hundred times.
_LIMIT, _ALWAYS, _RATIO = 2**31, 2**26, 200


class Damaged(Exception):
    """A compressed stream that is damaged, or cut short."""


class TooLarge(Exception):
    """A compressed stream that unpacks to more than it may."""


def kind(start: bytes) -> str | None:
    """What a stream is compressed by, told from its first six bytes; None if it is not."""
    return next((name for magic, name in _MAGIC.items() if start.startswith(magic)), None)


def unpacked_limit(compressed: int) -> int:
    """The most bytes that a file of this compressed size may unpack to.

    2 GB, and 200 times its own size or 64 MB, whichever is more. ``STC_MAX_UNPACKED``, in bytes or as ``8GB``, replaces both.

    :raises BadArgument: the setting is not a size.
    """
    setting = os.environ.get(SETTING, "")
    if not setting:
        return min(_LIMIT, max(_ALWAYS, _RATIO * compressed))
    found = re.fullmatch(r"([0-9]{1,15})\s*([kmgt]?)(?:i?b)?", setting.strip(), re.IGNORECASE)
    if found is None:
        raise BadArgument(f"{SETTING} is {setting!r}, not a size", hint="Set it to a number of bytes, or like this: 8GB.")
    return int(found[1]) * _UNITS[found[2].lower()]


def unpack(blocks: Iterator[bytes], name: str, *, limit: int | None = None) -> Iterator[bytes]:
    """The content of a compressed stream of one or several members (frames), in pieces of at most some MB.

    :param name: what :func:`kind` returned.
    :param limit: the most bytes to unpack; None unpacks all.
    :raises Damaged: it is cut off or damaged; all before that came out.
    :raises TooLarge: it unpacks to more than the limit.
    """
    size = 0
    for content in _bounded(blocks, name) if name in ("bzip2", "xz") else _stepwise(blocks, name):
        size += len(content)
        if limit is not None and size > limit:
            raise TooLarge(f"it unpacks to more than {limit:,} bytes")
        yield content


def _stepwise(blocks: Iterator[bytes], name: str) -> Iterator[bytes]:
    inflate: Any = None
    step = _LEAST_STEP
    for block in blocks:
        at = 0
        while at < len(block):
            part = block[at : at + step]
            at += len(part)
            if inflate is None:
                if name == "gzip" and not part.strip(b"\0"):  # padding, as tapes and block devices leave it
                    continue
                inflate = zlib.decompressobj(31) if name == "gzip" else zstandard.ZstdDecompressor().decompressobj()
            try:
                content = inflate.decompress(part)
            except (zlib.error, zstandard.ZstdError) as error:
                raise Damaged(f"is damaged: {error}") from error
            if content:
                yield content
            step = max(step // 2, _LEAST_STEP) if len(content) > _PIECE else min(2 * step, _STEP)
            if inflate.eof:
                at -= len(inflate.unused_data)
                inflate = None
    if inflate is not None:
        raise Damaged("ends too early: the file is cut off")


def _bounded(blocks: Iterator[bytes], name: str) -> Iterator[bytes]:
    inflate: Any = None
    for block in blocks:
        data = block
        while data or (inflate is not None and not inflate.needs_input):
            if inflate is None:
                if not data.strip(b"\0"):
                    break
                inflate = bz2.BZ2Decompressor() if name == "bzip2" else lzma.LZMADecompressor(memlimit=2**28)
            try:
                content, data = inflate.decompress(data, _PIECE), b""
            except (OSError, lzma.LZMAError) as error:
                raise Damaged(f"is damaged: {error}") from error
            if content:
                yield content
            if inflate.eof:
                data, inflate = inflate.unused_data, None
    if inflate is not None:
        raise Damaged("ends too early: the file is cut off")
