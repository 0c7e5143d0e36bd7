"""Write, read and verify ``manifest.json``, which describes a dump and has the SHA-256 of each file.

It is written last and atomically, so a folder without it is an unfinished dump. It contains a digest of itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePosixPath
from typing import Any

from stcollection.counts import counted
from stcollection.errors import BadArgument, BadInput, StateError
from stcollection.io.files import sha256
from stcollection.io.writing import output

NAME = "manifest.json"
# Version of the layout; readers refuse a higher one. Format 1 is that of version 0.1, format 2 has files of COPY packed with gzip,
# format 3 with zstd.
FORMAT = 3
MOST = 64 * 2**20  # maximum bytes of a manifest
_AGAIN = "Get the dump again, or have a new one made."
# Tables whose rows restore creates itself instead of using the dump.
OURS = frozenset({"public.stc_objects", "public.stc_catalogue", "public.alembic_version"})


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """Description of a dump.

    :param kind: ``dump``, or ``plain`` for SQL with the published names.
    :param made: creation time, ISO 8601 in UTC. :param extensions: name to version and schema.
    :param sample: how the documents were drawn; None if the dump has all.
    :param tables: number of rows by ``schema.table``. :param emptied: tables whose rows restore recomputes.
    :param editions: for each its split, judgments, ``says`` (fingerprint of its content), and ``sealed`` (fingerprint when it was
        sealed). :param indexes: indexes to rebuild, with their parameters. :param rebuilt: names of these indexes.
    :param files: path to bytes and sha256; ``unpacked`` is the length of rows before compression.
    :param columns: columns of each table with rows in the dump. :param sequences: name to last value.
    :param text_search: dictionaries and configurations. :param schemas: further schemas, name to owner.
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
    columns: dict[str, list[str]] = field(default_factory=dict)
    sequences: dict[str, int] = field(default_factory=dict)
    text_search: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    schemas: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def rows(self) -> int:
        """Rows restored verbatim, without recomputed rows and rows that restore creates itself."""
        return sum(rows for name, rows in self.tables.items() if name not in OURS and name not in self.emptied)

    @property
    def bytes(self) -> int:
        """Total bytes of all files except the manifest."""
        return sum(int(file["bytes"]) for file in self.files.values())


def made_by() -> str:
    """Return the version of stcollection; 0 in a checkout that is not installed."""
    try:
        return version("stcollection")
    except PackageNotFoundError:
        return "0"


def write(folder: Path, manifest: Manifest) -> str:
    """Write the manifest atomically. :returns: its digest."""
    content = asdict(manifest)
    digest = _digest(content)
    with output(folder / NAME, synced=True) as file:
        file.write(json.dumps({**content, "digest": digest}, indent=1, ensure_ascii=False).encode() + b"\n")
    return digest


def read(folder: Path) -> tuple[Manifest, str]:
    """Read the manifest of a dump and its digest.

    :raises BadArgument: the folder does not exist. :raises BadInput: the manifest is missing or invalid.
    :raises StateError: version 0.1 made the dump.
    """
    path = folder / NAME
    if not folder.is_dir():
        raise BadArgument(f"there is no folder {folder}", hint="Give the folder or the .tar file that 'stc db dump' wrote.")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise BadInput(f"{path} is a link, or not a regular file", hint="Do not trust this dump.")
    try:
        with path.open("rb") as file:
            text = file.read(MOST + 1)
        if len(text) > MOST:
            raise BadInput(f"{path} is too large for a manifest", hint=_AGAIN)
        content = json.loads(text.decode())
    except FileNotFoundError as error:
        raise BadInput(f"{folder} has no {NAME}: it is not a dump, or an unfinished one", hint=_AGAIN) from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} cannot be read: {error}", hint=_AGAIN) from error
    if not isinstance(content, dict) or not isinstance(content.get("format"), int):
        raise BadInput(f"{path} is not a manifest of a dump", hint=_AGAIN)
    if content["format"] > FORMAT:
        raise BadInput(
            f"{path} has format {content['format']}; this version reads formats up to {FORMAT}",
            hint="Install a newer version: pip install --upgrade stcollection.",
        )
    if content["format"] < 2:
        raise too_old(str(content.get("stcollection")), str(content.get("revision")))
    digest = content.pop("digest", None)
    if digest != _digest(content):
        raise BadInput(f"{path} was changed after it was written: its digest differs", hint=_AGAIN)
    kinds = {part.name: part.type for part in fields(Manifest)}
    for name in kinds.keys() | content.keys():
        expected = {"str": str, "int": int, "list[str]": list}.get(str(kinds.get(name)), dict)
        optional = name == "sample" and content.get(name) is None
        if name not in kinds or name not in content or not (isinstance(content[name], expected) or optional):
            raise BadInput(f"{path} is not a manifest of this format: {name!r}", hint=_AGAIN)
    _check_inside(path, content)
    return Manifest(**content), digest


