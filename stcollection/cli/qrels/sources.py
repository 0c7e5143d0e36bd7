"""Commands that list the files of the judgments, and remove judgments by file or edition."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.removal import DryRun, Yes
from stcollection.cli.output import render
from stcollection.counts import counted
from stcollection.declared import Option
from stcollection.errors import BadInput
from stcollection.qrels.removal import QrelsRemoval, remove_judgments
from stcollection.qrels.sources import EDITION, EditionFile, sources, state


@command(sources)
def files_command(
    call: Call[list[EditionFile]],
    *,
    check_files: Annotated[
        bool,
        Option("--check", help="Check that the source files are unchanged. The exit code is 3 if a file is missing or changed."),
    ] = False,
    style: Style = "table",
) -> None:
    """List the source files of the judgments in EDITION (default: all editions), with SHA-256 and counts at import.

    For a derived edition, the sources are other editions: edition:NAME.
    """
    files = call.once()
    headers = ["edition", "source", "judgments", "added", "sha256", "imported"]
    cut = 64 if style in ("json", "csv") else 12
    rows = [
        (file.edition, file.path, file.judgments, file.added, file.sha256 and file.sha256[:cut], f"{file.imported:%F %R}")
        for file in files
    ]
    if not check_files:
        click.echo(render(rows, headers, style=style))
        return
    states = [state(file) for file in files]
    click.echo(render([(*row, now) for row, now in zip(rows, states, strict=True)], [*headers, "today"], style=style))
    if bad := [_fault(file, now) for file, now in zip(files, states, strict=True) if now in ("changed", "gone")]:
        raise BadInput("; ".join(bad), hint="Import the file into another edition; 'stc qrels diff' then shows what changed.")


def _fault(source: EditionFile, now: str) -> str:
    name = source.path.removeprefix(EDITION) if source.path.startswith(EDITION) else Path(source.path).name
    return f"{name} of {source.edition!r} is {now}"


@command(remove_judgments)
def drop_command(call: Call[QrelsRemoval], *, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Remove an EDITION with all its judgments, or the judgments imported from a file.

    The command prints what will be removed and prompts for confirmation. Single files of a sealed edition cannot be removed.
    """
    click.echo(_preview(call.once(dry_run=True)))
    if dry_run:
        return
    if not yes:
        click.confirm("Remove them?", abort=True)
    removed = call.once()
    if removed.path is None:
        click.echo(f"removed the edition {removed.edition!r}: {counted(removed.judgments, 'judgment')}")
        return
    also = " and the edition" if removed.edition_dropped else ""
    click.echo(f"removed {counted(removed.judgments, 'judgment')} of the edition {removed.edition!r}{also}")


def _preview(planned: QrelsRemoval) -> str:
    what = f"the edition {planned.edition!r}" if planned.path is None else f"{planned.path} of the edition {planned.edition!r}"
    counts = {
        "judgments": planned.judgments,
        "preferences": planned.preferences,
        "subtopic judgments": planned.subtopic_judgments,
        "imported scores": planned.scores,
        "answers of language models": planned.answers,
    }
    phrases = [f"{what}: {', '.join(f'{count:,} {name}' for name, count in counts.items() if count or name == 'judgments')}"]
    if planned.shared:
        stays = counted(planned.shared, "more judgment stays", "more judgments stay")
        phrases.append(f"{stays}: another file of the edition has them too")
    if planned.path is not None and planned.edition_dropped:
        phrases.append("the edition contains nothing else, so it is removed too")
    return "; ".join(phrases)
