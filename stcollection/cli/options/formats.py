"""Options that take the name of a file format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stcollection.io.formats import Kind
from stcollection.io.registry import names, unknown

if TYPE_CHECKING:
    Choice = click.Choice[str]
else:
    Choice = click.Choice  # not generic before click 8.2


class FormatName(Choice):
    """The name of a format of a kind. :param written: of those that can be written."""

    def __init__(self, kind: Kind, *, written: bool = False) -> None:
        super().__init__(names(kind, written=written))
        self.kind, self.written = kind, written

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices:
            raise unknown(self.kind, str(value), written=self.written)
        return super().convert(value, param, ctx)
