"""The upload endpoint: tickets, limits on size and number, and that a refused or broken upload leaves nothing behind."""

from __future__ import annotations

import asyncio
import gzip
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from fastapi import FastAPI
from starlette.testclient import TestClient

from stcollection.errors import BadInput, StateError
from stcollection.web.guard import Accepted, Guard
from stcollection.web.uploads import endpoint
from stcollection.web.uploads.files import AT_ONCE, FILES, OF_SESSION, UploadedFile, UploadRefused, Uploads
from stcollection.web.uploads.unpack import named, unpack

LIMIT = 10_000


@pytest.fixture
def uploads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Uploads]:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    uploads = Uploads(limit=LIMIT)
    uploads.open()
    yield uploads
    uploads.close()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def client(uploads: Uploads) -> TestClient:
    app = FastAPI()
    endpoint.add(app, uploads)
    return TestClient(Guard(app, accepted=Accepted()), base_url="http://127.0.0.1:8766")


def headers(ticket: str, **more: str) -> dict[str, str]:
    return {"X-Stc-Upload": ticket, "Content-Type": "application/octet-stream", "X-Stc-Name": "a%2Fb.run", **more}


def on_disk(tmp_path: Path) -> list[Path]:
    return [one for one in tmp_path.rglob("*") if one.is_file()]


def test_a_file_belongs_to_its_session(client: TestClient, uploads: Uploads, tmp_path: Path) -> None:
    ticket, other = uploads.admit(), uploads.admit()
    answer = client.post("/upload", content=b"q 0 d 1\n", headers=headers(ticket))
    assert (answer.status_code, answer.json()["name"], answer.json()["size"]) == (200, "a/b.run", 8)
    key = answer.json()["key"]
    file = uploads.find(ticket, key)
    assert (file.safe_name, file.raw.read_bytes()) == ("b.run", b"q 0 d 1\n")
    assert file.folder.stat().st_mode & 0o077 == 0
    with pytest.raises(StateError, match="no longer here"):
        uploads.find(other, key)
    uploads.dismiss(ticket)
    assert on_disk(tmp_path) == []


