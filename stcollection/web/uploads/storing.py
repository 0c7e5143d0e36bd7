"""Store an examined file of the page or of a program: check the rights again, and load it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import NamedTuple

from stcollection.corpus.load import LoadedFile
from stcollection.errors import StateError
from stcollection.io.files import sha256
from stcollection.qrels.load import ImportedQrels
from stcollection.runs.names import split_run_id, valid_run_id
from stcollection.topics.load import LoadedTopics
from stcollection.web.desk import Desk
from stcollection.web.uploads.examine import Examined
from stcollection.web.uploads.files import Uploads
from stcollection.web.uploads.loading import (
    LoadProgress,
    checked_name,
    rejects_of,
    store_documents,
    store_qrels,
    store_run,
    store_topics,
)
from stcollection.web.uploads.rights import may_store
from stcollection.web.uploads.unpack import named


@dataclass(frozen=True, kw_only=True)
class StoreForm:
    """What the reader entered to store a file; which fields count depends on the kind of the file.

    :param name, team: of a run. :param edition, split, best_first: of judgments.
    :param replace: replace stored documents or topics.
    """

    name: str = ""
    team: str = ""
    edition: str = ""
    split: str = ""
    best_first: bool = False
    replace: bool = False


class StoredRun(NamedTuple):
    """A stored run."""

    run: str
    team: str


class StoredJudgments(NamedTuple):
    """Judgments that were added to an edition."""

    edition: str
    counts: ImportedQrels


class StoredDocuments(NamedTuple):
    """Loaded documents. :param rejects: line, document and reason of the first records that were not loaded."""

    counts: LoadedFile
    rejects: list[tuple[int, str | None, str]]


Stored = StoredRun | LoadedTopics | StoredJudgments | StoredDocuments


async def store(desk: Desk, uploads: Uploads, found: Examined, form: StoreForm, progress: LoadProgress) -> Stored:
    """Store a file. It is removed afterwards, unless storing failed.

    :raises LoadCancelled: the reader cancelled it.
    :raises StcError: it cannot be stored; nothing is, except the documents before an error of a corpus file.
    """
    file = found.file
    uploads.hold(file)
    uploads.stops.add(progress.stop)
    try:
        with named(file):
            async with uploads.storing.take():
                result = await _stored(desk, uploads, found, form, progress)
        uploads.finish(file)
        return result
    except asyncio.CancelledError:
        progress.stop.set()  # the thread that loads documents ends with its next record
        raise
    finally:
        uploads.stops.discard(progress.stop)
        uploads.release(file)


async def _stored(desk: Desk, uploads: Uploads, found: Examined, form: StoreForm, progress: LoadProgress) -> Stored:
    file = found.file
    rights = await desk.write(may_store)
    why = rights.why_no_runs if found.kind == "runs" else rights.why_no_data
    if why:
        raise StateError(why, hint="Sign in with a role that may store it.", sqlstate="IR410")
    if found.kind == "runs":
        name, team = checked_name("run", form.name), rights.team or checked_name("team", form.team)
        _same_team(found, team)
        run = await desk.write(store_run, file, name=name, team=team, team_limit=uploads.team_limit)
        return StoredRun(run, team)
    if found.kind == "topics":
        return await desk.write(store_topics, file, replace=form.replace)
    if found.kind == "qrels":
        edition = checked_name("edition", form.edition)
        done = await desk.write(store_qrels, file, edition=edition, split=form.split or None, best_first=form.best_first)
        return StoredJudgments(edition, done)
    assert file.plain is not None  # noqa: S101
    digest = await asyncio.to_thread(sha256, file.plain)
    loaded = await asyncio.to_thread(store_documents, desk.dsn, file, progress, replace=form.replace)
    desk.note("documents-stored", file=file.name)
    return StoredDocuments(loaded, await desk.ask(rejects_of, digest))


def _same_team(found: Examined, team: str) -> None:
    """Check that the run_id in the file names the team. :raises StateError: it names another."""
    given = (found.run.checked.run_id if found.run else None) or ""
    named_team = split_run_id(given)[0] if valid_run_id(given) else None
    if named_team is not None and named_team.lower() != team.lower():
        raise StateError(f"the run_id {given!r} names team {named_team!r}, not {team!r}", hint="Correct the team, or the file.")
