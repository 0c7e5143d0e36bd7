"""``manifest.json``: what a dump holds, and the SHA-256 of each of its files.

It is written last and in one step, so a folder without it is a dump that did not end. It carries a digest of itself.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePosixPath
from typing import Any

from stcollection.errors import BadArgument, BadInput

NAME = "manifest.json"
# Of this layout. A reader refuses a higher one.
FORMAT = 1
_MOST = 64 * 2**20  # bytes of a manifest that is read
_AGAIN = "Fetch the dump again, or have it made anew."
# Their rows are of the version that restores, whatever the dump had.
OURS = frozenset({"public.stc_objects", "public.alembic_version"})


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """:param kind: dump, or plain for SQL of the published names.
    :param made: when, ISO 8601 in UTC. :param extensions: name to version and schema.
    :param sample: how the documents were drawn; None: all are there.
    :param tables: rows of each, by ``schema.table``. :param emptied: tables whose rows are computed anew by restore.
    :param editions: of each its split, judgments, ``says`` (fingerprint of what it says), and ``sealed``, the fingerprint it was
        sealed with. :param indexes: those built anew, with their parameters. :param rebuilt: their names.
    :param files: path to bytes and sha256.
    """

    kind: str
    stcollection: str
    revision: str
    collection: str
    made: str
    postgresql: str
    extensions: dict[str, dict[str, str]]
    sample: dict[str, Any] | None
    tables: dict[str, int]
    emptied: list[str]
    editions: dict[str, dict[str, Any]]
    indexes: dict[str, Any]
    rebuilt: list[str]
    files: dict[str, dict[str, Any]]
    notes: list[str] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """That a restore has as they were: not those that it computes anew, nor those that are of its version."""
        return sum(rows for name, rows in self.tables.items() if name not in OURS and name not in self.emptied)

    @property
    def bytes(self) -> int:
        """Of all files but the manifest."""
        return sum(int(one["bytes"]) for one in self.files.values())


def made_by() -> str:
    """The version of stcollection; 0 in a checkout that was not installed."""
    try:
        return version("stcollection")
    except PackageNotFoundError:
        return "0"


def write(folder: Path, manifest: Manifest) -> str:
    """Write it, whole or not at all. :returns: its digest."""
    content = {"format": FORMAT, **asdict(manifest)}
    digest = _digest(content)
    part = folder / f"{NAME}.part"
    with part.open("w", encoding="utf-8") as file:
        json.dump({**content, "digest": digest}, file, indent=1, ensure_ascii=False)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    part.replace(folder / NAME)
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    return digest


def read(folder: Path) -> tuple[Manifest, str]:
    """The manifest of a dump and its digest.

    :raises BadArgument: there is no such folder. :raises BadInput: no manifest, or not one that can be read.
    """
    path = folder / NAME
    if not folder.is_dir():
        raise BadArgument(f"there is no folder {folder}", hint="Give the folder that 'stc db dump' wrote.")
    try:
        if path.stat().st_size > _MOST:
            raise BadInput(f"{path} is larger than any manifest", hint=_AGAIN)
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise BadInput(f"{folder} has no {NAME}: it is no dump, or one that did not end", hint=_AGAIN) from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} cannot be read: {error}", hint=_AGAIN) from error
    if not isinstance(content, dict) or not isinstance(content.get("format"), int):
        raise BadInput(f"{path} is no manifest of a dump", hint=_AGAIN)
    if content["format"] > FORMAT:
        raise BadInput(
            f"{path} is of format {content['format']}, this version reads up to {FORMAT}",
            hint="Install a newer version: pip install --upgrade stcollection.",
        )
    digest = content.pop("digest", None)
    if digest != _digest(content):
        raise BadInput(f"{path} was changed after it was written: its digest is another", hint=_AGAIN)
    del content["format"]
    kinds = {one.name: one.type for one in fields(Manifest)}
    for name in kinds.keys() | content.keys():
        expected = {"str": str, "list[str]": list}.get(str(kinds.get(name)), dict)
        if name not in kinds or name not in content or not (isinstance(content[name], expected) or content[name] is None):
            raise BadInput(f"{path} is no manifest of this format: {name!r}", hint=_AGAIN)
    return Manifest(**content), digest


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def describe(folder: Path, *, jobs: int) -> dict[str, dict[str, Any]]:
    """Bytes and sha256 of every file below the folder but those at its top, by path."""
    paths = sorted(path for path in folder.glob("*/**/*") if path.is_file())
    with ThreadPoolExecutor(jobs) as threads:
        digests = list(threads.map(_sha256, paths))
    return {
        path.relative_to(folder).as_posix(): {"bytes": path.stat().st_size, "sha256": digest}
        for path, digest in zip(paths, digests, strict=True)
    }


def describe_top(folder: Path, *, jobs: int) -> dict[str, dict[str, Any]]:
    """The same of the folder's own files of SQL."""
    paths = sorted(folder.glob("*.sql.gz"))
    with ThreadPoolExecutor(jobs) as threads:
        digests = list(threads.map(_sha256, paths))
    return {path.name: {"bytes": path.stat().st_size, "sha256": digest} for path, digest in zip(paths, digests, strict=True)}


def verify(folder: Path, manifest: Manifest, *, jobs: int, progress: Callable[[int, int | None], None] | None = None) -> None:
    """Check that the files are those of the manifest.

    :raises BadInput: one is missing, of another length or content, or outside the folder; it is named.
    """
    paths = {}
    for name, said in manifest.files.items():
        inside = PurePosixPath(name)
        if inside.is_absolute() or ".." in inside.parts or "\0" in name or not isinstance(said, dict):
            raise BadInput(f"{folder / NAME} names a file outside the dump: {name!r}", hint="Do not trust this dump.")
        path = folder / name
        if path.is_symlink() or not path.is_file():
            raise BadInput(f"the dump lacks the file {name}", hint=_AGAIN)
        if path.stat().st_size != said.get("bytes"):
            raise BadInput(f"the file {name} has {path.stat().st_size} bytes, not {said.get('bytes')}", hint=_AGAIN)
        paths[name] = path
    done = 0
    with ThreadPoolExecutor(jobs) as threads:
        for (name, path), digest in zip(paths.items(), threads.map(_sha256, paths.values()), strict=True):
            if digest != manifest.files[name].get("sha256"):
                threads.shutdown(wait=False, cancel_futures=True)
                raise BadInput(f"the file {name} was changed: its SHA-256 is another", hint=_AGAIN)
            done += path.stat().st_size
            if progress is not None:
                progress(done, manifest.bytes)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
