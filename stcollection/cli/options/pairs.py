"""Options that take values by name, such as ``--weight bm25=0.7``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.declared import DeclaredParameter
from stcollection.errors import BadArgument


def check_pairs(parameter: DeclaredParameter) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return a callback that refuses values by name that cannot be read."""

    def check(_: click.Context, __: click.Parameter, values: Any) -> Any:
        try:
            parameter.read_local(values)
        except BadArgument as error:
            raise click.BadParameter(error.message) from error
        return values

    return check
