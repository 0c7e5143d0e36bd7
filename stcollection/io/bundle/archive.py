"""Write, check and unpack the archive of a bundle.

A bundle is a zip file, because every system can open one, and its list of files can be checked before anything is unpacked.
``checksums.txt`` has the SHA-256 of every other file, in the format of sha256sum. The hash of the bundle is the SHA-256 of
``checksums.txt``: it depends on the content of the files, not on the version of the compressor. The zip has no times, and its
files are sorted, so that the same files give the same bytes.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from stcollection.counts import counted
from stcollection.errors import BadArgument, BadInput
from stcollection.io.bundle.shape import manifest_fault
from stcollection.io.compression import SETTING, unpacked_limit
from stcollection.io.files import sha256
from stcollection.io.writing import output

CHECKSUMS, MANIFEST, ENVIRONMENT = "checksums.txt", "bundle.json", "environment.json"
FORMAT = 1  # of the layout; readers refuse a higher one
_BLOCK = 2**20
_MOST_FILES = 100_000
_MOST_LIST = 2**26  # bytes of checksums.txt and of bundle.json
_LEAST, _RATIO = 2**26, 200  # limit of the unpacked size, see _limit
_LINE = re.compile(r"([0-9a-f]{64})  ([^\0\n\r\\]+)")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
_AGAIN = "Get the bundle again, or have a new one made."
_DISTRUST = "Do not trust this bundle."


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """A bundle whose checksums were compared.

    :param manifest: the content of bundle.json. :param digest: hash of the bundle. :param data_digest: hash of all files except
        environment.json, equal for bundles made with different software. :param files: path to SHA-256.
    :param folder: the unpacked files; None if they were only checked.
    """

    path: Path
    manifest: dict[str, Any]
    digest: str
    data_digest: str
    files: dict[str, str]
    bytes: int
    folder: Path | None = None

    def at(self, name: str) -> Path:
        """Return the path of an unpacked file."""
        assert self.folder is not None  # noqa: S101
        return self.folder / name


def make_distinct(start: str, taken: set[str], *, between: str) -> str:
    """Return the name, with a number if needed, so that it differs from those taken by more than case; add it to them."""
    name, number = start, 1
    while name.lower() in taken:
        number += 1
        name = f"{start}{between}{number}"
    taken.add(name.lower())
    return name


def write(folder: Path, path: Path) -> str:
    """Write the files of a folder as a bundle, which appears when it is complete. :returns: its hash."""
    names = sorted(child.relative_to(folder).as_posix() for child in folder.rglob("*") if child.is_file())
    files = {name: sha256(folder / name) for name in names}
    listed = _listed(files)
    with output(path, synced=True) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        with archive.open(_entry(CHECKSUMS), "w") as member:
            member.write(listed)
        for name in names:
            with (folder / name).open("rb") as source, archive.open(_entry(name), "w", force_zip64=True) as member:
                while block := source.read(_BLOCK):
                    member.write(block)
    return hashlib.sha256(listed).hexdigest()


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o100644 << 16
    return entry


def _listed(files: dict[str, str]) -> bytes:
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(files.items())).encode()


def check(path: Path, *, digest: str | None = None) -> Bundle:
    """Compare every checksum of a bundle, without writing a file.

    :param digest: expected hash of the bundle; None accepts any.
    :raises BadArgument: there is no such file. :raises BadInput: the file is not a bundle, or not intact; the message says why.
    """
    return _read(path, digest, None)


@contextmanager
def unpacked(path: Path, *, digest: str | None = None) -> Iterator[Bundle]:
    """Unpack a bundle into a temporary folder; see :func:`check`."""
    with tempfile.TemporaryDirectory(prefix="stc-bundle-") as folder:
        yield _read(path, digest, Path(folder))


def _read(path: Path, digest: str | None, into: Path | None) -> Bundle:
    if not path.is_file():
        raise BadArgument(f"there is no file {path}", hint="Give the file that 'stc bundle make' wrote.")
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            entries = _entries(path, archive)
            listed = _small(path, archive, entries, CHECKSUMS)
            files = _checksums(path, listed)
            computed = hashlib.sha256(listed).hexdigest()
            if digest is not None and computed != digest.lower():
                raise BadInput(f"{path}: the hash of the bundle is {computed}, not {digest}", hint=_AGAIN)
            _same_names(path, files, entries)
            manifest = _manifest(path, archive, entries, files)
            if into is not None:
                (into / CHECKSUMS).write_bytes(listed)
            size = sum(
                _member(path, archive, entries[name], digest=sum_, to=None if into is None else into / name)
                for name, sum_ in files.items()
            )
    except _ZIP_ERRORS as error:
        raise BadInput(f"{path}: not a zip file, or damaged: {error}", hint=_AGAIN) from error
    data = hashlib.sha256(_listed({name: sum_ for name, sum_ in files.items() if name != ENVIRONMENT})).hexdigest()
    return Bundle(path=path, manifest=manifest, digest=computed, data_digest=data, files=files, bytes=size, folder=into)


def _entries(path: Path, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the entries of the zip by name, after checking names, kinds and sizes."""
    listed = archive.infolist()
    if len(listed) > _MOST_FILES:
        raise BadInput(f"{path}: {counted(len(listed), 'file')}; at most {_MOST_FILES:,} are allowed", hint=_DISTRUST)
    entries: dict[str, zipfile.ZipInfo] = {}
    for entry in listed:
        name, kind = entry.filename, entry.external_attr >> 16 & 0o170000
        if entry.orig_filename != name or not _safe(name):
            raise BadInput(f"{path}: the name {entry.orig_filename!r} leads outside the bundle", hint=_DISTRUST)
        if name in entries:
            raise BadInput(f"{path}: the file {name} is contained twice", hint=_DISTRUST)
        if kind not in (0, 0o100000) or entry.flag_bits & 1 or entry.compress_type not in _METHODS:
            raise BadInput(f"{path}: {name} is a link, encrypted, or compressed in an unknown way", hint=_DISTRUST)
        entries[name] = entry
    size, limit = sum(entry.file_size for entry in listed), _limit(path)
    if size > limit:
        raise BadInput(
            f"{path}: unpacks to {counted(size, 'byte')}; at most {limit:,} are allowed",
            hint=f"If you trust its source, raise the limit: {SETTING}=20GB.",
        )
    return entries


