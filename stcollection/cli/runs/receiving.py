"""Commands on submissions: ``stc runs receive`` and ``stc show receipts``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import click
import orjson

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import printable, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import Option
from stcollection.errors import BadInput
from stcollection.evaluation.score import judge_each
from stcollection.runs.receive import (
    ACCEPTED,
    KNOWN,
    LEFT,
    REJECTED,
    Receipt,
    RunReceipt,
    as_record,
    receipts,
    receive,
    total,
)

_SHOWN = 10  # reasons to print per file; the receipt has all of them


@command(receive)
def receive_command(
    call: Call[Iterator[Receipt]], *, out: Annotated[Path | None, Option("--receipts", metavar="FILE")] = None
) -> None:
    """Receive the submissions in FOLDER: check each file, store it as a run or reject it, and keep a receipt with the reasons.

    Files are in FOLDER or in one sub-folder per team; plain or compressed. A YAML file with a run's name is its metadata. The team
    is the first part of the run_id (in a TREC file: the tag) TEAM_task1_NAME, or else the sub-folder. Links and hidden files are
    not read. A file that is already stored as a run changes nothing; a file that is still being written is left for the next call.
    Run the same command again to continue an interrupted intake.

    The exit code is 3 if a file was rejected.

    :param out: Append each receipt to FILE, one JSON object per line.
    """
    counts: Counter[str] = Counter()
    with ExitStack() as stack:
        conn = stack.enter_context(connect(call.settings))
        file = None if out is None else stack.enter_context(out.open("ab"))
        conn.rollback()
        for receipt in judge_each(conn, call(conn)):
            counts[receipt.state] += 1
            _print_receipt(receipt)
            if file is not None:
                file.write(orjson.dumps(as_record(receipt), option=orjson.OPT_APPEND_NEWLINE))
                file.flush()
    parts = [f"{counts[state]:,} {state}" for state in (ACCEPTED, REJECTED, KNOWN, LEFT) if counts[state]]
    click.echo(", ".join(parts) or "no files")
    if counts[REJECTED]:
        raise BadInput(
            f"{counts[REJECTED]:,} of {counted(counts.total(), 'file')} rejected", hint="'stc show receipts' lists all reasons."
        )


def _print_receipt(receipt: Receipt) -> None:
    outcome = {
        ACCEPTED: f"accepted as {receipt.run}",
        REJECTED: "rejected",
        KNOWN: f"already stored as run {receipt.run}",
        LEFT: "left for the next call",
    }[receipt.state]
    click.echo(printable(f"{receipt.file}: {outcome}"))
    for reason in sorted(receipt.reasons, key=lambda reason: reason.note)[:_SHOWN]:
        where = f"{receipt.file}:{reason.line}" if reason.line else receipt.file
        click.echo("    " + printable(f"{where}: {'note: ' if reason.note else ''}{reason.what}"))
    if len(receipt.reasons) > _SHOWN:
        click.echo(f"    and {total([reason.what for reason in receipt.reasons]) - _SHOWN:,} more")


@command(receipts)
def receipts_command(call: Call[list[RunReceipt]], *, style: Style = "table") -> None:
    """List the receipts of 'stc runs receive', oldest first. JSON has all reasons."""
    stored = call.once()
    if style == "json":
        click.echo(render(stored, list(stored[0]._fields) if stored else [], style=style))
        return
    rows = []
    for receipt in stored:
        faults = [reason for reason in receipt.reasons if not reason["note"]]
        first = (
            f"line {faults[0]['line']}: {faults[0]['what']}"
            if faults and faults[0]["line"]
            else faults[0]["what"]
            if faults
            else ""
        )
        more = f" (and {total([str(reason['what']) for reason in faults]) - 1:,} more)" if len(faults) > 1 else ""
        outcome = "accepted" if receipt.accepted else "rejected"
        rows.append(
            (f"{receipt.received:%F %R}", printable(receipt.file), receipt.team, receipt.run, outcome, printable(f"{first}{more}"))
        )
    click.echo(render(rows, ["received", "file", "team", "run", "outcome", "reason"], style=style))
