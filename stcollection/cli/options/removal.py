"""Options and output of commands that remove documents, queries, runs or judgments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.cli.options import together
from stcollection.db.removal import Dependent, Removal

_SHOWN = 3  # names of editions or runs
_yes = click.option("--yes", is_flag=True, help="Do not ask.")
_dry_run = click.option("--dry-run", is_flag=True, help="Print what would be removed, and change nothing.")
confirm_options = together(_yes, _dry_run)


def file_option(listing: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option ``--file``, as ``files``. :param listing: the command that lists the files."""
    return click.option(
        "--file",
        "files",
        metavar="NAME",
        multiple=True,
        help=f"Remove what this file brought: its path, its name, or the beginning of its SHA-256 ('{listing}').",
    )


def preview(found: Removal, what: str) -> list[str]:
    """Return the lines that say what a removal would do. :param what: documents, queries or stubs."""
    told = [f"{path}:" for path in found.files]
    told.append(f"  {found.removed:,} {what} to remove")
    if found.kept:
        names = ", ".join(_rows(one) for one in found.dependents if one.keeps and one.what)
        told.append(f"  {found.kept:,} {'stay' if what == 'stubs' else 'to turn into stubs'}, named by {names}")
    if goes := ", ".join(_rows(one) for one in found.dependents if not one.keeps and one.what):
        told.append(f"  with them: {goes}")
    if found.shared:
        told.append(f"  {found.shared:,} more stay: another loaded file has them too")
    return told


def named(names: list[str]) -> str:
    """Return the first names of a list, and how many more there are."""
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


def _rows(one: Dependent) -> str:
    return f"{one.rows:,} {one.what}" + (f" ({named(one.names)})" if one.names else "")
