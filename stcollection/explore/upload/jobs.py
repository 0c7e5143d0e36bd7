"""Checks and loads of uploaded files, which outlast the requests that start them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import ClassVar
from weakref import WeakKeyDictionary

from stcollection.web.desk import Desk
from stcollection.web.shares import visiting
from stcollection.web.uploads.examine import Examined, examine
from stcollection.web.uploads.files import UploadedFile, Uploads
from stcollection.web.uploads.loading import LoadProgress
from stcollection.web.uploads.storing import Stored, StoreForm, store

_MOST = 200  # files whose results are kept


@dataclass(eq=False)
class UploadJob:
    """What happens to a file.

    :param checks: by the kind that the reader selected. :param stored: the result of the check whose file is or was stored.
    :param form: the values that the reader entered last.
    """

    file: UploadedFile
    checks: dict[str, asyncio.Task[Examined]] = field(default_factory=dict)
    storing: asyncio.Task[Stored] | None = None
    stored: Examined | None = None
    form: StoreForm | None = None
    progress: LoadProgress = field(default_factory=LoadProgress)

    @property
    def at_work(self) -> bool:
        return self.storing is not None and not self.storing.done()

    @property
    def is_stored(self) -> bool:
        """The file was stored; it is no longer here."""
        done = self.storing
        return done is not None and done.done() and not done.cancelled() and done.exception() is None


class UploadJobs:
    """The jobs of a server."""

    _all: ClassVar[WeakKeyDictionary[Desk, UploadJobs]] = WeakKeyDictionary()

    def __init__(self, uploads: Uploads) -> None:
        self._uploads = uploads
        self._jobs: dict[str, UploadJob] = {}

    @classmethod
    def of(cls, desk: Desk) -> UploadJobs:
        return cls._all.setdefault(desk.origin, cls(Uploads.of(desk)))

    def find(self, key: str) -> UploadJob:
        """Return the job of a file of the current login. :raises StateError: the file is gone, and its result too."""
        job, visit = self._jobs.get(key), visiting.get()
        if job is not None and (job.at_work or job.is_stored) and job.file.owner == (None if visit is None else visit.key):
            return job
        file = self._uploads.opened(key)
        if job is None:
            self._uploads.replace_others(file)
            job = self._jobs[key] = UploadJob(file)
            for old in [name for name, one in self._jobs.items() if not one.at_work][:-_MOST]:
                del self._jobs[old]
        return job

    def check(self, desk: Desk, job: UploadJob, kind: str) -> asyncio.Task[Examined]:
        """Return the check of a file, which begins with the first call. :param kind: selected by the reader, or ''."""
        known = job.checks.get(kind)
        if known is None or known.cancelled():
            known = job.checks[kind] = asyncio.create_task(examine(desk, self._uploads, job.file, kind))
            known.add_done_callback(_retrieved)
        return known

    def store(self, desk: Desk, job: UploadJob, found: Examined, form: StoreForm) -> None:
        """Begin to store a checked file, unless it is being stored or was. :raises StateError: it is no longer here."""
        if job.at_work or job.is_stored:
            return
        self._uploads.opened(job.file.key)
        job.progress, job.stored, job.form = LoadProgress(), found, form
        job.storing = asyncio.create_task(store(desk, self._uploads, found, form, job.progress))
        job.storing.add_done_callback(_retrieved)

    def cancel(self, job: UploadJob) -> None:
        """Cancel a load. Documents are stored chunk by chunk; their load ends after the current one."""
        job.progress.stop.set()
        if job.storing is not None and job.stored is not None and job.stored.kind != "corpus":
            job.storing.cancel()


def _retrieved(task: asyncio.Task[object]) -> None:
    """Mark an error as seen: the page shows it."""
    if not task.cancelled():
        task.exception()
