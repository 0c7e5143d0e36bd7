"""Files of text search dictionaries: PostgreSQL reads them from ``tsearch_data`` of its own installation, and from nowhere else.

The embedded server's installation is a wheel, which an update replaces; so the files are kept under ``STC_HOME/tsearch_data`` and
put back at each start. A file is named by what is in it: several homes share one installation and never meet in a name, and a
dictionary that is given another content gets another file, which every session sees at once.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from stcollection.errors import StateError
from stcollection.io.writing import replaced

_PREFIX = "stc_"


def kept(home: Path) -> Path:
    """The folder below ``STC_HOME`` that keeps the files."""
    return home / "tsearch_data"


def file_name(name: str, text: str, kind: str) -> str:
    """``stc_<digest>_<name>.<kind>``, in letters that PostgreSQL takes. :param kind: ths, syn or stop."""
    return f"{_PREFIX}{hashlib.sha256(text.encode()).hexdigest()[:12]}_{name}.{kind}"


def keep(home: Path, file: str, text: str) -> Path:
    """Keep a file. :returns: its path."""
    path = kept(home) / file
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, text)
    except OSError as error:
        raise StateError(f"cannot write {path}: {error.strerror}", hint="Set STC_HOME to a folder you may write.") from error
    return path


def restore(home: Path, binaries: Path) -> list[str]:
    """Put the kept files that the embedded installation has not, or not whole, back into it.

    :param binaries: the installation's folder of programs.
    :returns: the names of the files that were put there.
    :raises StateError: the installation cannot be written to.
    """
    put = []
    for path in sorted(kept(home).glob(f"{_PREFIX}*")):
        text = path.read_text(encoding="utf-8")
        target = _installed(binaries) / path.name
        try:
            if not target.exists() or target.read_text(encoding="utf-8") != text:
                _write(target, text)
                put.append(path.name)
        except OSError as error:
            raise StateError(
                f"cannot put {path.name} into {target.parent}: {error.strerror}",
                hint=f"Have somebody who may write there copy {path} to it.",
            ) from error
    return put


def _installed(binaries: Path) -> Path:
    found = sorted((binaries.parent / "share").rglob("tsearch_data"))
    if not found:
        raise StateError(f"the embedded PostgreSQL at {binaries.parent} has no folder tsearch_data", hint="Install its wheel anew.")
    return found[0]


def _write(path: Path, text: str) -> None:
    """Whole or not at all: a server may read it meanwhile; readable for the server's own user."""
    with replaced(path) as [part]:
        part.write_text(text, encoding="utf-8")
        part.chmod(0o644)
