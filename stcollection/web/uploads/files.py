"""Uploaded files: private temporary copies with limits on their sizes and number, each of one session of the page."""

from __future__ import annotations

import asyncio
import hashlib
import math
import os
import re
import secrets
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import ClassVar
from weakref import WeakKeyDictionary

from stcollection.counts import counted
from stcollection.errors import StateError, StcError
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.shares import LoginShare, TimedOut, visiting

MB = 2**20
DEFAULT_MB = 200
AT_ONCE = 8  # uploads in progress; one of a login
OF_SESSION = 3  # files of a session
FILES = 4  # total bytes on disk, as a multiple of the limit of one file; half of them of a login
_IDLE_SECONDS = 60.0  # without a byte from the browser
_LONGEST_SECONDS = 1800.0  # of an upload
_TURN_SECONDS = 10.0  # maximum wait for another upload to end
_KEPT_SECONDS = 1800.0  # a file that is not stored may go after this time if another login needs the room
_TICKET_SECONDS = 3600.0  # an open page that is not used for so long loses its files
_TICKETS = 2000  # open pages; the oldest one loses its files to a further one
_CHECK_SECONDS, _STORE_SECONDS = 600.0, 1000.0
_NAME = 120  # characters of a file name that are kept
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class UploadRefused(StcError):
    """An upload, or the body of another request, is refused. :ivar status: the HTTP status of the answer."""

    def __init__(self, status: int, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status


@dataclass
class UploadedFile:
    """One uploaded file.

    :param ticket: the session that owns it. :param name: its name for messages, as the browser sent it.
    :param folder: private folder with the file and its unpacked copy. :param plain: the unpacked copy, once it exists.
    :param owner: the login or invitation; None without sign-in. :param arrived: time of the last byte.
    """

    key: str
    ticket: str
    name: str
    folder: Path
    size: int = 0
    stored: int = 0
    sha256: str = ""
    plain: Path | None = None
    owner: str | None = None
    arrived: float = math.inf
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)  # held while it is unpacked

    @property
    def raw(self) -> Path:
        return self.folder / "raw"

    @property
    def safe_name(self) -> str:
        """The name for the unpacked copy: letters, digits and ``._-`` of the name, which says what the file is."""
        name = re.split(r"[/\\]", self.name)[-1]
        return _UNSAFE.sub("_", name).lstrip(".")[-_NAME:] or "file"


