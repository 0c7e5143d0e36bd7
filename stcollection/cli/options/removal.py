"""Options and output of commands that remove documents, queries, runs or judgments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import click

from stcollection.cli.options import together
from stcollection.counts import agreeing, counted, first_of
from stcollection.db.removal import Dependent, Removal
from stcollection.declared import Option

_SHOWN = 3  # number of editions or runs to name
Yes = Annotated[bool, Option(help="Skip the confirmation prompt.")]
DryRun = Annotated[bool, Option(help="Print what would be removed, and change nothing.")]
yes_option = click.option("--yes", is_flag=True, help="Skip the confirmation prompt.")
_dry_run = click.option("--dry-run", is_flag=True, help="Print what would be removed, and change nothing.")
confirm_options = together(yes_option, _dry_run)


def file_option(listing: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option ``--file``, as ``files``.

    :param listing: the command that lists the files.
    """
    return click.option(
        "--file",
        "files",
        metavar="NAME",
        multiple=True,
        help=f"Remove everything loaded from this file: path, name, or beginning of the SHA-256 ('{listing}'). Repeatable.",
    )


def preview(found: Removal, what: str) -> list[str]:
    """Return lines that describe what a removal would do.

    :param what: documents, queries or stubs.
    """
    lines = [f"{path}:" for path in found.files]
    lines.append(f"  {agreeing(found.removed, what)} to remove")
    if found.kept:
        names = ", ".join(_rows(one) for one in found.dependents if one.keeps and one.what)
        one, several = ("stays", "stay") if what == "stubs" else ("becomes a stub", "become stubs")
        lines.append(f"  {counted(found.kept, one, several)}, used by {names}")
    if goes := ", ".join(_rows(one) for one in found.dependents if not one.keeps and one.what):
        lines.append(f"  also removed: {goes}")
    if found.shared:
        lines.append(f"  {counted(found.shared, 'more stays', 'more stay')}: another loaded file has them too")
    return lines


def _rows(one: Dependent) -> str:
    return agreeing(one.rows, one.what or "") + (f" ({first_of(one.names, _SHOWN)})" if one.names else "")
