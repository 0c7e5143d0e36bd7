"""The option of days, the snapshots to compare."""

from __future__ import annotations

import click


def _days(_: click.Context, __: click.Parameter, given: str | None) -> list[str]:
    return [day for one in (given or "").split(",") if (day := one.strip())]


days_option = click.option(
    "--days", metavar="LIST", callback=_days, help="Days YYYY-MM-DD, separated by commas.  [default: all snapshots]"
)
