"""Dumps that are damaged, changed, or of another version are refused before anything is created, or not kept."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from stcollection.db.backup import manifest
from stcollection.db.backup.dump import Dumped
from stcollection.db.backup.restore import restore
from stcollection.errors import BadInput, StateError
from tests.db.conftest import NewName
from tests.db.handed import databases, unpacked_rows

pytestmark = pytest.mark.slow


def copied(dumped: Dumped, folder: Path) -> Path:
    shutil.copytree(dumped.folder, folder / "copy")
    return folder / "copy"


@pytest.mark.slow
def test_any_flipped_byte_is_found(dumped: Dumped, new_name: NewName, tmp_path: Path) -> None:
    folder = copied(dumped, tmp_path)
    there = new_name()
    before = databases(there)
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.stat().st_size == 0:
            continue
        content = path.read_bytes()
        where = len(content) * 2 // 3
        path.write_bytes(content[:where] + bytes([content[where] ^ 1]) + content[where + 1 :])
        with pytest.raises(BadInput) as error:
            restore(there, folder)
        assert path.name in error.value.message
        path.write_bytes(content)
    assert databases(there) == before
    restore(there, folder)


def _missing(folder: Path) -> str:
    next(folder.glob("data/*.copy.zst")).unlink()
    return "lacks the file data/"


def _shorter(folder: Path) -> str:
    path = max(folder.glob("data/*.copy.zst"), key=lambda one: one.stat().st_size)
    path.write_bytes(path.read_bytes()[:-1])
    return "bytes, not"


def _no_manifest(folder: Path) -> str:
    (folder / manifest.NAME).unlink()
    return "no manifest.json: it is not a dump, or an unfinished one"


def _half_a_manifest(folder: Path) -> str:
    path = folder / manifest.NAME
    path.write_text(path.read_text()[: path.stat().st_size // 2])
    return "cannot be read"


def _a_list(folder: Path) -> str:
    (folder / manifest.NAME).write_text("[1]")
    return "not a manifest of a dump"


def _bottomless(folder: Path) -> str:
    (folder / manifest.NAME).write_text("[" * 100_000)
    return "cannot be read"


def _link(folder: Path) -> str:
    path = next(folder.glob("data/*.copy.zst"))
    path.unlink()
    path.symlink_to("/etc/hostname")
    return "lacks the file"


DAMAGES = (_missing, _shorter, _no_manifest, _half_a_manifest, _a_list, _bottomless, _link)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_dump_is_refused(dumped: Dumped, new_name: NewName, tmp_path: Path, damage: Callable[[Path], str]) -> None:
    folder = copied(dumped, tmp_path)
    there = new_name()
    before = databases(there)
    expected = damage(folder)
    with pytest.raises(BadInput, match=expected):
        restore(there, folder)
    assert databases(there) == before


def _rewritten(folder: Path, **changed: object) -> None:
    """Change the manifest and update its digest."""
    content = json.loads((folder / manifest.NAME).read_text())
    del content["digest"]
    content.update(changed)
    (folder / manifest.NAME).write_text(json.dumps({**content, "digest": manifest._digest(content)}))


@pytest.mark.parametrize(
    ("changed", "kind", "message"),
    [
        ({"revision": "0999"}, StateError, "newer version .* revision 0999"),
        ({"format": 4}, BadInput, "format 4; this version reads formats up to 3"),
        ({"kind": "plain"}, BadInput, "plain SQL"),
        ({"files": {"../../etc/passwd": {"bytes": 1, "sha256": ""}}}, BadInput, "outside the dump"),
        ({"files": {}}, BadInput, "lacks the file data/"),
        ({"revision": "0034"}, StateError, r"a collection of version 0.1 \(stcollection .*, revision 0034\)"),
        ({"format": 1}, StateError, "a collection of version 0.1"),
        ({"tables": None}, BadInput, "'tables'"),
        ({"files": 3}, BadInput, "'files'"),
        ({"rm": "-rf"}, BadInput, "'rm'"),
    ],
)
def test_another_manifest_is_refused(
    dumped: Dumped, new_name: NewName, tmp_path: Path, changed: dict[str, object], kind: type[Exception], message: str
) -> None:
    folder = copied(dumped, tmp_path)
    _rewritten(folder, **changed)
    there = new_name()
    before = databases(there)
    with pytest.raises(kind, match=message):
        restore(there, folder)
    assert databases(there) == before


@pytest.mark.parametrize("what", ["tables", "editions"])
def test_what_does_not_fit_the_manifest_is_not_kept(dumped: Dumped, new_name: NewName, tmp_path: Path, what: str) -> None:
    folder = copied(dumped, tmp_path)
    content = getattr(dumped.manifest, what)
    if what == "tables":
        _rewritten(folder, tables={**content, "public.dblp": 1})
    else:
        _rewritten(folder, editions={**content, "train": {**content["train"], "says": "0"}})
    there = new_name()
    before = databases(there)
    with pytest.raises(StateError, match=r"public.dblp has 240 rows, not 1|edition 'train' differs"):
        restore(there, folder)
    assert databases(there) == before


def _described(path: Path, content: bytes) -> dict[str, object]:
    return {"bytes": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "unpacked": len(content)}


def test_a_dump_of_format_2_is_restored(dumped: Dumped, new_name: NewName, tmp_path: Path) -> None:
    """Format 2 differs from format 3 only in the compression of rows: gzip."""
    folder = copied(dumped, tmp_path)
    files: dict[str, object] = dict(dumped.manifest.files)
    for path in sorted(folder.glob("data/*.copy.zst")):
        content, older = unpacked_rows(path), path.with_suffix(".gz")
        older.write_bytes(gzip.compress(content, mtime=0))
        del files[f"data/{path.name}"]
        path.unlink()
        files[f"data/{older.name}"] = _described(older, content)
    _rewritten(folder, format=2, files=files)
    there = new_name()
    restored = restore(there, folder)
    assert restored.manifest.tables == dumped.manifest.tables


@pytest.mark.parametrize("damage", ["gzip", "cut", "longer"])
def test_rows_that_do_not_unpack_are_refused(dumped: Dumped, new_name: NewName, tmp_path: Path, damage: str) -> None:
    """The checksums of the manifest are right, but a file is not the zstd that it should be."""
    folder = copied(dumped, tmp_path)
    path = folder / "data" / "dblp.copy.zst"
    content = unpacked_rows(path)
    packed = zstandard.compress(content + (b"x" if damage == "longer" else b""))
    path.write_bytes(gzip.compress(content) if damage == "gzip" else packed[: -len(packed) // 3] if damage == "cut" else packed)
    _rewritten(folder, files={**dumped.manifest.files, "data/dblp.copy.zst": _described(path, content)})
    there = new_name()
    before = databases(there)
    with pytest.raises(BadInput, match=r"the file data/dblp.copy.zst (cannot be unpacked|unpacks to)"):
        restore(there, folder)
    assert databases(there) == before
