"""Options that take the name of a file format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stcollection.io.corpus.fields import DEFAULT, FieldNames, read_map
from stcollection.io.formats import Kind
from stcollection.io.registry import names, unknown

if TYPE_CHECKING:
    Choice = click.Choice[str]
    ParamType = click.ParamType[FieldNames]
else:
    Choice, ParamType = click.Choice, click.ParamType  # not generic before click 8.2


class FieldMap(ParamType):
    """Field names, as docno=key,title=headline,text=body."""

    name = "fields"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> FieldNames:
        return value if isinstance(value, FieldNames) else read_map(value)


map_option = click.option(
    "--map",
    "fields",
    type=FieldMap(),
    default=DEFAULT,
    metavar="FIELDS",
    help="Fields of a JSON object, or columns of a table, to read: docno=key,title=headline,text=body.  [default: docno from "
    f"{', '.join(DEFAULT.docno)}; title from title; text from {', '.join(DEFAULT.text)}]",
)


class FormatName(Choice):
    """The name of a file format of one kind.

    :param written: accept only formats that can be written.
    """

    def __init__(self, kind: Kind, *, written: bool = False) -> None:
        super().__init__(names(kind, written=written))
        self.kind, self.written = kind, written

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices:
            raise unknown(self.kind, str(value), written=self.written)
        return super().convert(value, param, ctx)
