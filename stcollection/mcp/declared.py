"""Tools from declarations: the parameters of a function of the library are the arguments of a tool.

A tool answers with SQL that a person can run in psql, so the function gives the arguments, and the caller the statement.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field

from stcollection.declared import REQUIRED, DeclaredParameter, arguments, parameters, prose, reword
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
    known = [one for one in parameters(function) if one.kind is not Path and one.name not in omit]

    def answered(given: dict[str, Any]) -> A:
        values = {one.name: given[_public(one)] for one in known if given.get(_public(one)) is not None}
        try:
            return answer(arguments(function, values, local=False))
        except StcError as error:
            reword(error, parameters(function), spelled)
            raise

    def call(**given: Any) -> T:
        return presented(lambda: answered(given))

    signature = [
        inspect.Parameter(_public(one), inspect.Parameter.KEYWORD_ONLY, default=_default(one), annotation=_annotation(one))
        for one in known
    ]
    call.__signature__ = inspect.Signature(signature, return_annotation=returns)  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in signature} | {"return": returns}
    call.__name__, call.__doc__ = name, prose(function)
    call.__dict__["declared"], call.__dict__["omitted"] = function, tuple(omit)
    return call


def spelled(parameter: DeclaredParameter, value: str | None) -> str:
    """Return an argument of a tool: ``max_rank``, ``missing = zero``."""
    return _public(parameter) if value is None else f"{_public(parameter)} = {value}"


def _public(one: DeclaredParameter) -> str:
    return one.name if one.many else one.each


def _default(one: DeclaredParameter) -> Any:
    return inspect.Parameter.empty if one.default is REQUIRED else None if one.many else one.default


def _annotation(one: DeclaredParameter) -> Any:
    help_ = one.help_elsewhere + (f" Default: {one.option.default}." if one.option.default else "")
    if one.many:
        return Annotated[
            list[Annotated[str, Field(min_length=1, max_length=_SHORT)]] | None, Field(max_length=_MANY, description=help_)
        ]
    limits: dict[str, Any] = {}
    if one.bounds is not None:
        limits = {name: getattr(one.bounds, name) for name in ("ge", "gt", "le", "lt") if getattr(one.bounds, name) is not None}
    kind: Any = one.kind
    if kind is str:
        limits = {"min_length": 1, "max_length": _LONG}
    return Annotated[kind | None if one.default is None else kind, Field(description=help_, **limits)]
