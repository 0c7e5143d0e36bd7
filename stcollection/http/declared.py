"""Routes from declarations: the parameters of a function of the library are the parameters of the address."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from fastapi import Query

from stcollection.declared import DeclaredParameter, arguments, parameters, reword
from stcollection.errors import StcError
from stcollection.http.parameters import Text

_MANY, _LONG = 1000, 1000  # values of a parameter, and characters of a text


def offered(function: Callable[..., Any], fixed: dict[str, Any]) -> list[DeclaredParameter]:
    """Return the parameters that a route offers: no files of the server, and none that the route fixes."""
    return [parameter for parameter in parameters(function) if parameter.kind is not Path and parameter.name not in fixed]


def endpoint(
    function: Callable[..., Any],
    answer: Callable[[dict[str, Any]], Awaitable[Any]],
    *,
    name: str,
    returns: Any,
    needed: Mapping[str, int] | None = None,
    **fixed: Any,
) -> Callable[..., Awaitable[Any]]:
    """Return the function of a route.

    :param answer: called with the keyword arguments of the function. :param returns: the type of the answer, for OpenAPI.
    :param name: of the operation, by which generated clients call it.
    :param needed: parameters of several values that a request must have, with the largest number of values.
    :param fixed: values of parameters that the route does not offer.
    """
    known, limits = offered(function, fixed), needed or {}

    async def call(**given: Any) -> Any:
        values = {parameter.name: given[parameter.each] for parameter in known if given[parameter.each] is not None}
        try:
            return await answer(arguments(function, values | fixed, local=False))
        except StcError as error:
            reword(error, parameters(function), spelled)
            raise

    signature = [
        inspect.Parameter(
            parameter.each,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if parameter.name in limits else parameter.if_omitted,
            annotation=_annotation(parameter, limits.get(parameter.name, _MANY)),
        )
        for parameter in known
    ]
    call.__signature__ = inspect.Signature(signature, return_annotation=returns)  # type: ignore[attr-defined]
    call.__name__ = name
    call.__dict__["declared"] = function
    return call


def spelled(parameter: DeclaredParameter, value: str | None) -> str:
    """Return a parameter as in an address: ``?max_rank``, ``?missing=zero``."""
    return f"?{parameter.each}" if value is None else f"?{parameter.each}={value}"


def _annotation(parameter: DeclaredParameter, most: int) -> Any:
    kind: Any = parameter.kind if parameter.kind in (int, float, bool) else Text
    limits: dict[str, Any] = {}
    if parameter.bounds is not None:
        limits = parameter.bounds.limits()
    elif kind is Text and not parameter.many:
        limits = {"max_length": _LONG}
    help_ = parameter.help_elsewhere + parameter.default_note
    extra = {"enum": list(parameter.choices)} if parameter.choices else None
    if parameter.many:
        return Annotated[list[kind] | None, Query(max_length=most, description=help_)]
    if parameter.default is None:
        kind = kind | None
    return Annotated[kind, Query(description=help_, json_schema_extra=extra, **limits)]