def _safe(name: str) -> bool:
    parts = name.split("/")
    return not any(sign in name for sign in "\\\0:\n\r") and all(part not in ("", ".", "..") for part in parts)


def _limit(path: Path) -> int:
    """Return the maximum unpacked size: STC_MAX_UNPACKED, or 200 times the size of the file, but at least 64 MB."""
    size = path.stat().st_size
    return unpacked_limit(size) if os.environ.get(SETTING) else max(_LEAST, _RATIO * size)


def _small(path: Path, archive: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo], name: str) -> bytes:
    entry = entries.get(name)
    if entry is None:
        raise BadInput(f"{path}: contains no {name}, so it is not a bundle", hint="Give the file that 'stc bundle make' wrote.")
    with archive.open(entry) as member:
        content = member.read(_MOST_LIST + 1)
    if len(content) > _MOST_LIST:
        raise BadInput(f"{path}: {name} is too large", hint=_DISTRUST)
    return content


def _checksums(path: Path, listed: bytes) -> dict[str, str]:
    files: dict[str, str] = {}
    try:
        for line in listed.decode().removesuffix("\n").split("\n"):
            match = _LINE.fullmatch(line)
            if match is None or match[2] in files:
                raise ValueError(line[:80])
            files[match[2]] = match[1]
    except ValueError as error:
        raise BadInput(f"{path}: {CHECKSUMS} is not a list of checksums: {error}", hint=_AGAIN) from error
    return files


def _same_names(path: Path, files: dict[str, str], entries: dict[str, zipfile.ZipInfo]) -> None:
    for name in files:
        if name not in entries:
            raise BadInput(f"{path}: the file {name} is missing", hint=_AGAIN)
    for name in entries:
        if any(parent in entries for parent in _parents(name)):
            raise BadInput(f"{path}: {name} is in a folder that is also a file", hint=_DISTRUST)
        if name != CHECKSUMS and name not in files:
            raise BadInput(f"{path}: the file {name} has no checksum", hint=_DISTRUST)


def _parents(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _manifest(path: Path, archive: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo], files: dict[str, str]) -> dict[str, Any]:
    content = _small(path, archive, entries, MANIFEST)
    if hashlib.sha256(content).hexdigest() != files.get(MANIFEST):
        raise BadInput(f"{path}: the file {MANIFEST} was changed: its SHA-256 differs", hint=_AGAIN)
    try:
        manifest = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise BadInput(f"{path}: {MANIFEST} is not JSON: {error}", hint=_AGAIN) from error
    version = manifest.get("format") if isinstance(manifest, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise BadInput(f"{path}: {MANIFEST} does not describe a bundle", hint=_AGAIN)
    if version > FORMAT:
        raise BadInput(
            f"{path} has format {version}; this version reads formats up to {FORMAT}",
            hint="Install a newer version: pip install --upgrade stcollection.",
        )
    if wrong := manifest_fault(manifest, files):
        raise BadInput(f"{path}: {MANIFEST} does not describe a bundle: {wrong}", hint=_AGAIN)
    return dict(manifest)


def _member(path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, *, digest: str, to: Path | None) -> int:
    """Read a file of the archive to its end, compare its checksum, and write it. :returns: its size."""
    computed, size = hashlib.sha256(), 0
    if to is not None:
        to.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as member, Path(os.devnull if to is None else to).open("wb") as out:
        while block := member.read(_BLOCK):
            size += len(block)
            if size > entry.file_size:
                raise BadInput(f"{path}: the file {entry.filename} is longer than declared", hint=_DISTRUST)
            computed.update(block)
            out.write(block)
    if computed.hexdigest() != digest:
        raise BadInput(f"{path}: the file {entry.filename} was changed: its SHA-256 differs", hint=_AGAIN)
    return size
