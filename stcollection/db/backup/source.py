"""Open the source of a restore: the folder of a dump, a dump in one file, or the address of such a file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from stcollection.db.backup import manifest
from stcollection.db.backup.download import Progress, download, forget, is_url, shown_url
from stcollection.db.backup.single import unpack
from stcollection.db.settings import Settings
from stcollection.errors import BadInput


@contextmanager
def opened(
    settings: Settings,
    source: str,
    *,
    digest: str | None = None,
    tell: Callable[[str], None] = lambda _: None,
    progress: Progress | None = None,
) -> Iterator[Path]:
    """Yield the folder of a dump. Temporary files are in the folder ``dumps`` of ``STC_HOME``.

    A downloaded file is removed after the block, and kept if the block fails, unless the dump is not valid.

    :param source: a folder, a file, or an address of http or https. :param digest: the expected digest of the manifest.
    :raises BadInput: the dump is not valid, or has another digest. :raises BadArgument: the folder does not exist.
    """
    folder = settings.home / "dumps"
    if not is_url(source):
        with _unpacked(Path(source), folder, tell) as unpacked:
            _compare(unpacked, digest)
            yield unpacked
        return
    tell(f"downloading {shown_url(source)}")
    path = download(source, folder, progress=progress)
    try:
        with _unpacked(path, folder, tell) as unpacked:
            _compare(unpacked, digest)
            yield unpacked
    except BadInput:
        forget(source, folder)
        raise
    forget(source, folder)


@contextmanager
def _unpacked(path: Path, folder: Path, tell: Callable[[str], None]) -> Iterator[Path]:
    if not path.is_file():
        yield path
        return
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="unpacked-", dir=folder) as temporary:
        tell("unpacking the dump")
        unpack(path, Path(temporary))
        yield Path(temporary)


def _compare(folder: Path, digest: str | None) -> None:
    if digest is None:
        return
    _, actual = manifest.read(folder)
    if actual != digest.strip().lower():
        raise BadInput(f"the dump has the digest {actual}, not {digest}", hint="Get it again, from where the digest was published.")
