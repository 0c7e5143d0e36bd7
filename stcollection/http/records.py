"""Answers that are the library's records: their models, with types and descriptions from the records."""

from __future__ import annotations

import dataclasses
import math
import types
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, cast, get_args, get_origin, get_type_hints

from pydantic import BeforeValidator, ConfigDict, Field, create_model

from stcollection.declared import described, field_names, prose

Number = Annotated[float | None, BeforeValidator(lambda value: value if value is None or math.isfinite(value) else None)]


@cache
def served(record: Any, *names: str, omit: tuple[str, ...] = (), **more: Any) -> Any:
    """Return the model of a record: of a named tuple or a dataclass. Records nested in it are models too.

    JSON has no NaN, so a number that can be undefined is null.

    :param names: public properties of the record that belong to the answer. :param omit: fields that do not.
    :param more: types of further fields, or of fields that have another type in the answer; they come first.
    """
    words = described(record)
    hints = get_type_hints(record)
    fields: dict[str, Any] = {field: (kind, Field()) for field, kind in more.items()}
    fields |= {
        field: (_served(hints[field]), Field(description=words.get(field)))
        for field in field_names(record)
        if field not in omit and field not in more
    }
    fields |= {field: (_served(get_type_hints(getattr(record, field).fget)["return"]), Field()) for field in names}
    return create_model(
        record.__name__,
        __config__=ConfigDict(from_attributes=True),
        __doc__=prose(record),
        **fields,
    )


def listed(record: Any, *names: str, omit: tuple[str, ...] = (), **more: Any) -> Any:
    """Return the type of a list of records; see :func:`served`."""
    return list.__class_getitem__(served(record, *names, omit=omit, **more))


def answer(name: str, words: str, **fields: Any) -> Any:
    """Return the model of an answer that contains records. :param words: its description, for OpenAPI."""
    typed: dict[str, Any] = {field: (kind, Field()) for field, kind in fields.items()}
    return create_model(name, __doc__=words, **typed)


def _served(hint: Any) -> Any:
    """Return a type in which records are models, and floats may be null."""
    if hint is float:
        return Number
    if hasattr(hint, "_fields") or dataclasses.is_dataclass(hint):
        return served(cast("Any", hint))
    parts = get_args(hint)
    if get_origin(hint) is types.UnionType:
        return reduce(or_, map(_served, parts))
    if get_origin(hint) not in (list, dict, tuple):
        return hint
    return get_origin(hint)[tuple(part if part is Ellipsis else _served(part) for part in parts)]