@pytest.mark.parametrize(
    "change",
    [
        {"X-Stc-Upload": "guessed"},
        {"Content-Type": "text/plain"},
        {"Content-Type": "multipart/form-data; boundary=x"},
        {"Origin": "http://elsewhere.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_other_pages_are_refused(client: TestClient, uploads: Uploads, tmp_path: Path, change: dict[str, str]) -> None:
    ticket = uploads.admit()
    assert client.post("/upload", content=b"x", headers=headers(ticket, **change)).status_code == 403
    assert client.get("/upload").status_code == 405
    assert on_disk(tmp_path) == []


def test_without_a_ticket_or_a_limit(client: TestClient, uploads: Uploads) -> None:
    assert client.post("/upload", content=b"x").status_code == 403
    ticket = uploads.admit()
    uploads.limit = 0
    answer = client.post("/upload", content=b"x", headers=headers(ticket))
    assert (answer.status_code, answer.json()["error"]["message"]) == (403, "uploads are disabled on this server")


def test_a_file_that_is_too_large(client: TestClient, uploads: Uploads, tmp_path: Path) -> None:
    ticket = uploads.admit()

    def chunked() -> Iterator[bytes]:  # no Content-Length
        for _ in range(12):
            yield bytes(1000)

    for content in (bytes(LIMIT + 1), chunked()):
        answer = client.post("/upload", content=content, headers=headers(ticket))
        assert answer.status_code == 413
        assert "are allowed" in answer.json()["error"]["message"]
    assert client.post("/upload", content=b"", headers=headers(ticket)).status_code == 400
    assert client.post("/upload", content=bytes(LIMIT), headers=headers(ticket)).status_code == 200
    assert [one.stat().st_size for one in on_disk(tmp_path)] == [LIMIT]


def test_the_files_of_a_session_and_of_all(client: TestClient, uploads: Uploads) -> None:
    tickets = [uploads.admit() for _ in range(FILES)]
    for ticket in tickets[: FILES - 1]:
        assert client.post("/upload", content=bytes(LIMIT), headers=headers(ticket)).status_code == 200
    assert client.post("/upload", content=b"x", headers=headers(tickets[0])).status_code == 200
    assert client.post("/upload", content=bytes(LIMIT), headers=headers(tickets[-1])).status_code == 503
    for _ in range(OF_SESSION - 2):
        assert client.post("/upload", content=b"x", headers=headers(tickets[0])).status_code == 200
    assert client.post("/upload", content=b"x", headers=headers(tickets[0])).status_code == 429


def test_an_upload_that_breaks_off(uploads: Uploads, tmp_path: Path) -> None:
    app = FastAPI()
    endpoint.add(app, uploads)
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": b"half", "more_body": True}, {"type": "http.disconnect"}, {"type": "http.disconnect"},
    ]  # fmt: skip
    sent = [(name.lower().encode(), value.encode()) for name, value in headers(uploads.admit()).items()]
    scope = {
        "type": "http", "method": "POST", "path": "/upload", "raw_path": b"/upload", "query_string": b"", "headers": sent,
        "scheme": "http", "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1), "root_path": "", "http_version": "1.1",
    }  # fmt: skip

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def send(_: Any) -> None: ...

    asyncio.run(app(scope, receive, send))
    assert on_disk(tmp_path) == []


def test_concurrent_uploads(uploads: Uploads) -> None:
    tickets = [uploads.admit() for _ in range(AT_ONCE + 1)]

    async def story() -> None:
        gate = asyncio.Event()

        async def slow() -> AsyncIterator[bytes]:
            yield b"x"
            await gate.wait()

        running = [asyncio.create_task(uploads.receive(ticket, "x", slow())) for ticket in tickets[:-1]]
        await asyncio.sleep(0)
        uploads.arriving.wait = 0
        with pytest.raises(UploadRefused, match="no place for an upload became available within 0 seconds"):
            await uploads.receive(tickets[-1], "x", slow())
        uploads.dismiss(tickets[0])  # the page of the first one is closed
        gate.set()
        done = await asyncio.gather(*running, return_exceptions=True)
        assert [isinstance(one, UploadedFile) for one in done] == [False] + [True] * (AT_ONCE - 1)
        assert isinstance(await uploads.receive(tickets[-1], "x", slow()), UploadedFile)

    asyncio.run(story())


def received(uploads: Uploads, name: str, content: bytes) -> UploadedFile:
    async def stream() -> AsyncIterator[bytes]:
        yield content

    return asyncio.run(uploads.receive(uploads.admit(), name, stream()))


def test_a_temporary_folder_that_was_cleaned_is_made_again(client: TestClient, uploads: Uploads, tmp_path: Path) -> None:
    ticket = uploads.admit()
    key = client.post("/upload", content=b"x", headers=headers(ticket)).json()["key"]
    assert uploads.opened(key).key == key
    [folder] = tmp_path.iterdir()
    shutil.rmtree(folder)
    with pytest.raises(StateError, match="no longer here"):
        uploads.opened(key)
    folder.symlink_to(tmp_path)  # of somebody else, who knows the name by now
    assert client.post("/upload", content=b"xyz", headers=headers(ticket)).status_code == 200
    folder.unlink()
    [made] = tmp_path.iterdir()
    assert made.stat().st_mode & 0o077 == 0
    assert [one.read_bytes() for one in on_disk(tmp_path)] == [b"xyz"]


def test_a_page_that_is_not_used_loses_its_files(client: TestClient, uploads: Uploads, tmp_path: Path) -> None:
    used, unused, now = uploads.admit(), uploads.admit(), uploads.clock()
    keys = [client.post("/upload", content=b"x", headers=headers(ticket)).json()["key"] for ticket in (used, unused)]
    uploads.clock = lambda: now + 3000
    assert uploads.opened(keys[0]).ticket == used
    uploads.clock = lambda: now + 4000
    uploads.admit()
    assert [one.ticket for one in map(uploads.opened, keys[:1])] == [used]
    assert client.post("/upload", content=b"x", headers=headers(unused)).status_code == 403
    assert len(on_disk(tmp_path)) == 1


def test_a_file_replaces_the_earlier_ones_of_its_page(client: TestClient, uploads: Uploads, tmp_path: Path) -> None:
    ticket = uploads.admit()
    keys = [client.post("/upload", content=b"x", headers=headers(ticket)).json()["key"] for _ in range(2)]
    uploads.replace_others(uploads.opened(keys[1]))
    assert [one.name for one in on_disk(tmp_path)] == ["raw"]
    assert uploads.opened(keys[1]).key == keys[1]


def test_a_file_is_unpacked_once(uploads: Uploads) -> None:
    file = received(uploads, "../../mine.RUN.zst", zstandard.compress(b"q 0 d 1\n"))
    plain = unpack(uploads, file)
    assert (plain.name, plain.parent, plain.read_bytes()) == ("mine.RUN", file.folder, b"q 0 d 1\n")
    assert not file.raw.exists()
    assert file.stored == 8
    assert unpack(uploads, file) == plain


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (gzip.compress(bytes(5_000_000), mtime=0), "unpacks to more than 10,000 bytes"),
        (zstandard.compress(bytes(50_000_000)), "unpacks to more than 10,000 bytes"),
        (gzip.compress(gzip.compress(b"x", mtime=0), mtime=0), "compressed twice"),
        (gzip.compress(b"q 0 d 1\n" * 99, mtime=0)[:-4], "is damaged"),
        (b"\x7fELF\0\0\0", "binary"),
        (b" \n\n", "is empty"),
    ],
)
def test_files_that_are_not_unpacked(uploads: Uploads, content: bytes, why: str) -> None:
    file = received(uploads, "x.gz", content)
    with pytest.raises(BadInput, match=why) as refused, named(file):
        unpack(uploads, file)
    assert str(file.folder) not in refused.value.message + str(refused.value.hint)
    assert [one.name for one in file.folder.iterdir()] == ["raw"]
    assert file.stored == file.size
