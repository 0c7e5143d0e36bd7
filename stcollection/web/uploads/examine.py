"""Recognise and check an uploaded file: a run with its faults and scores, or a preview of other data. Nothing is stored."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stcollection.db.simulated import simulated_note
from stcollection.errors import BadInput, StcError
from stcollection.evaluation.files.editions import EditionPreview, preview_scores
from stcollection.evaluation.measures import AP, RR, Measure, P, R, nDCG, parse_measure
from stcollection.io import roles
from stcollection.io.formats import Kind
from stcollection.io.jsonrows import head_of
from stcollection.runs.check import check_run
from stcollection.runs.check_collection import check_collection
from stcollection.runs.faults import CheckedRun
from stcollection.runs.names import split_run_id, stem, valid_run_id
from stcollection.runs.receive import stored_run
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.uploads.files import UploadedFile, Uploads
from stcollection.web.uploads.preview import DataPreview, preview
from stcollection.web.uploads.rights import StoreRights, may_store
from stcollection.web.uploads.unpack import named, unpack
from stcollection.web.words import t

MEASURES: tuple[Measure, ...] = (nDCG @ 10, AP, P @ 10, RR, R @ 100)
SUBTOPICS = tuple(parse_measure(name) for name in ("alpha_nDCG@10", "ERR_IA@10", "StRecall@10", "P_IA@10", "AP_IA"))
KINDS: dict[Kind, str] = {
    "runs": later("run"), "topics": later("topics"), "qrels": later("judgments"), "corpus": later("documents"),
}  # fmt: skip
_RUN_NAME = re.compile(r"\.(run|trec|res)$", re.IGNORECASE)
_LINES, _COLUMNS = 50, 6


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """A checked run file.

    :param scores: its means on open editions. :param simulated: the note on simulated judgments, or None.
    :param no_scores: why there are no scores; '' if there are. :param stored: the run that was stored from this file before.
    :param team, run: the names that the file suggests, or ''.
    """

    checked: CheckedRun
    scores: Sequence[EditionPreview] = ()
    simulated: str | None = None
    no_scores: str = ""
    stored: str | None = None
    team: str = ""
    run: str = ""


@dataclass(frozen=True, kw_only=True)
class Examined:
    """An examined file; either run or data is None. :param kind: how it was read."""

    file: UploadedFile
    kind: Kind
    rights: StoreRights
    run: RunReport | None = None
    data: DataPreview | None = None


async def examine(desk: Desk, uploads: Uploads, file: UploadedFile, kind: str = "") -> Examined:
    """Recognise and check a file. :param kind: what it is, of KINDS; '' recognises it.

    :raises BadInput: it cannot be read, or it could be of several kinds.
    """
    with named(file), readable(file.name):
        async with uploads.checking.take():
            plain = await asyncio.to_thread(unpack, uploads, file)
            found = await asyncio.to_thread(recognise, plain, file.name, kind)
            rights = await desk.write(may_store)
            if found == "runs":
                return Examined(file=file, kind=found, rights=rights, run=await _run(desk, file, plain))
            data = await preview(desk, file, found, trial=not rights.why_no_data)
            return Examined(file=file, kind=found, rights=rights, data=data)


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Raise errors of a parser that a hostile file causes, such as of nesting without end, as BadInput."""
    try:
        yield
    except (ValueError, RecursionError, MemoryError, LookupError) as error:
        raise BadInput(f"{name} cannot be read: {type(error).__name__}", hint="Check that it is the right file.") from error


def recognise(plain: Path, name: str, kind: str = "") -> Kind:
    """Return the kind of a file, by the rules of 'stc load'. A run with faulty lines is recognised by its other lines or its name.

    :raises BadInput: it is of no kind, or of several.
    """
    for one in KINDS:
        if kind == one:
            return one
    recognised = roles.recognise(plain)
    found = set(recognised.roles)
    if (len(found) > 1 or recognised.reason) and (by_name := roles.by_name(plain, found)):
        return by_name
    if not found and (_RUN_NAME.search(plain.name) or _mostly_run(head_of(plain))):
        return "runs"
    if len(found) == 1 and (recognised.weak or not recognised.reason):
        return found.pop()
    if found:
        several = " or ".join(KINDS[one] for one in sorted(found))
        why = f": {recognised.reason}" if recognised.reason else ""
        raise BadInput(f"{name} could be {several}{why}", hint="Select the kind of file above.")
    raise BadInput(
        f"{name} is neither a run nor topics, judgments or documents: {recognised.reason}",
        hint="Select the kind of file above to see its first faulty line.",
    )


def _mostly_run(head: str) -> bool:
    """Return True if at least half of the first lines have the six columns of a TREC run."""
    lines = [line.split() for line in head.split("\n")[:_LINES] if line.strip() and not line.startswith("#")]
    return bool(lines) and 2 * sum(len(line) == _COLUMNS for line in lines) >= len(lines)


async def _run(desk: Desk, file: UploadedFile, plain: Path) -> RunReport:
    """Check a run as 'stc runs check --in-collection' does, and score it."""
    checked = await asyncio.to_thread(check_run, plain, keep_passages=True, teamed=True)
    if checked.rows:
        await desk.ask(check_collection, checked)
    checked.faults.sort()
    stored = await desk.ask(stored_run, file.sha256)
    given = checked.run_id or ""
    valid = bool(given) and given.isprintable() and valid_run_id(given)
    team = split_run_id(given)[0] if valid else None
    name = given if checked.layout != "trec" and given.isprintable() else ""
    report = RunReport(
        checked=checked, stored=stored, team=team or "", run=name or (given if valid else stem(Path(file.safe_name)))
    )
    scores: Sequence[EditionPreview] = ()
    simulated, why = None, ""
    try:
        if checked.rows:
            scores = await desk.write(preview_scores, plain, measures=MEASURES + SUBTOPICS)
            simulated = await desk.ask(simulated_note, list(dict.fromkeys(one.edition for one in scores))) if scores else None
            why = "" if scores else t("The run has no query in common with an open edition.")
        else:
            why = t("The run has no ranked document.")
    except StcError as error:
        why = t("The run cannot be scored: {error}.", error=error.message.replace(str(plain), file.name))
    checked.pairs.clear()
    checked.passages = None
    return RunReport(
        checked=checked, scores=scores, simulated=simulated, no_scores=why, stored=report.stored, team=report.team, run=report.run
    )
