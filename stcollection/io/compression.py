"""Detect compressed streams by their first bytes and unpack them in small pieces, up to a limit."""

from __future__ import annotations

import bz2
import lzma
import os
import re
import zlib
from collections.abc import Iterator
from typing import Any

import zstandard

from stcollection.counts import counted
from stcollection.errors import BadArgument

SETTING = "STC_MAX_UNPACKED"
ZIP = b"PK\x03\x04"
_PIECE = 2**18
# Number of compressed bytes to unpack at a time from a gzip or zstd stream. zstd can expand one byte to 32,768, so the step starts
# small and grows as far as the stream allows.
_LEAST_STEP, _STEP = 2**6, 2**14
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz"}
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}

# Typical runs, judgments and topics shrink about 10 times, rarely 100 times.
_LIMIT, _ALWAYS, _RATIO = 2**31, 2**26, 200


class Damaged(Exception):
    """A compressed stream is damaged or truncated."""


class TooLarge(Exception):
    """A compressed stream unpacks to more than the limit."""


def kind(start: bytes) -> str | None:
    """Return the compression of a stream from its first six bytes; None if it is not compressed."""
    return next((name for magic, name in _MAGIC.items() if start.startswith(magic)), None)


def unpacked_limit(compressed: int) -> int:
    """Return the maximum unpacked size of a file with this compressed size, in bytes.

    200 times the compressed size, but at least 64 MB and at most 2 GB. ``STC_MAX_UNPACKED`` overrides it, in bytes or as ``8GB``.

    :raises BadArgument: the setting is not a size.
    """
    setting = os.environ.get(SETTING, "")
    if not setting:
        return min(_LIMIT, max(_ALWAYS, _RATIO * compressed))
    match = re.fullmatch(r"([0-9]{1,15})\s*([kmgt]?)(?:i?b)?", setting.strip(), re.IGNORECASE)
    if match is None:
        raise BadArgument(f"{SETTING} is {setting!r}, not a size", hint="Set it to a number of bytes or a size such as 8GB.")
    return int(match[1]) * _UNITS[match[2].lower()]


def unpack(blocks: Iterator[bytes], name: str, *, limit: int | None = None) -> Iterator[bytes]:
    """Yield the content of a compressed stream of one or more members (frames), in pieces of a few MB at most.

    :param name: compression, as :func:`kind` returns it.
    :param limit: maximum number of bytes to unpack; None means no limit.
    :raises Damaged: the stream is truncated or damaged; its intact part was yielded.
    :raises TooLarge: the stream unpacks to more than the limit.
    """
    size = 0
    for content in _bounded(blocks, name) if name in ("bzip2", "xz") else _stepwise(blocks, name):
        size += len(content)
        if limit is not None and size > limit:
            raise TooLarge(f"the file unpacks to more than {counted(limit, 'byte')}")
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
                if name == "gzip" and not part.strip(b"\0"):  # padding from tapes and block devices
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
        raise Damaged("ends too early: the file is truncated")


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
        raise Damaged("ends too early: the file is truncated")
