"""The command ``stc runs receive``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
import orjson

from stcollection.cli.options import packed, together
from stcollection.cli.options.files import OutputPath
from stcollection.cli.options.formats import run_columns_option
from stcollection.cli.output import printable
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadInput
from stcollection.evaluation.score import judge_each
from stcollection.runs.policies import ON_DUPLICATE, UNKNOWN
from stcollection.runs.receive import ACCEPTED, KNOWN, LEFT, REJECTED, Receipt, TrackRules, as_record, receive, total

_SHOWN = 10  # reasons to print per file; the receipt has all of them
_MB = 2**20


def _policy(name: str, parameter: str, what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        name,
        parameter,
        type=click.Choice(UNKNOWN),
        default="error",
        show_default=True,
        help=f"How to treat {what} that are not in the collection: reject the file, skip their lines, or store their names "
        "as stubs.",
    )


_options = together(
    click.option(
        "--max-size",
        "largest",
        type=click.IntRange(min=1),
        callback=lambda _, __, megabytes: megabytes * _MB,
        default=512,
        show_default=True,
        metavar="MB",
        help="Largest size of a file in megabytes, before and after unpacking.",
    ),
    click.option(
        "--receipts",
        "written",
        type=OutputPath(),
        help="Append each receipt to FILE, one JSON object per line.",
    ),
)


@click.command("receive")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--team-limit", type=click.IntRange(min=1), metavar="N", help="Largest number of runs per team.  [default: no limit]")
@click.option("--task", type=click.IntRange(0, 9), help="Task number that every run_id must have.")
@run_columns_option
@click.option("--depth", type=click.IntRange(min=1), help="Largest number of documents per query.  [default: no limit]")
@click.option(
    "--accept-notes/--reject-notes", default=True, show_default=True, help="Whether to accept files with notes but no errors."
)
@click.option(
    "--on-duplicate",
    type=click.Choice(ON_DUPLICATE),
    default="error",
    show_default=True,
    help="If a query ranks a document twice: reject the file, keep the first entry, or keep the entry with the best score.",
)
@_policy("--unknown-docs", "unknown_documents", "documents")
@_policy("--unknown-queries", "unknown_queries", "queries")
@_options
@click.pass_obj
@packed(TrackRules, "rules")
def command(settings: Settings, /, folder: Path, written: Path | None, rules: TrackRules) -> None:
    """Receive the submissions in FOLDER: check each file, store it as a run or reject it, and keep a receipt with the reasons.

    Files are in FOLDER or in one sub-folder per team; plain or compressed. A YAML file with a run's name is its metadata. The team
    is the first part of the run_id (in a TREC file: the tag) TEAM_task1_NAME, or else the sub-folder. Links and hidden files are
    not read. A file that is already stored as a run changes nothing; a file that is still being written is left for the next call.
    Run the same command again to continue an interrupted intake.

    The exit code is 3 if a file was rejected.
    """
    told: Counter[str] = Counter()
    with ExitStack() as stack:
        conn = stack.enter_context(connect(settings))
        out = stack.enter_context(written.open("ab")) if written is not None else None
        conn.rollback()
        for receipt in judge_each(conn, receive(conn, folder, rules=rules)):
            told[receipt.state] += 1
            _print_receipt(receipt)
            if out is not None:
                out.write(orjson.dumps(as_record(receipt), option=orjson.OPT_APPEND_NEWLINE))
                out.flush()
    counts = [f"{told[state]:,} {state}" for state in (ACCEPTED, REJECTED, KNOWN, LEFT) if told[state]]
    click.echo(", ".join(counts) or "no files")
    if told[REJECTED]:
        raise BadInput(
            f"{told[REJECTED]:,} of {counted(told.total(), 'file')} rejected", hint="'stc runs receipts' lists all reasons."
        )


def _print_receipt(receipt: Receipt) -> None:
    told = {
        ACCEPTED: f"accepted as {receipt.run}",
        REJECTED: "rejected",
        KNOWN: f"already stored as run {receipt.run}",
        LEFT: "left for the next call",
    }[receipt.state]
    click.echo(printable(f"{receipt.file}: {told}"))
    for reason in sorted(receipt.reasons, key=lambda one: one.note)[:_SHOWN]:
        where = f"{receipt.file}:{reason.line}" if reason.line else receipt.file
        click.echo("    " + printable(f"{where}: {'note: ' if reason.note else ''}{reason.what}"))
    if len(receipt.reasons) > _SHOWN:
        click.echo(f"    and {total([reason.what for reason in receipt.reasons]) - _SHOWN:,} more")
