"""The command ``stc runs receive``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
import orjson

from stcollection.cli.options import packed
from stcollection.cli.output import printable
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadInput
from stcollection.evaluation.incoming import receive
from stcollection.runs.load import ON_DUPLICATE, UNKNOWN
from stcollection.runs.receive import ACCEPTED, KNOWN, LEFT, REJECTED, Receipt, TrackRules, as_record, total

_SHOWN = 10  # reasons of a file on the terminal; the receipt has them all
_MB = 2**20


def _policy(name: str, parameter: str, what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        name,
        parameter,
        type=click.Choice(UNKNOWN),
        default="error",
        show_default=True,
        help=f"{what} that the collection has not: a reason to reject the file, or leave their lines out, or store them by name.",
    )


@click.command("receive")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--team-limit", type=click.IntRange(min=1), metavar="N", help="Most runs of a team.  [default: no limit]")
@click.option("--task", type=click.IntRange(0, 9), help="The number of the task that a run_id must have.")
@click.option("--depth", type=click.IntRange(min=1), help="Most documents a query.  [default: no limit]")
@click.option("--accept-notes/--reject-notes", default=True, show_default=True, help="Whether a file with notes alone is accepted.")
@click.option(
    "--on-duplicate",
    type=click.Choice(ON_DUPLICATE),
    default="error",
    show_default=True,
    help="A document ranked twice for a query: a reason to reject the file, or keep the first, or the one with the best score.",
)
@_policy("--unknown-docs", "unknown_documents", "Documents")
@_policy("--unknown-queries", "unknown_queries", "Queries")
@click.option(
    "--max-size",
    "largest",
    type=click.IntRange(min=1),
    callback=lambda _, __, megabytes: megabytes * _MB,
    default=512,
    show_default=True,
    metavar="MB",
    help="Of a file, before and after unpacking.",
)
@click.option(
    "--receipts",
    "written",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Append each receipt to FILE, a line of JSON each.",
)
@click.pass_obj
@packed(TrackRules, "rules")
def command(settings: Settings, /, folder: Path, written: Path | None, rules: TrackRules) -> None:
    """Take in the submissions in FOLDER: check each file, store it as a run or reject it, and keep a receipt with the reasons.

    Files lie in FOLDER or in a sub-folder for each team; plain or compressed; a YAML file of a run's name is its metadata.
    The team is the first part of the run_id TEAM_task1_NAME, which in a TREC file is the tag; else the sub-folder. Links and
    hidden files are not read. A file that is a run already changes nothing; one that is being written is left for the next
    time. An interrupted intake goes on with the same command.

    Exit code 3 if any file was rejected.
    """
    told: Counter[str] = Counter()
    with ExitStack() as stack:
        conn = stack.enter_context(connect(settings))
        out = stack.enter_context(written.open("ab")) if written is not None else None
        conn.rollback()
        for receipt in receive(conn, folder, rules=rules):
            told[receipt.state] += 1
            _tell(receipt)
            if out is not None:
                out.write(orjson.dumps(as_record(receipt), option=orjson.OPT_APPEND_NEWLINE))
                out.flush()
    counts = [f"{told[state]:,} {state}" for state in (ACCEPTED, REJECTED, KNOWN, LEFT) if told[state]]
    click.echo(", ".join(counts) or "no files")
    if told[REJECTED]:
        raise BadInput(f"{told[REJECTED]:,} of {told.total():,} files rejected", hint="'stc runs receipts' tells why, in full.")


def _tell(receipt: Receipt) -> None:
    told = {
        ACCEPTED: f"accepted as {receipt.run}",
        REJECTED: "rejected",
        KNOWN: f"it is run {receipt.run} already",
        LEFT: "left for another time",
    }[receipt.state]
    click.echo(printable(f"{receipt.file}: {told}"))
    for reason in sorted(receipt.reasons, key=lambda one: one.note)[:_SHOWN]:
        where = f"{receipt.file}:{reason.line}" if reason.line else receipt.file
        click.echo("    " + printable(f"{where}: {'note: ' if reason.note else ''}{reason.what}"))
    if len(receipt.reasons) > _SHOWN:
        click.echo(f"    and {total([reason.what for reason in receipt.reasons]) - _SHOWN:,} more")