@dataclass
class Uploads:
    """The uploaded files of a server. :param limit: largest file in bytes, before and after unpacking; 0 disables uploads."""

    limit: int = 0
    team_limit: int | None = None
    _folder: Path | None = None
    _files: dict[str, UploadedFile] = field(default_factory=dict)
    _tickets: dict[str, float] = field(default_factory=dict)  # when each was last used
    _busy: set[str] = field(default_factory=set)
    closing: bool = False
    stops: set[threading.Event] = field(default_factory=set)  # of running loads
    arriving: LoginShare = field(
        default_factory=partial(
            LoginShare, "place for an upload", total=AT_ONCE, each=1, wait=_TURN_SECONDS, seconds=_LONGEST_SECONDS
        )
    )
    checking: LoginShare = field(
        default_factory=partial(LoginShare, "place for a check", total=2, each=1, wait=_CHECK_SECONDS, seconds=_CHECK_SECONDS)
    )
    storing: LoginShare = field(
        default_factory=partial(
            LoginShare, "place for a load", total=2, each=1, outside=1, wait=_STORE_SECONDS, seconds=_STORE_SECONDS
        )
    )
    clock: Callable[[], float] = time.monotonic
    _all: ClassVar[WeakKeyDictionary[Desk, Uploads]] = WeakKeyDictionary()

    @classmethod
    def of(cls, desk: Desk) -> Uploads:
        """Return the instance shared by all sessions of a page, of every login; uploads are disabled until its limit is set."""
        return cls._all.setdefault(desk.origin, cls())

    def open(self) -> None:
        """Create the folder, which only this process's user can read."""
        self._folder = Path(tempfile.mkdtemp(prefix="stc-upload-"))

    def _own_folder(self) -> Path:
        """Return the folder; create it again if a program that cleans temporary folders has removed it.

        Its name is known by now, so that a folder of another user in its place is not used.
        """
        assert self._folder is not None  # noqa: S101
        try:
            ours = stat.S_ISDIR((found := self._folder.lstat()).st_mode) and found.st_uid == os.getuid()
        except FileNotFoundError:
            ours = False
        if not ours:
            self.open()
        return self._folder

    def close(self) -> None:
        """Remove all files. Running loads stop."""
        self.closing = True
        for stop in self.stops:
            stop.set()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._files.clear()
        self._tickets.clear()

    def admit(self) -> str:
        """Return a new ticket, with which a page may upload files, and forget tickets that nobody uses any more."""
        now, ticket = self.clock(), secrets.token_urlsafe()
        unused = [one for one, used in self._tickets.items() if now - used > _TICKET_SECONDS and not self._is_busy(one)]
        for one in unused or list(self._tickets)[: max(0, len(self._tickets) - _TICKETS)]:
            self.dismiss(one)
        self._tickets[ticket] = now
        return ticket

    def _is_busy(self, ticket: str) -> bool:
        return any(file.ticket == ticket and file.key in self._busy for file in self._files.values())

    def dismiss(self, ticket: str) -> None:
        """Remove the files of a session that has ended; a file that is being loaded is removed after that."""
        self._tickets.pop(ticket, None)
        for file in [one for one in self._files.values() if one.ticket == ticket]:
            self.remove(file)

    def find(self, ticket: str, key: str) -> UploadedFile:
        """Return a file of a session.

        :raises StateError: the session has no such file.
        """
        file = self._files.get(key)
        if file is None or file.ticket != ticket:
            raise _gone()
        return file

    def opened(self, key: str) -> UploadedFile:
        """Return a file of the current login by its key, which only its page knows, and keep it for another hour.

        :raises StateError: there is no such file any more.
        """
        file, visit = self._files.get(key), visiting.get()
        if file is None or file.owner != (None if visit is None else visit.key) or not file.folder.is_dir():
            raise _gone()
        self._tickets[file.ticket] = self.clock()
        return file

    def replace_others(self, file: UploadedFile) -> None:
        """Remove the other files of its page, which this one replaces."""
        for other in [one for one in self._files.values() if one.ticket == file.ticket and one.arrived < file.arrived]:
            self.remove(other)

    def remove(self, file: UploadedFile) -> None:
        if file.key not in self._busy:
            self._files.pop(file.key, None)
            shutil.rmtree(file.folder, ignore_errors=True)

    def finish(self, file: UploadedFile) -> None:
        """Remove a file that was stored."""
        self._busy.discard(file.key)
        self.remove(file)

    def hold(self, file: UploadedFile) -> None:
        """Keep a file until :meth:`release`, even if its session ends."""
        self._busy.add(file.key)

    def release(self, file: UploadedFile) -> None:
        self._busy.discard(file.key)
        if file.ticket not in self._tickets:
            self.remove(file)

    @property
    def total(self) -> int:
        """The bytes on disk."""
        return sum(one.stored for one in list(self._files.values()))  # a copy: threads that unpack call this

    def reserve(self, file: UploadedFile, size: int) -> None:
        """Count further bytes of a file on disk.

        :raises UploadRefused: all files together would be too large.
        """
        if file.owner is not None:
            own = sum(one.stored for one in list(self._files.values()) if one.owner == file.owner)
            if own + size > FILES // 2 * self.limit:
                raise UploadRefused(429, "this login has no room for further uploads", "Store or close its other files first.")
        if self.total + size > FILES * self.limit:
            self._make_room(file.owner)
        if self.total + size > FILES * self.limit:
            raise UploadRefused(503, "the server has no room for further uploads", "Try again in a few minutes.")
        file.stored += size

    def _make_room(self, owner: str | None) -> None:
        """Remove old files of other logins."""
        before = self.clock() - _KEPT_SECONDS
        for file in [one for one in list(self._files.values()) if one.arrived < before and one.owner != owner]:
            self.remove(file)

    def check(self, ticket: str, declared: int | None) -> None:
        """Check whether an upload may begin. :param declared: its size, if the browser sent it.

        :raises UploadRefused: uploads are disabled, the session has ended, or the file is too large.
        """
        if self.limit == 0 or self._folder is None or self.closing:
            raise UploadRefused(403, "uploads are disabled on this server", "Use the command line, such as 'stc load --as runs'.")
        if ticket in self._tickets:
            self._tickets[ticket] = self.clock()
        else:
            raise UploadRefused(403, "the upload does not come from an open page", "Reload the page and upload the file again.")
        if declared is not None and declared > self.limit:
            raise self.too_large(declared)
        if sum(one.ticket == ticket for one in self._files.values()) >= OF_SESSION:
            raise UploadRefused(429, f"this page has {OF_SESSION} files that are not stored yet", "Wait, or reload the page.")

    def too_large(self, size: int | None = None) -> UploadRefused:
        """Return the error for a file above the limit."""
        what = f"the file has {counted(size, 'byte')}" if size else f"the file has more than {counted(self.limit, 'byte')}"
        return UploadRefused(
            413,
            f"{what}; at most {self.limit / MB:,.4g} MB are allowed",
            "Compress it, or use the command line, which has no limit.",
        )

    async def receive(self, ticket: str, name: str, stream: AsyncIterator[bytes]) -> UploadedFile:
        """Write an upload to disk while it arrives. Nothing of it remains if it fails. Call :meth:`check` first.

        :param name: the file's name; used for messages only.
        :raises UploadRefused: the file is empty or too large, too many are in progress, or the browser is too slow.
        """
        try:
            async with self.arriving.take():
                return await self._receive(ticket, name, stream)
        except TimedOut as error:
            raise UploadRefused(429, error.message, error.hint) from None

    async def _receive(self, ticket: str, name: str, stream: AsyncIterator[bytes]) -> UploadedFile:
        folder = self._own_folder()
        visit = visiting.get()
        key = secrets.token_urlsafe(12)
        shown = "".join(one if one.isprintable() else "�" for one in name)[-_NAME:] or "file"
        file = UploadedFile(key, ticket, shown, folder / key, owner=None if visit is None else visit.key)
        file.folder.mkdir(mode=0o700)
        self._files[key] = file
        try:
            await self._write(file, stream)
            if not file.size:
                raise UploadRefused(400, "the file is empty", "Choose another file.")
            if ticket not in self._tickets:  # the page was closed meanwhile
                raise UploadRefused(403, "the page was closed", "Reload the page and upload the file again.")
        except BaseException:
            self.remove(file)
            raise
        file.arrived = self.clock()
        return file

    async def _write(self, file: UploadedFile, stream: AsyncIterator[bytes]) -> None:
        digest = hashlib.sha256()
        with file.raw.open("wb") as out:
            while True:
                try:
                    async with asyncio.timeout(_IDLE_SECONDS):
                        piece = await anext(stream, None)
                except TimeoutError:
                    raise UploadRefused(408, "the upload stopped", "Upload the file again.") from None
                if piece is None:
                    break
                file.size += len(piece)
                if file.size > self.limit:
                    raise self.too_large()
                self.reserve(file, len(piece))
                digest.update(piece)
                out.write(piece)
        file.sha256 = digest.hexdigest()


def _gone() -> StateError:
    return StateError(later("the uploaded file is no longer here"), hint=later("Upload it again."))
