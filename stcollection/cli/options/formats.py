"""Options that take the name of a file format."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from stcollection.io.corpus.fields import DEFAULT, IDS, MORE, TEXTS, FieldNames, Role, read_map
from stcollection.io.formats import Kind
from stcollection.io.registry import names, unknown_format
from stcollection.io.topics.columns import IDS as QUERY_IDS
from stcollection.io.topics.columns import TEXTS as QUERY_TEXTS

if TYPE_CHECKING:
    Choice = click.Choice[str]
    ParamType = click.ParamType[FieldNames]
else:
    Choice, ParamType = click.Choice, click.ParamType  # not generic before click 8.2

Command = TypeVar("Command", bound=Callable[..., Any])


class FieldMap(ParamType):
    """Field names, as docno=key,title=headline,text=body.

    :param role: accept only parts of documents, or of queries; None accepts both.
    """

    name = "fields"

    def __init__(self, role: Role | None) -> None:
        self.role = role

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> FieldNames:
        fields = value if isinstance(value, FieldNames) else read_map(value)
        if self.role is not None:
            fields.check(self.role)
        return fields


def _map_option(role: Role | None, about: str) -> Callable[[Command], Command]:
    text = f"Fields of a JSON object, or columns of a table, to read: {about}"
    return click.option("--map", "fields", type=FieldMap(role), default=DEFAULT, metavar="FIELDS", help=text)


document_map_option = _map_option(
    "documents",
    f"docno=key,title=headline,text=body; also {', '.join(MORE)}. Number the columns of a table without a header: "
    f"docno=1,text=2.  [default: docno from {', '.join(IDS)}; title from title; text from {', '.join(TEXTS)}]",
)
query_map_option = _map_option(
    "queries",
    "query=question_id,text=utterance; also desc and narr, for --field. Number the columns of a table without a header: "
    f"query=1,text=3.  [default: query from {', '.join(QUERY_IDS[:5])}, …; text from {', '.join(QUERY_TEXTS['title'][:5])}, …]",
)
map_option = _map_option(
    None,
    "docno=key,text=body for documents, query=question_id,text=utterance for queries.  "
    "[default: as 'stc load --as corpus' and 'stc load --as topics']",
)
run_columns_option = click.option(
    "--columns",
    metavar="NAMES",
    help="Columns of a table, or fields of JSON, by name: query=question,doc=paper,score=rating; also rank and run.  "
    "[default: recognised]",
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
            raise unknown_format(self.kind, str(value), written=self.written)
        return super().convert(value, param, ctx)
