"""Options of commands whose work actors of Ray can do."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from stcollection.cli.options import together
from stcollection.db.pool import RayActors

_OPTIONS = together(
    click.option(
        "--ray", metavar="ADDRESS", help="Do the work by actors of Ray: local, auto, or the address of a cluster. An extra."
    ),
    click.option(
        "--actors", type=click.IntRange(min=1), help="Number of actors.  [default: one per GPU if used, else one per core]"
    ),
)


def actors_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --ray and --actors, which the command takes as ``actors: RayActors | None``."""

    @wraps(command)
    def taking(*arguments: Any, ray: str | None = None, actors: int | None = None, **given: Any) -> Any:
        if ray is None and actors is not None:
            raise click.UsageError("--actors needs --ray: local, auto, or an address")
        return command(*arguments, **given, actors=None if ray is None else RayActors(address=ray, count=actors))

    return _OPTIONS(taking)
