"""Methods from declarations: a function of the library as a method of a collection.

The parameters are those of the function, for type checkers and editors too (ParamSpec). If it returns rows, the method returns a
frame, and has the parameter ``frame``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, cast, overload

import psycopg

from stcollection.declared import DeclaredParameter, RecordTable, parameters, prose, reword
from stcollection.errors import StcError

if TYPE_CHECKING:
    from stcollection.api.face import Framed

P = ParamSpec("P")
F_co = TypeVar("F_co", covariant=True)
R_co = TypeVar("R_co", covariant=True)
F = TypeVar("F")


class BoundMethod(Protocol[P, F_co]):
    """A method of a collection: the function's parameters, and ``frame``, the kind of frame."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> F_co: ...
    @overload
    def __call__(self, *args: Any, frame: str | None, **kwargs: Any) -> Any: ...


class FramedMethod(Generic[P]):
    """How type checkers see a method that :func:`framed` makes; it is a plain function."""

    @overload
    def __get__(self, instance: None, owner: Any) -> FramedMethod[P]: ...
    @overload
    def __get__(self, instance: Framed[F], owner: Any) -> BoundMethod[P, F]: ...
    def __get__(self, instance: Any, owner: Any) -> Any:
        raise NotImplementedError


class CalledMethod(Generic[P, R_co]):
    """How type checkers see a method that :func:`called` makes."""

    @overload
    def __get__(self, instance: None, owner: Any) -> CalledMethod[P, R_co]: ...
    @overload
    def __get__(self, instance: Any, owner: Any) -> Callable[P, R_co]: ...
    def __get__(self, instance: Any, owner: Any) -> Any:
        raise NotImplementedError


def called(
    function: Callable[Concatenate[psycopg.Connection, P], R_co], *, bar: tuple[str, str] | None = None
) -> CalledMethod[P, R_co]:
    """Return a declared function as a method. :param bar: title and unit of its progress bar; None: it shows no progress."""

    def method(self: Framed[Any], *args: Any, **kwargs: Any) -> Any:
        if bar is None:
            return _call(function, self, args, kwargs)
        with self._bar(bar[0], unit=bar[1]) as progress:
            return _call(function, self, args, {"progress": progress, **kwargs})

    return cast("CalledMethod[P, R_co]", _presented(method, function, inspect.signature(function).return_annotation))


def framed(function: Callable[Concatenate[psycopg.Connection, P], RecordTable[Any]]) -> FramedMethod[P]:
    """Return a declared function as a method that returns a frame."""

    def method(self: Framed[Any], *args: Any, frame: str | None = None, **kwargs: Any) -> Any:
        rows = _call(function, self, args, kwargs)
        columns = {_IN_FRAMES.get(name, name): kind for name, kind in rows.columns.items()}
        types = {name: kind for name, kind in columns.items() if kind is not None}
        return self._frame(list(columns), rows.table(), frame, types=types, simulated=rows.simulated)

    added = inspect.Parameter("frame", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="str | None")
    return cast("FramedMethod[P]", _presented(method, function, "Frame", added))


def _call(function: Callable[..., Any], self: Framed[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function with the connection. Files that arguments name are read, and errors are worded for Python."""
    try:
        given = inspect.signature(function).bind(self.connection, *args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{function.__name__}() {error}") from None
    known = parameters(function)
    try:
        for parameter in known:
            if parameter.name in given.arguments:
                given.arguments[parameter.name] = parameter.read_local(given.arguments[parameter.name])
        return function(*given.args, **given.kwargs)
    except StcError as error:
        reword(error, known, spelled)
        raise


def _presented(
    method: Callable[..., Any], function: Callable[..., Any], returns: Any, *added: inspect.Parameter
) -> Callable[..., Any]:
    """Give a method the signature and the documentation of its function."""
    signature = inspect.signature(function)
    known = parameters(function)
    offered = {parameter.into or parameter.name for parameter in known}
    own = [parameter for parameter in list(signature.parameters.values())[1:] if parameter.name in offered]
    myself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    method.__name__ = method.__qualname__ = function.__name__
    method.__doc__ = documented(function, frame=bool(added))
    method.__dict__["declared"] = function
    method.__signature__ = signature.replace(parameters=[myself, *own, *added], return_annotation=returns)  # type: ignore[attr-defined]
    return method


_IN_FRAMES = {"query": "qid"}  # as in PyTerrier


def documented(function: Callable[..., Any], *, frame: bool) -> str:
    """Return the docstring of a declared function with the help of all its parameters."""
    lines = [prose(function), ""]
    for parameter in parameters(function):
        name = parameter.name if parameter.into is None or parameter.group is None else f"{parameter.into}.{parameter.name}"
        lines.append(f":param {name}: {parameter.help}{parameter.default_note}")
    return "\n".join([*lines, *([":param frame: Kind of the frame, ``pandas`` or ``polars``."] if frame else [])])


def spelled(parameter: DeclaredParameter, value: str | None) -> str:
    """Return a parameter as written in Python: ``as_of=…``, ``rules=stcollection.ScoreRules(max_rank=5)``."""
    literal = "…" if value is None else value if value.isdecimal() else value.title() if parameter.kind is bool else f'"{value}"'
    written = f"{parameter.name}={literal}"
    return written if parameter.group is None else f"{parameter.into}=stcollection.{parameter.group.__name__}({written})"
