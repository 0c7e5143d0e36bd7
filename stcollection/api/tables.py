"""Results of methods as tables for notebooks."""

from __future__ import annotations

from dataclasses import fields
from typing import TypeVar

from stcollection.cells import html_table

T = TypeVar("T")


class Records(list[T]):
    """A list of records, displayed as a table in notebooks."""

    def _repr_html_(self) -> str:
        names = [field.name for field in fields(self[0])] if self else []  # type: ignore[arg-type]
        return html_table(names, [[getattr(one, name) for name in names] for one in self])
