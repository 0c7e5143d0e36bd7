"""Read conditions, order and page of a table from an address, and write such addresses. The names are those of Datasette."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode

from starlette.datastructures import QueryParams

from stcollection.db.relations import CONDITIONS, UNARY, ColumnCondition
from stcollection.errors import BadArgument
from stcollection.texts import later

PATH = "/tables"
SIZES = (20, 100, 500)
_OWN = ("_sort", "_sort_desc", "_size", "_page", "_column", "_condition", "_value")


@dataclass(frozen=True, kw_only=True)
class TableState:
    """What an address says about a table. :param page: from 1."""

    conditions: tuple[ColumnCondition, ...] = ()
    sort: str | None = None
    descending: bool = False
    size: int = SIZES[0]
    page: int = 1

    def asked(self) -> dict[str, Any]:
        """Return the parameters of :func:`stcollection.db.relations.relation_rows`."""
        return {
            "conditions": self.conditions,
            "sort": self.sort,
            "descending": self.descending,
            "limit": self.size,
            "skip": (self.page - 1) * self.size,
        }

    def without(self, condition: ColumnCondition) -> TableState:
        """Return the state without a condition, at its first page."""
        return replace(self, conditions=tuple(one for one in self.conditions if one != condition), page=1)

    def sorted_by(self, column: str) -> TableState:
        """Return the state sorted by a column; if it is sorted by it already, in the other direction."""
        return replace(self, sort=column, descending=self.sort == column and not self.descending, page=1)


def read_table(params: QueryParams) -> TableState:
    """Return the state of an address. A condition from the form (_column, _condition, _value) is added to the others.

    :raises BadArgument: a number is invalid.
    """
    conditions = [_condition(name, value) for name, value in params.multi_items() if name not in _OWN]
    if params.get("_column"):
        kind = params.get("_condition") or "exact"
        conditions.append(
            ColumnCondition(column=params["_column"], kind=kind, value="" if kind in UNARY else params.get("_value", ""))
        )
    return TableState(
        conditions=tuple(dict.fromkeys(conditions)),
        sort=params.get("_sort_desc") or params.get("_sort") or None,
        descending=bool(params.get("_sort_desc")),
        size=_number(params, "_size", SIZES[0]),
        page=_number(params, "_page", 1),
    )


def address(name: str, state: TableState, suffix: str = "") -> str:
    """Return the address of a table. :param suffix: .json or .csv for a download."""
    query = parameters(state)
    return f"{PATH}/{quote(name, safe='')}{suffix}" + (f"?{urlencode(query)}" if query else "")


def parameters(state: TableState) -> list[tuple[str, object]]:
    """Return the parameters of an address, by name and value. Those with their usual value are left out."""
    query: list[tuple[str, object]] = []
    for condition in state.conditions:
        ending = "" if condition.kind == "exact" and "__" not in condition.column else f"__{condition.kind}"
        query.append((condition.column + ending, condition.value))
    if state.sort:
        query.append(("_sort_desc" if state.descending else "_sort", state.sort))
    query += [(name, value) for name, value, usual in (("_size", state.size, SIZES[0]), ("_page", state.page, 1)) if value != usual]
    return query


def suffixed(name: str, suffixes: Sequence[str]) -> tuple[str, str]:
    """Return a name without the suffix for a download, and the suffix or ''."""
    for suffix in suffixes:
        if name.endswith(suffix):
            return name.removesuffix(suffix), suffix
    return name, ""


def _condition(name: str, value: str) -> ColumnCondition:
    column, _, kind = name.rpartition("__")
    if not column or kind not in CONDITIONS:
        return ColumnCondition(column=name, value=value)
    return ColumnCondition(column=column, kind=kind, value="" if kind in UNARY else value)


def _number(params: QueryParams, name: str, usual: int) -> int:
    text = params.get(name) or str(usual)
    if not (text.isascii() and text.isdecimal() and int(text[:9]) > 0 and len(text) < 9):
        raise BadArgument(
            later("{name} is {value!r}", name=name, value=text[:50]), hint=later("Use a whole number from 1."), sqlstate="IR201"
        )
    return int(text)
