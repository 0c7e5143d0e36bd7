"""A dump in one file: packed, restored from a path and from an address, with connections that are cut and damaged files."""

from __future__ import annotations

import io
import shutil
import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from filelock import FileLock

from stcollection.db.backup import manifest
from stcollection.db.backup.download import _path as module_path
from stcollection.db.backup.download import download, forget, shown_url
from stcollection.db.backup.dump import Dumped
from stcollection.db.backup.single import pack, packed, unpack
from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError
from tests.db.conftest import NewName
from tests.db.handed import DOCUMENTS
from tests.db.served import Served, serving
from tests.groups import db as group

pytestmark = pytest.mark.slow
BYTES = bytes(range(256)) * 4000


@pytest.fixture
def file(dumped: Dumped, tmp_path: Path) -> Path:
    """The dump of the filled collection, as one file."""
    shutil.copytree(dumped.folder, tmp_path / "copy")
    pack(tmp_path / "copy", tmp_path / "demo.tar")
    return tmp_path / "demo.tar"


def documents(settings: Settings) -> int:
    with open_session(conninfo(settings)) as conn:
        [[count]] = conn.execute("SELECT count(*) FROM dblp").fetchall()
    return int(count)


def left(settings: Settings) -> list[str]:
    return sorted(path.name for path in (settings.home / "dumps").iterdir())


def test_it_has_the_files_of_the_folder_with_the_manifest_first(file: Path, dumped: Dumped, tmp_path: Path) -> None:
    with tarfile.open(file) as tar:
        assert tar.getnames() == [manifest.NAME, *sorted(dumped.manifest.files)]
    (tmp_path / "again").mkdir()
    unpack(file, tmp_path / "again")
    described, digest = manifest.read(tmp_path / "again")
    assert (described, digest) == (dumped.manifest, dumped.digest)
    manifest.verify(tmp_path / "again", described, jobs=2)


def test_dump_and_restore(handed: Settings, new_name: NewName, tmp_path: Path) -> None:
    target = tmp_path / "whole.tar"
    done = CliRunner().invoke(group, ["dump", str(target), "--jobs", "2"], obj=handed)
    assert done.exit_code == 0, done.output
    assert [path.name for path in tmp_path.iterdir()] == ["whole.tar"]
    again = CliRunner().invoke(group, ["dump", str(target)], obj=handed)
    assert isinstance(again.exception, BadArgument)
    digest = done.output.split()[-1]
    settings = new_name()
    refused = CliRunner().invoke(group, ["restore", str(target), "--digest", "0" * 64], obj=settings)
    assert isinstance(refused.exception, BadInput)
    assert digest in str(refused.exception)
    done = CliRunner().invoke(group, ["restore", str(target), "--digest", digest], obj=settings)
    assert done.exit_code == 0, (done.output, done.exception)
    assert documents(settings) == documents(handed) >= DOCUMENTS
    assert left(settings) == []


