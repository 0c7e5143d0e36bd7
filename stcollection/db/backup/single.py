"""Write and read a dump as one file: an uncompressed tar with ``manifest.json`` first, then the files that it lists.

The files are those of the folder, compressed already. Reading takes only files that the manifest lists, with their lengths; restore
compares their SHA-256 as for a folder.
"""

from __future__ import annotations

import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stcollection.db.backup import manifest
from stcollection.errors import BadArgument, BadInput
from stcollection.io.writing import output

SUFFIX = ".tar"
_AGAIN = "Get the file again, or have a new one made."
_BLOCK = 1 << 20


@contextmanager
def packed(target: Path) -> Iterator[Path]:
    """Yield the folder to dump to; if the target is a file name with .tar, pack the folder into it at the end.

    :raises BadArgument: the file exists, or its folder does not.
    """
    if target.suffix != SUFFIX:
        yield target
        return
    if target.exists():
        raise BadArgument(f"{target} exists", hint="Name a new file, or remove this one.")
    if not target.absolute().parent.is_dir():
        raise BadArgument(f"the folder {target.absolute().parent} does not exist", hint="Create it first.")
    with tempfile.TemporaryDirectory(prefix=f"{target.name}.", suffix=".part", dir=target.absolute().parent) as temporary:
        folder = Path(temporary) / "dump"
        yield folder
        pack(folder, target)


def pack(folder: Path, path: Path) -> None:
    """Pack a dump into one file, which appears when it is complete. The files of the folder are removed as they are packed."""
    described, _ = manifest.read(folder)
    with output(path, synced=True) as file, tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in (manifest.NAME, *sorted(described.files)):
            member = tarfile.TarInfo(name)
            member.size, member.mode = (folder / name).stat().st_size, 0o600
            with (folder / name).open("rb") as content:
                tar.addfile(member, content)
            (folder / name).unlink()


def unpack(path: Path, folder: Path) -> None:
    """Unpack a dump into an empty folder.

    :raises BadInput: not a dump in one file, incomplete, or with a file that the manifest does not list.
    """
    try:
        with tarfile.open(path, mode="r:") as tar:
            first = tar.next()
            if first is None or first.name != manifest.NAME or first.size > manifest.MOST:
                raise BadInput(f"{path} is not a dump in one file: it does not begin with {manifest.NAME}", hint=_AGAIN)
            _extract(tar, first, folder, path)
            described, _ = manifest.read(folder)
            left = dict(described.files)
            while (member := tar.next()) is not None:
                expected = left.pop(member.name, None)
                if not isinstance(expected, dict) or not member.isreg() or member.size != expected.get("bytes"):
                    raise BadInput(f"{path}: {member.name!r} is not a file of the manifest", hint="Do not trust this dump.")
                _extract(tar, member, folder, path)
    except (tarfile.TarError, EOFError) as error:
        raise BadInput(f"{path} is not a complete dump in one file: {error}", hint=_AGAIN) from error
    if left:
        raise BadInput(f"{path} ends early: it lacks {len(left):,} of its files, such as {min(left)}", hint=_AGAIN)


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path, path: Path) -> None:
    target = folder / member.name
    if not member.isreg() or not target.resolve().is_relative_to(folder.resolve()):
        raise BadInput(f"{path} names a file outside the dump: {member.name!r}", hint="Do not trust this dump.")
    content = tar.extractfile(member)
    if content is None:
        raise BadInput(f"{path}: {member.name!r} is not a regular file", hint="Do not trust this dump.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        shutil.copyfileobj(content, file, _BLOCK)
        if file.tell() != member.size:
            raise BadInput(f"{path} ends early, in {member.name}", hint=_AGAIN)
