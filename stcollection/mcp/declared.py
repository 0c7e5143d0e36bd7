"""Tools from declarations: the parameters of a function of the library are the arguments of a tool.

A tool answers with SQL that a person can run in psql, so the function gives the arguments, and the caller the statement.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

from pydantic import Field

from stcollection.declared import OBJECT, DeclaredParameter, arguments, parameters, prose, reword
from stcollection.errors import StcError

A = TypeVar("A")
T = TypeVar("T")
_NAME, _LONG, _MANY = 1000, 1000, 200


def tool(
    function: Callable[..., Any],
    answer: Callable[..., A],
    *,
    name: str,
    presented: Callable[[Callable[[], A]], T],
    returns: type[T],
    omit: Sequence[str] = (),
    most: Mapping[str, int] | None = None,
    words: str | None = None,
) -> Callable[..., T]:
    """Return the function of a tool.

    :param answer: called with the keyword arguments of the declared function. Its keyword parameters are arguments of the tool too.
    :param presented: makes the tool's answer, or error. :param omit: parameters that the tool does not have.
    :param most: largest numbers, characters of a text, or numbers of values that the tool accepts.
    :param words: the description; None: that of the function.
    """
    known = [parameter for parameter in parameters(function) if parameter.kind is not Path and parameter.name not in omit]

    own = [part for part in inspect.signature(answer).parameters.values() if part.kind is inspect.Parameter.KEYWORD_ONLY]

    def answered(given: dict[str, Any]) -> A:
        mine = {part.name: given[part.name] for part in own if part.name in given}
        values = {parameter.name: given[_public(parameter)] for parameter in known if given.get(_public(parameter)) is not None}
        try:
            return answer(arguments(function, values, local=False), **mine)
        except StcError as error:
            reword(error, parameters(function), spelled)
            raise

    def call(**given: Any) -> T:
        return presented(lambda: answered(given))

    signature = [
        inspect.Parameter(
            _public(parameter),
            inspect.Parameter.KEYWORD_ONLY,
            default=parameter.if_omitted,
            annotation=_annotation(parameter, most or {}),
        )
        for parameter in known
    ]
    hints = get_type_hints(answer, include_extras=True) if own else {}
    signature += [part.replace(annotation=hints[part.name]) for part in own]
    call.__signature__ = inspect.Signature(signature, return_annotation=returns)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in signature} | {"return": returns}
    call.__name__, call.__doc__ = name, words or prose(function)
    call.__dict__["declared"], call.__dict__["omitted"] = function, tuple(omit)
    return call


def spelled(parameter: DeclaredParameter, value: str | None) -> str:
    """Return an argument of a tool: ``max_rank``, ``missing = zero``."""
    return _public(parameter) if value is None else f"{_public(parameter)} = {value}"


def _public(parameter: DeclaredParameter) -> str:
    return parameter.name if parameter.many else parameter.each


def _annotation(parameter: DeclaredParameter, most: Mapping[str, int]) -> Any:
    help_ = parameter.help_elsewhere + parameter.default_note
    largest = most.get(parameter.name)
    if parameter.many:
        names = list[Annotated[str, Field(min_length=1, max_length=_NAME)]]
        return Annotated[names | None, Field(max_length=largest or _MANY, description=help_.removesuffix(" Repeatable."))]
    limits: dict[str, Any] = {}
    if parameter.bounds is not None:
        limits = parameter.bounds.limits()
    kind: Any = parameter.kind
    if OBJECT in parameter.notes:  # the package parses texts in JSON
        kind, limits = dict[str, Any], {"max_length": largest or _MANY}
    elif kind is str:
        limits = {"min_length": 1, "max_length": largest or _LONG}
    elif largest is not None:
        limits["le"] = largest
    return Annotated[kind | None if parameter.default is None else kind, Field(description=help_, **limits)]
