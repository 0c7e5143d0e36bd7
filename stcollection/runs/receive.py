"""Receive the submissions of a track: check each file of a folder, store or reject it, and write a receipt with the reasons."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, NamedTuple

import psycopg
from psycopg.types.json import Jsonb

from stcollection.counts import counted
from stcollection.db.connection import vacuum
from stcollection.db.rows import records
from stcollection.declared import AllowedRange, Option, check_fields, declare
from stcollection.errors import BadArgument, BadInput, DatabaseError, StateError, translate
from stcollection.runs.check import check_run, located
from stcollection.runs.check_collection import check_collection
from stcollection.runs.faults import DUPLICATE, UNKNOWN_DOCUMENT, UNKNOWN_QUERY, CheckedRun, RunFault
from stcollection.runs.intake import Arrival, Copy, RefusedFile, Unfinished, copy, listing
from stcollection.runs.load import ImportOptions, RunSource, import_run
from stcollection.runs.metadata import parse_file
from stcollection.runs.names import run_id, split_run_id, stem, valid_run_id
from stcollection.runs.policies import OnDuplicate, Unknown

ACCEPTED, REJECTED, KNOWN, LEFT = "accepted", "rejected", "known", "left"
_MOST_REASONS = 1000
_MB = 2**20
_OF_THE_FILE = ("22", "23", "54")  # SQLSTATE classes of errors caused by the file, such as a name too long for an index


def _in_bytes(megabytes: int) -> int:
    return megabytes * _MB


@dataclass(frozen=True, kw_only=True)
class TrackRules:
    """Rules of a track for submissions.

    The limit includes runs imported in other ways. Faults that a policy allows become notes. The size is in bytes, before and after
    unpacking.

    :param team_limit: Largest number of runs per team.
    :param task: Task number that every run_id must have.
    :param columns: Columns of a table, or fields of JSON, by name: query=question,doc=paper,score=rating; also rank and run.
    :param depth: Largest number of documents per query.
    :param accept_notes: Whether to accept files with notes but no errors.
    :param on_duplicate: If a query ranks a document twice: reject the file, keep the first entry, or keep the entry with the best
        score.
    :param unknown_documents: How to treat documents that are not in the collection: reject the file, skip their lines, or store
        their names as stubs.
    :param unknown_queries: How to treat queries that are not in the collection: reject the file, skip their lines, or store their
        names as stubs.
    :param largest: Largest size of a file in megabytes, before and after unpacking.
    """

    team_limit: Annotated[int | None, Option(default="no limit")] = None
    task: Annotated[int | None, AllowedRange(ge=0, le=9)] = None
    columns: Annotated[str | None, Option(metavar="NAMES", default="recognised")] = None
    depth: Annotated[int | None, AllowedRange(ge=1), Option(default="no limit")] = None
    accept_notes: Annotated[bool, Option("--accept-notes/--reject-notes")] = True
    on_duplicate: OnDuplicate | str = "error"
    unknown_documents: Annotated[Unknown | str, Option("--unknown-docs")] = "error"
    unknown_queries: Unknown | str = "error"
    largest: Annotated[int, AllowedRange(ge=1), Option("--max-size", metavar="MB", default="512", reads=_in_bytes)] = 512 * _MB

    def __post_init__(self) -> None:
        check_fields(self)


USUAL = TrackRules()


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """The result for one submitted file.

    :param file: its name in the folder. :param sha256: '' if the file was not read. :param run: name of the stored run, or None.
    :param state: ``accepted``, ``rejected``, ``known`` (stored before) or ``left`` (skipped this time).
    """

    file: str
    state: str
    sha256: str = ""
    team: str | None = None
    run: str | None = None
    reasons: list[RunFault] = field(default_factory=list)


@declare
def receive(conn: psycopg.Connection, folder: Annotated[Path, Option("FOLDER")], *, rules: TrackRules = USUAL) -> Iterator[Receipt]:
    """Receive the files of a folder and of its sub-folders (one per team), in order; yield a receipt for each.

    One transaction stores the run and the receipt of a file, so the same call resumes after an interruption. Concurrent calls take
    turns file by file, so that limits and names are respected. A file that is already stored changes nothing and gets no receipt.

    The team is the first part of the run_id (the tag of a TREC file), else the name of the sub-folder. The run is named by its
    run_id, else ``TEAM_task1_FILE``.

    :param folder: Folder of the submissions.
    :raises BadArgument: the path is not a folder, or the limit is below 1.
    """
    if rules.team_limit is not None and rules.team_limit < 1:
        raise BadArgument(f"a limit of {counted(rules.team_limit, 'run')} per team", hint="Set a limit of at least 1.")
    listed = listing(folder)
    stored = False
    try:
        for arrival in listed.arrivals:
            receipt = _one(conn, folder, arrival, rules)
            stored = stored or receipt.state == ACCEPTED
            yield receipt
        for arrival, why in listed.left:
            yield Receipt(file=arrival.shown, state=LEFT, reasons=[RunFault(0, why, note=True)])
    finally:
        if stored:
            vacuum(conn, "stc.ranked_lists")


@translate()
def _one(conn: psycopg.Connection, folder: Path, arrival: Arrival, rules: TrackRules) -> Receipt:
    with tempfile.TemporaryDirectory(prefix="stc-receive-") as name:
        try:
            taken = copy(folder, arrival, Path(name), largest=rules.largest)
        except Unfinished as error:
            return Receipt(file=arrival.shown, state=LEFT, reasons=[RunFault(0, str(error), note=True)])
        except RefusedFile as error:
            receipt = Receipt(file=arrival.shown, state=REJECTED, team=arrival.folder or None, reasons=[RunFault(0, str(error))])
            with conn.transaction():
                _lock(conn)
                _keep(conn, receipt)
            return receipt
        checked = check_run(
            taken.path,
            columns=rules.columns,
            task=rules.task,
            depth=rules.depth,
            keep_passages=True,
            teamed=bool(arrival.folder),
        )
        if arrival.beside:
            _beside(taken.path.with_name(arrival.beside), checked)
        with conn.transaction():
            _lock(conn)
            row = conn.execute("SELECT run, team FROM st1_runs WHERE sha256 = %s ORDER BY id LIMIT 1", [taken.sha256]).fetchone()
            if row is not None:
                return Receipt(file=arrival.shown, state=KNOWN, sha256=taken.sha256, run=row[0], team=row[1])
            if checked.rows:
                check_collection(conn, checked)
            receipt = _decide(conn, arrival, taken, checked, rules)
            _keep(conn, receipt)
        return receipt


@translate()
def submit(conn: psycopg.Connection, path: Path, *, name: str, team: str, origin: RunSource, team_limit: int | None = None) -> str:
    """Store one checked file as a run of a team, with the rules of :func:`receive` on names, limits and repeated files.

    :param path: a private copy of the file. :param origin: name and SHA-256 of the submitted file.
    :returns: the name of the run; that of an earlier run if the same file is already stored.
    :raises BadArgument: the name is already used. :raises StateError: the team has reached its limit.
    :raises BadInput: the file has errors, or queries or documents that are not in the collection.
    """
    options = ImportOptions(team=team, unknown_documents="error", unknown_queries="error")
    with conn.transaction():
        _lock(conn)
        known = stored_run(conn, origin.sha256)
        if known is not None:
            return known
        for why in _room(conn, team, name, TrackRules(team_limit=team_limit)):
            if "limit" in why:
                raise StateError(why, hint="Ask the organisers to remove a run of your team.")
            raise BadArgument(why, hint="Choose another name.")
        return import_run(conn, path, name=name, options=options, origin=origin).run


@translate()
def stored_run(conn: psycopg.Connection, sha256: str) -> str | None:
    """Return the name of the visible run that was stored from a file with this SHA-256; None without such a run."""
    row = conn.execute("SELECT run FROM st1_runs WHERE sha256 = %s ORDER BY id LIMIT 1", [sha256]).fetchone()
    return None if row is None else str(row[0])


def _lock(conn: psycopg.Connection) -> None:
    """Take the lock that lets one session at a time receive a file."""
    conn.execute("SELECT pg_advisory_xact_lock(hashtextextended('stcollection.runs.receive', 0))")


def _beside(path: Path, checked: CheckedRun) -> None:
    try:
        faults = parse_file(path)[1]
    except BadInput as error:
        line, what = located(error.message, path)
        faults = [RunFault(line, f"metadata: {what}")]
    checked.faults += [RunFault(0, f"{path.name}:{fault.line}: {fault.what}") for fault in faults]


def _decide(conn: psycopg.Connection, arrival: Arrival, taken: Copy, checked: CheckedRun, rules: TrackRules) -> Receipt:
    """Import the file, or return a receipt with the reasons for its rejection."""
    allowed = {
        kind
        for kind, policy in (
            (DUPLICATE, rules.on_duplicate),
            (UNKNOWN_DOCUMENT, rules.unknown_documents),
            (UNKNOWN_QUERY, rules.unknown_queries),
        )
        if policy != "error"
    }
    # Remove repeated faults; those found later are compared with these.
    reasons = [replace(fault, note=True) if fault.kind in allowed else fault for fault in dict.fromkeys(sorted(checked.faults))]
    team, run, why = _names(arrival, checked)
    if checked.rows:
        reasons += [fault for reason in why if (fault := RunFault(0, reason)) not in reasons]
    if team is not None and run is not None:
        reasons += [RunFault(0, reason) for reason in _room(conn, team, run, rules)]
    if not any(not fault.note for fault in reasons) and reasons and not rules.accept_notes:
        reasons.append(RunFault(0, "this track rejects files with notes"))
    receipt = Receipt(file=arrival.shown, state=REJECTED, sha256=taken.sha256, team=team, reasons=reasons)
    if not any(not fault.note for fault in reasons):
        options = ImportOptions(
            layout=checked.layout if rules.columns is None else None,
            columns=rules.columns,
            team=team,
            on_duplicate=rules.on_duplicate,
            unknown_documents=rules.unknown_documents,
            unknown_queries=rules.unknown_queries,
        )
        origin = RunSource(source=arrival.shown, sha256=taken.sha256)
        try:
            import_run(conn, taken.path, name=run, options=options, origin=origin)
            receipt = replace(receipt, state=ACCEPTED, run=run)
        except (BadInput, BadArgument, StateError) as error:
            about = next((place for place in (str(taken.path), arrival.shown) if error.message.startswith(f"{place}:")), "")
            reasons.append(RunFault(*located(error.message, about)))
        except DatabaseError as error:
            if (error.sqlstate or "")[:2] not in _OF_THE_FILE:
                raise
            reasons.append(RunFault(0, error.message))
    if len(reasons) > _MOST_REASONS:
        reasons = sorted(reasons, key=lambda fault: fault.note)
        more = RunFault(0, f"{counted(len(reasons) - _MOST_REASONS, 'further reason')}", note=reasons[_MOST_REASONS].note)
        receipt = replace(receipt, reasons=[*reasons[:_MOST_REASONS], more])
    return receipt


def _names(arrival: Arrival, checked: CheckedRun) -> tuple[str | None, str | None, list[str]]:
    """Return team and run name of a file, and the faults of these names."""
    given = checked.run_id or ""
    if given and not given.isprintable():
        return None, None, [f"run_id {given!r} contains unprintable characters"]
    team = split_run_id(given)[0] if valid_run_id(given) else None
    folder = arrival.folder if arrival.folder.isprintable() else ""
    may_lack_id = bool(checked.layout) and not checked.layout.startswith("simpletext")
    if team is None and may_lack_id and folder:
        return folder, run_id(stem(Path(arrival.name)), team=folder), []
    if team is None:
        where = "its tag, or put the file into a folder of the team" if may_lack_id else "its run_id"
        return folder or None, None, [f"no team: use TEAM_task1_NAME as {where}"]
    if folder and team.lower() != folder.lower():
        return folder, None, [f"run_id {given!r} names team {team!r}, but the folder is {folder!r}"]
    return team, given, []


def _room(conn: psycopg.Connection, team: str, run: str, rules: TrackRules) -> Iterator[str]:
    row = conn.execute(
        "SELECT count(*), count(*) FILTER (WHERE run = %s) FROM st1_runs WHERE lower(team) = lower(%s) OR run = %s",
        [run, team, run],
    ).fetchone()
    have, taken = row or (0, 0)
    if taken:
        yield f"run {run} already exists, from another file"
    elif rules.team_limit is not None and have >= rules.team_limit:
        yield f"team {team} has reached its limit of runs: {have} stored, {rules.team_limit} allowed"


def _keep(conn: psycopg.Connection, receipt: Receipt) -> None:
    """Store a receipt, unless it equals the last receipt of this file."""
    reasons = [{"line": fault.line, "what": fault.what, "note": fault.note} for fault in receipt.reasons]
    accepted = receipt.state == ACCEPTED
    conn.execute(
        "INSERT INTO stc_all.run_receipts (file, sha256, team, run, accepted, reasons)"
        " SELECT %(file)s, %(sha256)s, %(team)s, %(run)s, %(accepted)s, %(reasons)s"
        "  WHERE %(accepted)s OR NOT EXISTS ("
        "SELECT FROM (SELECT * FROM stc_all.run_receipts WHERE file = %(file)s ORDER BY id DESC LIMIT 1) r"
        " WHERE r.sha256 = %(sha256)s AND NOT r.accepted AND r.reasons = %(reasons)s)",
        {
            "file": receipt.file,
            "sha256": receipt.sha256,
            "team": receipt.team,
            "run": receipt.run,
            "accepted": accepted,
            "reasons": Jsonb(reasons),
        },
    )


def total(reasons: Sequence[str]) -> int:
    """Return the number of reasons of a receipt, including further ones that its last reason only counts."""
    match = re.fullmatch(r"([0-9,]+) further reasons", reasons[-1]) if reasons else None
    return len(reasons) - 1 + int(match[1].replace(",", "")) if match else len(reasons)


class RunReceipt(NamedTuple):
    """One row of run_receipts."""

    received: datetime
    file: str
    sha256: str
    team: str | None
    run: str | None
    accepted: bool
    reasons: list[dict[str, object]]


@translate()
def receipts(conn: psycopg.Connection, *, team: str | None = None) -> list[RunReceipt]:
    """Return the receipts in the order of receipt; the team is case-insensitive.

    :param team: Only receipts of this team.
    """
    return records(
        conn,
        RunReceipt,
        "SELECT received, file, sha256, team, run, accepted, reasons FROM stc_all.run_receipts"
        " WHERE %(team)s::text IS NULL OR lower(team) = lower(%(team)s) ORDER BY id",
        {"team": team},
    )


def as_record(receipt: Receipt) -> dict[str, object]:
    """Return a receipt as a JSON object."""
    reasons = [{"line": fault.line, "what": fault.what, "note": fault.note} for fault in receipt.reasons]
    return {**asdict(receipt), "reasons": reasons}
