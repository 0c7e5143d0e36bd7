"""Routes from declarations: the parameters of a function of the library are the parameters of the address."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

from fastapi import APIRouter, Query
from pydantic import AfterValidator

from stcollection.declared import REQUIRED, DeclaredParameter, arguments, parameters, returned, reword
from stcollection.errors import StcError
from stcollection.http.limits import CHARACTERS, checked_text
from stcollection.http.records import listed
from stcollection.web.desk import Desk

#: A property of a parameter: the address that lists its values. Those of a few values are listed in the description, too.
LISTED_BY, SYSTEMS = "x-listed-by", "/api/systems"
_MANY, _NAME = 1000, 200  # most values of a parameter, most characters of the name


def offered(function: Callable[..., Any], omit: Sequence[str]) -> list[DeclaredParameter]:
    """Return the parameters that a route offers: no files of the server, and none that the route omits."""
    return [parameter for parameter in parameters(function) if parameter.kind is not Path and parameter.name not in omit]


def endpoint(
    function: Callable[..., Any],
    answer: Callable[..., Awaitable[Any]],
    *,
    name: str,
    returns: Any,
    needed: Mapping[str, int] | None = None,
    most: Mapping[str, int] | None = None,
    names: Mapping[str, str] | None = None,
    omit: Sequence[str] = (),
    **fixed: Any,
) -> Callable[..., Awaitable[Any]]:
    """Return the function of a route.

    :param answer: called with the keyword arguments of the function. Its keyword parameters are parameters of the route too.
    :param returns: the type of the answer, for OpenAPI.
    :param name: of the operation, by which generated clients call it.
    :param needed: parameters that a request must have, with the largest number of values, or of characters.
    :param most: largest numbers that the route accepts, or of characters, where the function has no limit.
    :param names: names in the address that are not those of the function.
    :param omit: parameters that the route does not offer. :param fixed: values of such parameters.
    """
    known, limits, renamed = offered(function, (*omit, *fixed)), needed or {}, names or {}
    public = {parameter.name: renamed.get(parameter.name, parameter.each) for parameter in known}
    own = [part for part in inspect.signature(answer).parameters.values() if part.kind is inspect.Parameter.KEYWORD_ONLY]

    async def call(**given: Any) -> Any:
        mine = {part.name: given[part.name] for part in own}
        values = {name: given[address] for name, address in public.items() if given[address] is not None}
        try:
            return await answer(arguments(function, values | fixed, local=False), **mine)
        except StcError as error:
            named = {parameter.name: parameter.each for parameter in parameters(function)} | public
            reword(error, parameters(function), lambda parameter, value: _written(named[parameter.name], value))
            raise

    signature = [
        inspect.Parameter(
            public[parameter.name],
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if parameter.name in limits else parameter.if_omitted,
            annotation=_annotation(parameter, limits.get(parameter.name) or (most or {}).get(parameter.name)),
        )
        for parameter in known
    ]
    hints = get_type_hints(answer, include_extras=True) if own else {}
    signature += [part.replace(annotation=hints[part.name]) for part in own]
    call.__signature__ = inspect.Signature(signature, return_annotation=returns)  # type: ignore[attr-defined]
    call.__name__ = name
    call.__dict__["declared"], call.__dict__["public"] = function, public
    return call


def read_route(
    routes: APIRouter,
    desk: Desk,
    path: str,
    function: Callable[..., Any],
    *,
    name: str,
    summary: str,
    without: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
    **how: Any,
) -> None:
    """Add a route that answers with the records that a function returns.

    :param without: fields of the records that the answer omits. :param also: properties that it has.
    :param how: as for :func:`endpoint`.
    """
    [record] = get_args(returned(function))
    model = list[str] if record is str else listed(record, *also, omit=without)

    async def answer(asked: dict[str, Any]) -> Any:
        return await desk.ask(function, **asked)

    routes.get(path, summary=summary)(endpoint(function, answer, name=name, returns=model, **how))


def spelled(parameter: DeclaredParameter, value: str | None) -> str:
    """Return a parameter as in an address: ``?max_rank``, ``?missing=zero``."""
    return _written(parameter.each, value)


def _written(name: str, value: str | None) -> str:
    return f"?{name}" if value is None else f"?{name}={value}"


def _annotation(parameter: DeclaredParameter, most: int | None) -> Any:
    text = Annotated[str, AfterValidator(partial(checked_text, name=parameter.name))]
    kind: Any = parameter.kind if parameter.kind in (int, float, bool) else text
    limits: dict[str, Any] = {}
    if parameter.bounds is not None:
        limits = parameter.bounds.limits()
    if kind is text and not parameter.many:
        limits = {"max_length": most or (_NAME if parameter.default is REQUIRED else CHARACTERS)}
        limits |= {"min_length": 1} if parameter.default is REQUIRED and most is None else {}
    elif kind is not text and most is not None:
        limits["le"] = most
    if kind is float:
        limits["allow_inf_nan"] = False
    help_ = parameter.help_elsewhere + parameter.default_note
    extra: dict[str, Any] | None = {"enum": list(parameter.choices)} if parameter.choices else None
    if parameter.option.completed == "systems":
        extra = {LISTED_BY: SYSTEMS}
    if parameter.many:
        return Annotated[list[kind] | None, Query(max_length=most or _MANY, description=help_)]
    if parameter.default is None:
        kind = kind | None
    return Annotated[kind, Query(description=help_, json_schema_extra=extra, **limits)]
