"""Download a dump, and continue an interrupted download.

The unfinished file is kept with the server's validator (ETag, or Last-Modified). The next request asks for the rest with ``Range``
and ``If-Range``, so that a file that changed on the server is downloaded from its start. Only a complete file is used.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from filelock import FileLock, Timeout

from stcollection.counts import counted
from stcollection.errors import BadInput, StateError

Progress = Callable[[int, int | None], None]
ATTEMPTS = 5  # without progress
_TIMEOUT = httpx.Timeout(30.0)
_CONTINUE = "Run the same command again: the download continues where it stopped."
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")


def is_url(source: str) -> bool:
    """Return True for an address of http or https."""
    return urlsplit(source).scheme.lower() in ("http", "https")


def shown_url(url: str | httpx.URL) -> str:
    """Return an address without its name and password, for messages."""
    parts = urlsplit(str(url))
    login, _, host = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"***@{host}").geturl() if login else str(url)


@dataclass
class _Partial:
    """An unfinished file. :param validator: ETag or Last-Modified of the server's file; None: it cannot be continued."""

    path: Path
    url: str
    validator: str | None = None
    total: int | None = None

    @property
    def label(self) -> str:
        return shown_url(self.url)

    @property
    def _notes(self) -> Path:
        return self.path.with_suffix(".json")

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    @property
    def complete(self) -> bool:
        return self.total is not None and self.size == self.total

    def read(self) -> None:
        """Read the notes of an earlier call; without valid notes, start again."""
        try:
            notes = json.loads(self._notes.read_text(encoding="utf-8"))
            self.validator, self.total = notes["validator"], notes["total"]
        except (OSError, ValueError, KeyError, TypeError):
            self.validator, self.total = None, None
        if self.validator is None:
            self.path.unlink(missing_ok=True)

    def begin(self, response: httpx.Response) -> None:
        """Start a new file with the response's validator. :raises StateError: the disk has too little room."""
        etag = response.headers.get("ETag", "")
        self.validator = etag if etag and not etag.startswith("W/") else response.headers.get("Last-Modified")
        length = response.headers.get("Content-Length", "")
        self.total = int(length) if length.isdecimal() else None
        self.path.write_bytes(b"")
        self._notes.write_text(json.dumps({"url": self.label, "validator": self.validator, "total": self.total}), encoding="utf-8")
        free = shutil.disk_usage(self.path.parent).free
        if self.total is not None and 2 * self.total > free:  # the file, and its content unpacked
            raise StateError(
                f"the dump has {counted(self.total, 'byte')} and needs twice that; {self.path.parent} has"
                f" {counted(free, 'byte')} free",
                hint="Make room, or set STC_HOME to a folder on a larger disk.",
            )

    def remove(self) -> None:
        for path in (self.path, self._notes):
            path.unlink(missing_ok=True)


def download(url: str, folder: Path, *, progress: Progress | None = None, pause: float = 1.0) -> Path:
    """Download a file, continuing an earlier call. :returns: the complete file, which the caller removes with :func:`forget`.

    :param folder: folder for the file; created if it does not exist. :param pause: seconds before the first retry, then doubled.
    :raises BadInput: the server refuses the request or redirects from https to http, or the connection ended repeatedly; the next
        call continues.
    :raises StateError: another process downloads the same address, or the disk is too small.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = _Partial(_path(url, folder), url)
    try:
        with FileLock(partial.path.with_suffix(".lock"), timeout=0):
            try:
                partial.read()
                _fetch(partial, progress, pause)
                if not partial.size:
                    raise BadInput(f"{shown_url(url)}: the file is empty", hint="Check the address.")
            finally:
                if not partial.size:
                    forget(url, folder)
    except Timeout as error:
        raise StateError(f"another process is downloading {shown_url(url)}", hint="Wait until it has finished.") from error
    except OSError as error:
        raise StateError(f"the download to {folder} stopped: {error.strerror or error}", hint=_CONTINUE) from error
    return partial.path


def forget(url: str, folder: Path) -> None:
    """Remove a downloaded file and its notes."""
    path = _path(url, folder)
    _Partial(path, url).remove()
    path.with_suffix(".lock").unlink(missing_ok=True)


def _path(url: str, folder: Path) -> Path:
    return folder / f"{hashlib.sha256(url.encode()).hexdigest()[:24]}.part"


def _fetch(partial: _Partial, progress: Progress | None, pause: float) -> None:
    failures = 0
    # A server may compress a response; lengths and ranges count the file's own bytes.
    with httpx.Client(
        timeout=_TIMEOUT,
        follow_redirects=True,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_stays_encrypted]},
    ) as client:
        while not partial.complete:
            before = partial.size
            try:
                _request(client, partial, progress)
                if partial.total is None:  # the server did not state a length, and ended the response properly
                    return
                reason = f"the server ended the response after {partial.size:,} of {counted(partial.total, 'byte')}"
            except httpx.InvalidURL as error:
                raise BadInput(f"{partial.label} is not an address: {error}", hint="Correct the address.") from error
            except httpx.TransportError as error:
                reason = str(error) or type(error).__name__
            failures = 0 if partial.size > before else failures + 1
            if failures >= (ATTEMPTS if partial.size else 2):  # an address without any answer is probably wrong
                received = (
                    f"{partial.size:,} of {counted(partial.total, 'byte')}"
                    if partial.total is not None
                    else f"{counted(partial.size, 'byte')}"
                )
                hint = _CONTINUE if partial.size else "Check the address, and that this machine can reach the server."
                raise BadInput(f"{partial.label}: the download stopped after {received}: {reason}", hint=hint)
            if not partial.complete:
                time.sleep(min(pause * 2**failures, 30))


def _stays_encrypted(response: httpx.Response) -> None:
    """Refuse a redirect from https to http. :raises BadInput: the server redirects there."""
    if response.url.scheme == "https" and response.has_redirect_location:
        target = response.url.join(response.headers["Location"])
        if target.scheme != "https":
            raise BadInput(
                f"{shown_url(response.url)} redirects to {shown_url(target)}, which is not encrypted",
                hint="If you trust it, download the file with another program and restore it from its path.",
            )


def _request(client: httpx.Client, partial: _Partial, progress: Progress | None) -> None:
    """Request the rest of the file, or all of it, and append what arrives."""
    start = partial.size if partial.validator is not None else 0
    headers = {"Range": f"bytes={start}-", "If-Range": partial.validator or ""} if start else {}
    with client.stream("GET", partial.url, headers=headers) as response:
        if response.status_code == httpx.codes.PARTIAL_CONTENT:
            span = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
            if span is None or int(span[1]) != start or (partial.total is not None and int(span[2]) != partial.total):
                partial.remove()
                raise BadInput(
                    f"{partial.label}: the server sent another part than was requested", hint="Run the same command again."
                )
        elif response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE and start:
            partial.remove()  # the file on the server is shorter now
            partial.validator, partial.total = None, None
            return
        elif response.is_success:
            partial.begin(response)
        else:
            raise BadInput(
                f"{partial.label}: the server answers {response.status_code} {response.reason_phrase}",
                hint="Check the address, or download the file with another program and restore it from its path.",
            )
        with partial.path.open("ab") as file:
            for piece in response.iter_raw():  # as it arrives: a piece of fixed length would be lost with the connection
                file.write(piece)
                if progress is not None:
                    progress(file.tell(), partial.total)
