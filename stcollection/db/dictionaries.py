"""Files of text search dictionaries, which PostgreSQL reads only from ``tsearch_data`` of its installation.

The embedded server's installation is a wheel, which an update replaces. Therefore the files are kept in ``STC_HOME/tsearch_data``
and restored at each start. File names contain a hash of the content: several homes share one installation without conflicts, and
changed content gets a new file, which every session sees immediately.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from stcollection.errors import StateError
from stcollection.io.writing import replace_files

_PREFIX = "stc_"


def kept_folder(home: Path) -> Path:
    """Return the folder in ``STC_HOME`` that keeps the files."""
    return home / "tsearch_data"


def file_name(name: str, text: str, kind: str) -> str:
    """Return ``stc_<digest>_<name>.<kind>``, with characters that PostgreSQL accepts. :param kind: ths, syn or stop."""
    return f"{_PREFIX}{hashlib.sha256(text.encode()).hexdigest()[:12]}_{name}.{kind}"


def keep(home: Path, file: str, text: str) -> Path:
    """Save a file. :returns: its path."""
    path = kept_folder(home) / file
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, text)
    except OSError as error:
        raise StateError(f"cannot write {path}: {error.strerror}", hint="Set STC_HOME to a writable folder.") from error
    return path


def restore(home: Path, binaries: Path) -> list[str]:
    """Copy kept files that are missing or incomplete in the embedded installation back to it.

    :param binaries: the installation's folder of programs.
    :returns: the names of the copied files.
    :raises StateError: the installation cannot be written to.
    """
    put = []
    for path in sorted(kept_folder(home).glob(f"{_PREFIX}*")):
        text = path.read_text(encoding="utf-8")
        target = _installed(binaries) / path.name
        try:
            if not target.exists() or target.read_text(encoding="utf-8") != text:
                _write(target, text)
                put.append(path.name)
        except OSError as error:
            raise StateError(
                f"cannot copy {path.name} to {target.parent}: {error.strerror}",
                hint=f"Have a user with write access copy {path} to that folder.",
            ) from error
    return put


def _installed(binaries: Path) -> Path:
    folders = sorted((binaries.parent / "share").rglob("tsearch_data"))
    if not folders:
        raise StateError(f"the embedded PostgreSQL at {binaries.parent} has no folder tsearch_data", hint="Reinstall its wheel.")
    return folders[0]


def _write(path: Path, text: str) -> None:
    """Write the file atomically, because a server may be reading it, and readable for the server's user."""
    with replace_files(path) as [part]:
        part.write_text(text, encoding="utf-8")
        part.chmod(0o644)
