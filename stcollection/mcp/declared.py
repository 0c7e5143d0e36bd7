"""Tools from declarations: the parameters of a function of the library are the arguments of a tool.

A tool answers with SQL that a person can run in psql, so the function gives the arguments, and the caller the statement.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field

from stcollection.declared import DeclaredParameter, arguments, parameters, prose, reword
from stcollection.errors import StcError

A = TypeVar("A")
T = TypeVar("T")
_SHORT, _LONG, _MANY = 200, 1000, 200


def tool(
    function: Callable[..., Any],
    answer: Callable[[dict[str, Any]], A],
    *,
    name: str,
    presented: Callable[[Callable[[], A]], T],
    returns: type[T],
    omit: Sequence[str] = (),
) -> Callable[..., T]:
    """Return the function of a tool.

    :param answer: called with the keyword arguments of the declared function. :param presented: makes the tool's answer, or error.
    :param omit: parameters that the tool does not have.
    """
    known = [parameter for parameter in parameters(function) if parameter.kind is not Path and parameter.name not in omit]

    def answered(given: dict[str, Any]) -> A:
        values = {parameter.name: given[_public(parameter)] for parameter in known if given.get(_public(parameter)) is not None}
        try:
            return answer(arguments(function, values, local=False))
        except StcError as error:
            reword(error, parameters(function), spelled)
            raise

    def call(**given: Any) -> T:
        return presented(lambda: answered(given))

    signature = [
        inspect.Parameter(
            _public(parameter), inspect.Parameter.KEYWORD_ONLY, default=parameter.if_omitted, annotation=_annotation(parameter)
        )
        for parameter in known
    ]
    call.__signature__ = inspect.Signature(signature, return_annotation=returns)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in signature} | {"return": returns}
    call.__name__, call.__doc__ = name, prose(function)
    call.__dict__["declared"], call.__dict__["omitted"] = function, tuple(omit)
    return call


def spelled(parameter: DeclaredParameter, value: str | None) -> str:
    """Return an argument of a tool: ``max_rank``, ``missing = zero``."""
    return _public(parameter) if value is None else f"{_public(parameter)} = {value}"


def _public(parameter: DeclaredParameter) -> str:
    return parameter.name if parameter.many else parameter.each


def _annotation(parameter: DeclaredParameter) -> Any:
    help_ = parameter.help_elsewhere + parameter.default_note
    if parameter.many:
        return Annotated[
            list[Annotated[str, Field(min_length=1, max_length=_SHORT)]] | None, Field(max_length=_MANY, description=help_)
        ]
    limits: dict[str, Any] = {}
    if parameter.bounds is not None:
        limits = parameter.bounds.limits()
    kind: Any = parameter.kind
    if kind is str:
        limits = {"min_length": 1, "max_length": _LONG}
    return Annotated[kind | None if parameter.default is None else kind, Field(description=help_, **limits)]