def too_old(version: str, revision: str) -> StateError:
    """Return the error for a dump of a collection of version 0.1. :param version: the version that made the dump."""
    return StateError(
        f"the dump has a collection of version 0.1 (stcollection {version}, revision {revision}); this version restores those of"
        " version 0.2",
        hint="Convert it with version 0.2: pip install stcollection==0.2.0, then 'stc db restore DUMP --db NAME',"
        " 'stc --db NAME db dump NEW'. Then restore NEW with this version. Nothing was changed.",
    )


_LENGTHS = ("bytes", "unpacked")


def _length(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _check_inside(path: Path, content: dict[str, Any]) -> None:
    """Check the types of values that later steps rely on. :raises BadInput: a type is wrong."""

    def of(name: str, kind: type | tuple[type, ...]) -> bool:
        entry = content[name]
        values = entry.values() if isinstance(entry, dict) else entry
        return all(isinstance(value, kind) and not isinstance(value, bool) for value in values)

    right = {
        "tables": of("tables", int) and all(rows >= 0 for rows in content["tables"].values()),
        "emptied": of("emptied", str),
        "rebuilt": of("rebuilt", str),
        "notes": of("notes", str),
        "sequences": of("sequences", int),
        "schemas": of("schemas", str),
        "editions": of("editions", dict) and all("says" in entry and "hidden" in entry for entry in content["editions"].values()),
        "extensions": of("extensions", dict) and all(isinstance(row.get("schema"), str) for row in content["extensions"].values()),
        "indexes": isinstance(content["indexes"].get("text"), dict | None) and isinstance(content["indexes"].get("vectors"), list),
        "text_search": of("text_search", list),
        "columns": of("columns", list) and all(isinstance(name, str) for given in content["columns"].values() for name in given),
        "files": of("files", dict) and all(_length(file.get(what, 0)) for file in content["files"].values() for what in _LENGTHS),
    }
    for name, good in right.items():
        if not good:
            raise BadInput(f"{path} is not a manifest of this format: {name!r}", hint=_AGAIN)


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def describe(folder: Path, *, jobs: int) -> dict[str, dict[str, Any]]:
    """Return bytes and sha256 by path of every file in the subfolders of the folder."""
    paths = sorted(path for path in folder.glob("*/**/*") if path.is_file())
    with ThreadPoolExecutor(jobs) as threads:
        digests = list(threads.map(sha256, paths))
    return {
        path.relative_to(folder).as_posix(): {"bytes": path.stat().st_size, "sha256": digest}
        for path, digest in zip(paths, digests, strict=True)
    }


def describe_top(folder: Path, *, jobs: int) -> dict[str, dict[str, Any]]:
    """Return bytes and sha256 by name of the SQL files directly in the folder."""
    paths = sorted(folder.glob("*.sql.gz"))
    with ThreadPoolExecutor(jobs) as threads:
        digests = list(threads.map(sha256, paths))
    return {path.name: {"bytes": path.stat().st_size, "sha256": digest} for path, digest in zip(paths, digests, strict=True)}


def verify(folder: Path, manifest: Manifest, *, jobs: int, progress: Callable[[int, int | None], None] | None = None) -> None:
    """Check the files against the manifest.

    :raises BadInput: a file is missing, has another length or content, or is outside the folder; the message names it.
    """
    paths = {}
    for name, expected in manifest.files.items():
        inside = PurePosixPath(name)
        if inside.is_absolute() or ".." in inside.parts or "\0" in name or not isinstance(expected, dict):
            raise BadInput(f"{folder / NAME} names a file outside the dump: {name!r}", hint="Do not trust this dump.")
        path = folder / name
        if not _is_file(path) or path.resolve() != folder.resolve() / inside:
            raise BadInput(f"the dump lacks the file {name}", hint=_AGAIN)
        if path.stat().st_size != expected.get("bytes"):
            raise BadInput(f"the file {name} has {counted(path.stat().st_size, 'byte')}, not {expected.get('bytes')}", hint=_AGAIN)
        paths[name] = path
    read_bytes = 0
    with ThreadPoolExecutor(jobs) as threads:
        for (name, path), digest in zip(paths.items(), threads.map(sha256, paths.values()), strict=True):
            if digest != manifest.files[name].get("sha256"):
                threads.shutdown(wait=False, cancel_futures=True)
                raise BadInput(f"the file {name} was changed: its SHA-256 differs", hint=_AGAIN)
            read_bytes += path.stat().st_size
            if progress is not None:
                progress(read_bytes, manifest.bytes)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # not a valid file name
        return False
