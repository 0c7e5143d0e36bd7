"""Store an examined file from the page: check the rights again, load it, and draw the result."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from shiny import ui

from stcollection.errors import StateError
from stcollection.explore.desk import Desk
from stcollection.explore.upload import parts
from stcollection.explore.upload.examine import Examined
from stcollection.explore.upload.files import Uploads
from stcollection.explore.upload.loading import (
    LoadCancelled,
    LoadProgress,
    checked_name,
    rejects_of,
    store_documents,
    store_qrels,
    store_run,
    store_topics,
)
from stcollection.explore.upload.rights import may_store
from stcollection.explore.upload.unpack import named
from stcollection.explore.words import t
from stcollection.io.files import sha256
from stcollection.runs.names import split_run_id, valid_run_id


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


async def store(desk: Desk, uploads: Uploads, found: Examined, form: StoreForm, progress: LoadProgress) -> ui.TagChild:
    """Store a file and draw the result. The file is removed afterwards, unless storing failed.

    :raises StcError: it cannot be stored; nothing is, except the documents before an error of a corpus file.
    """
    file = found.file
    uploads.hold(file)
    uploads.stops.add(progress.stop)
    try:
        with named(file):
            async with uploads.loading:
                result = await _stored(desk, uploads, found, form, progress)
        uploads.finish(file)
        return result
    except LoadCancelled:
        return ui.p(
            t("Cancelled after {count:,} documents, which stay stored. Load the file again to continue.", count=progress.documents),
            role="status",
        )
    finally:
        uploads.stops.discard(progress.stop)
        uploads.release(file)


async def _stored(desk: Desk, uploads: Uploads, found: Examined, form: StoreForm, progress: LoadProgress) -> ui.TagChild:
    file = found.file
    rights = await desk.write(may_store)
    why = rights.why_no_runs if found.kind == "runs" else rights.why_no_data
    if why:
        raise StateError(why, hint="Sign in with a role that may store it.")
    if found.kind == "runs":
        name, team = checked_name("run", form.name), rights.team or checked_name("team", form.team)
        _same_team(found, team)
        run = await desk.write(store_run, file, name=name, team=team, team_limit=uploads.team_limit)
        return parts.stored_run(run, team)
    if found.kind == "topics":
        return parts.loaded_topics(await desk.write(store_topics, file, replace=form.replace))
    if found.kind == "qrels":
        edition = checked_name("edition", form.edition)
        done = await desk.write(store_qrels, file, edition=edition, split=form.split or None, best_first=form.best_first)
        return parts.loaded_qrels(done, edition)
    assert file.plain is not None  # noqa: S101
    digest = await asyncio.to_thread(sha256, file.plain)
    loaded = await asyncio.to_thread(store_documents, desk.dsn, file, progress, replace=form.replace)
    return parts.loaded_documents(loaded, await desk.ask(rejects_of, digest))


def _same_team(found: Examined, team: str) -> None:
    """Check that the run_id in the file names the team. :raises StateError: it names another."""
    given = (found.run.checked.run_id if found.run else None) or ""
    named_team = split_run_id(given)[0] if valid_run_id(given) else None
    if named_team is not None and named_team.lower() != team.lower():
        raise StateError(f"the run_id {given!r} names team {named_team!r}, not {team!r}", hint="Correct the team, or the file.")