def test_restore_from_an_address_that_cuts_the_connection(file: Path, new_name: NewName, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stcollection.db.backup.download.time.sleep", lambda _: None)
    content, settings = file.read_bytes(), new_name()
    with serving(Served(content, cuts=[5000, 1, 70_000])) as served:
        done = CliRunner().invoke(group, ["restore", served.url], obj=settings)
    assert done.exit_code == 0, (done.output, done.exception)
    assert served.asked == [None, "bytes=5000-", "bytes=5001-", "bytes=75001-"]
    assert documents(settings) >= DOCUMENTS
    assert left(settings) == []


def test_a_damaged_download_is_not_restored_and_not_kept(file: Path, new_name: NewName) -> None:
    content, settings = bytearray(file.read_bytes()), new_name()
    with tarfile.open(file) as tar:
        place = tar.getmember("data/dblp.copy.zst").offset_data + 20
    content[place] ^= 1
    with serving(Served(bytes(content))) as served:
        done = CliRunner().invoke(group, ["restore", served.url], obj=settings)
    assert isinstance(done.exception, BadInput)
    assert "data/dblp.copy.zst was changed" in str(done.exception)
    assert left(settings) == []


def test_an_existing_collection_is_refused_before_the_download(handed: Settings) -> None:
    with serving(Served(BYTES)) as served:
        done = CliRunner().invoke(group, ["restore", served.url], obj=handed)
    assert isinstance(done.exception, BadArgument)
    assert served.asked == []


def fetch(served: Served, folder: Path) -> bytes:
    path = download(served.url, folder, pause=0)
    content = path.read_bytes()
    forget(served.url, folder)
    return content


@pytest.mark.parametrize(
    ("served", "asked"),
    [
        (Served(BYTES), [None]),
        (Served(BYTES, cuts=[0, 10, 20]), [None, None, "bytes=10-", "bytes=30-"]),
        (Served(BYTES, cuts=[10], ranges=False), [None, "bytes=10-"]),
        (Served(BYTES, cuts=[10], etag=None), [None, None]),
        (Served(BYTES, cuts=[10], etag='W/"weak"'), [None, None]),
        (Served(BYTES, chunked=True), [None]),
    ],
)
def test_downloads(served: Served, asked: list[str | None], tmp_path: Path) -> None:
    with serving(served):
        assert fetch(served, tmp_path) == BYTES
    assert served.asked == asked
    assert list(tmp_path.iterdir()) == []


def test_the_next_call_continues(tmp_path: Path) -> None:
    with serving(Served(BYTES, cuts=[1000, *[0] * 5])) as served:
        with pytest.raises(BadInput, match=r"stopped after 1,000 of 1,024,000 bytes") as stopped:
            download(served.url, tmp_path, pause=0)
        assert "continues where it stopped" in str(stopped.value.hint)
        assert fetch(served, tmp_path) == BYTES
    assert served.asked[-1] == "bytes=1000-"


@pytest.mark.parametrize("content", [bytes(3_000), b"short"])
def test_a_file_that_changed_is_downloaded_from_its_start(content: bytes, tmp_path: Path) -> None:
    with serving(Served(BYTES, cuts=[1000, *[0] * 5])) as served:
        with pytest.raises(BadInput):
            download(served.url, tmp_path, pause=0)
        served.content, served.etag = content, '"two"'
        assert fetch(served, tmp_path) == content


@pytest.mark.parametrize("status", [403, 404, 500])
def test_an_error_of_the_server(status: int, tmp_path: Path) -> None:
    with serving(Served(BYTES, status=status)) as served, pytest.raises(BadInput, match=f"the server answers {status}"):
        download(served.url, tmp_path, pause=0)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_and_a_second_download(tmp_path: Path) -> None:
    with serving(Served(b"")) as served:
        with pytest.raises(BadInput, match="is empty"):
            download(served.url, tmp_path, pause=0)
        lock = FileLock(module_path(served.url, tmp_path).with_suffix(".lock"))
        with lock, pytest.raises(StateError, match="another process is downloading"):
            download(served.url, tmp_path, pause=0)
        assert served.asked == [None]


def test_no_server(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the download stopped after 0 bytes"):
        download("http://127.0.0.1:1/x.tar", tmp_path, pause=0)


def test_a_redirect_from_https_to_http(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/safe":
            return httpx.Response(302, headers={"Location": "/dump.tar"})
        if request.url.path == "/dump.tar":
            return httpx.Response(200, stream=httpx.ByteStream(BYTES), headers={"Content-Length": str(len(BYTES))})
        return httpx.Response(302, headers={"Location": "http://example.org/dump.tar"})

    client = partial(httpx.Client, transport=httpx.MockTransport(answer))
    monkeypatch.setattr("stcollection.db.backup.download.httpx.Client", client)
    assert download("https://example.org/safe", tmp_path / "d").read_bytes() == BYTES
    with pytest.raises(BadInput, match=r"redirects to http://example.org/dump.tar, which is not encrypted"):
        download("https://example.org/other", tmp_path / "d")


def test_a_password_in_an_address_is_not_shown(new_name: NewName, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stcollection.db.backup.download.time.sleep", lambda _: None)
    with serving(Served(BYTES, status=403)) as served:
        address = served.url.replace("http://", "http://anna:s3cret@")
        for url in (address, "http://anna:s3cret@127.0.0.1:1/x.tar", "http://anna:s3cret@127.0.0.1:port/x.tar"):
            done = CliRunner().invoke(group, ["restore", url], obj=new_name())
            told = done.output + str(done.exception)
            assert isinstance(done.exception, BadInput)
            assert "s3cret" not in told
            assert "http://***@127.0.0.1" in told, told
    assert shown_url("https://[::1]:8080/a@b:c?d=e#f") == "https://[::1]:8080/a@b:c?d=e#f"
    assert shown_url("https://token@h/x") == "https://***@h/x"
    with serving(Served(BYTES, cuts=[10] + [0] * 9)) as served, pytest.raises(BadInput):
        download(served.url.replace("http://", "http://anna:s3cret@"), tmp_path, pause=0)
    assert [path for path in tmp_path.iterdir() if b"s3cret" in path.read_bytes()] == []


def test_too_little_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stcollection.db.backup.download.shutil.disk_usage", lambda _: shutil._ntuple_diskusage(9, 1, 8))
    with serving(Served(BYTES)) as served, pytest.raises(StateError, match="needs twice that"):
        download(served.url, tmp_path, pause=0)


def changed(file: Path, change: Callable[[list[tuple[tarfile.TarInfo, bytes]]], object]) -> None:
    with tarfile.open(file) as tar:
        members = [(one, tar.extractfile(one).read()) for one in tar]  # type: ignore[union-attr]
    change(members)
    with tarfile.open(file, "w") as tar:
        for one, content in members:
            one.size = len(content)
            tar.addfile(one, io.BytesIO(content))


def renamed(members: list[tuple[tarfile.TarInfo, bytes]], name: str) -> None:
    members[1][0].name = name


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda members: members.pop(0), "does not begin with manifest.json"),
        (lambda members: members.pop(), "ends early: it lacks 1 of its files"),
        (lambda members: members.append(members[1]), "is not a file of the manifest"),
        (lambda members: renamed(members, "../../evil"), "is not a file of the manifest"),
        (lambda members: renamed(members, "/evil"), "is not a file of the manifest"),
    ],
)
def test_other_archives(file: Path, tmp_path: Path, change: Callable[..., object], said: str) -> None:
    changed(file, change)
    (tmp_path / "into").mkdir()
    with pytest.raises(BadInput, match=said):
        unpack(file, tmp_path / "into")


@pytest.mark.parametrize("kept", [0, 100, 3000, -5000])
def test_files_that_end_early(file: Path, tmp_path: Path, kept: int) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: kept if kept >= 0 else len(content) // 2])
    (tmp_path / "into").mkdir()
    with pytest.raises(BadInput, match=r"not a dump in one file|not a complete dump|ends early"):
        unpack(file, tmp_path / "into")


def test_a_failed_dump_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="there is no folder"), packed(tmp_path / "x.tar"):
        pass
    with pytest.raises(BadArgument, match="does not exist"), packed(tmp_path / "no" / "x.tar"):
        pass
    assert list(tmp_path.iterdir()) == []
