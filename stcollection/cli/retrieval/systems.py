"""Commands on retrieval systems: ``stc show systems`` and ``stc drop system``."""

from __future__ import annotations

from typing import Annotated

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.completion import complete_systems
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.retrieval.systems import ListedSystem, drop_system, systems


@command(systems)
def list_command(call: Call[list[ListedSystem]], *, style: Style = "table") -> None:
    """List the retrieval systems, for 'stc run' and 'stc search --system': those of the product, then those that users added.

    To add one, call add_system in 'stc psql' with a function of yours.
    """
    click.echo(render(call.once(), ListedSystem._fields, style=style))


@command(drop_system)
def drop_command(call: Call[int], *, system: Annotated[str, click.argument("system", shell_complete=complete_systems)]) -> None:
    """Remove the system SYSTEM that you added with add_system. Its function and its runs stay."""
    runs = call.once(system=system)
    click.echo(f"{system}: removed")
    if runs:
        aside(f"{counted(runs, 'run')} of {system} stay, with the definition of its function in their params")
