"""Methods from declarations: a function of the library as a method of a collection.

The parameters are those of the function, for type checkers and editors too (ParamSpec). :func:`framed` makes a method that returns
rows as a frame, and has the parameter ``frame``; the method of :func:`called` returns what the function returns.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Generic, Literal, ParamSpec, Protocol, TypeVar, cast, get_args, overload

from stcollection.api.tables import Records
from stcollection.declared import (
    INTERNAL,
    REQUIRED,
    DeclaredParameter,
    RecordTable,
    columns_of,
    parameters,
    prose,
    returned,
    reword,
)
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


class NamesMethod(BoundMethod[P, F_co], Protocol[P, F_co]):
    """A method that takes several names by position too: ``c.score("bm25", "hybrid", edition="train")``."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> F_co: ...
    @overload
    def __call__(self, *args: Any, frame: str | None, **kwargs: Any) -> Any: ...
    @overload
    def __call__(self, first: str, second: str, /, *names: str, **kwargs: Any) -> F_co: ...


class FramedMethod(Generic[P]):
    """How type checkers see a method that :func:`framed` makes; it is a plain function."""

    @overload
    def __get__(self, instance: None, owner: Any) -> FramedMethod[P]: ...
    @overload
    def __get__(self, instance: Framed[F], owner: Any) -> BoundMethod[P, F]: ...
    def __get__(self, instance: Any, owner: Any) -> Any:
        raise NotImplementedError


class FramedNamesMethod(Generic[P]):
    """How type checkers see a method that :func:`framed` makes with ``several``."""

    @overload
    def __get__(self, instance: None, owner: Any) -> FramedNamesMethod[P]: ...
    @overload
    def __get__(self, instance: Framed[F], owner: Any) -> NamesMethod[P, F]: ...
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
    function: Callable[Concatenate[Any, P], R_co], *, bar: tuple[str, str] | None = None, by_dsn: bool = False
) -> CalledMethod[P, R_co]:
    """Return a declared function as a method. A list of records is displayed as a table in notebooks.

    :param bar: title and unit of its progress bar; None: it shows no progress.
    :param by_dsn: the function takes the connection string, for its workers, instead of a connection.
    """

    def method(self: Framed[Any], *args: Any, **kwargs: Any) -> Any:
        first = self.dsn if by_dsn else self.connection
        if bar is None:
            answer = _call(function, first, args, kwargs)
        else:
            with self._bar(bar[0], unit=bar[1]) as progress:
                answer = _call(function, first, args, {"progress": progress, **kwargs})
        return Records(answer) if type(answer) is list else answer

    return cast("CalledMethod[P, R_co]", _presented(method, function, inspect.signature(function).return_annotation))


@overload
def framed(function: Callable[Concatenate[Any, P], Any]) -> FramedMethod[P]: ...
@overload
def framed(function: Callable[Concatenate[Any, P], Any], *, several: Literal[True]) -> FramedNamesMethod[P]: ...
def framed(function: Callable[..., Any], *, several: bool = False) -> Any:
    """Return a declared function as a method that returns a frame.

    The function returns a table of records, a list of records, or the names of columns with rows.

    :param several: the first parameter is a list of names, which can also be given by position, one after the other.
    """

    def method(self: Framed[Any], *args: Any, frame: str | None = None, **kwargs: Any) -> Any:
        args = (list(args),) if several and len(args) > 1 else args
        rows = _call(function, self.connection, args, kwargs)
        if isinstance(rows, RecordTable):
            columns, cells = {_IN_FRAMES.get(name, name): kind for name, kind in rows.columns.items()}, rows.table()
        elif isinstance(rows, tuple):
            columns, cells = dict.fromkeys(rows[0]), rows[1]
        else:
            columns = columns_of(get_args(returned(function))[0])
            cells = [[getattr(row, name) for name in columns] for row in rows]
        return self._frame(columns, cells, frame, simulated=getattr(rows, "simulated", None))

    added = inspect.Parameter("frame", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="str | None")
    return _presented(method, function, "Frame", added)


def _call(function: Callable[..., Any], first: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call a function. Files that arguments name are read, and errors are worded for Python. :param first: its first argument."""
    try:
        given = inspect.signature(function).bind(first, *args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{function.__name__}() {error}") from None
    known = parameters(function, internal=True)
    try:
        for parameter in known:
            if parameter.name in given.arguments:
                value = parameter.read_local(given.arguments[parameter.name])
                given.arguments[parameter.name] = Path(value) if parameter.kind is Path and isinstance(value, str) else value
        return function(*given.args, **given.kwargs)
    except StcError as error:
        reword(error, known, spelled)
        raise


def _presented(
    method: Callable[..., Any], function: Callable[..., Any], returns: Any, *added: inspect.Parameter
) -> Callable[..., Any]:
    """Give a method the signature and the documentation of its function."""
    signature = inspect.signature(function)
    offered = {parameter.into or parameter.name for parameter in _documented(function)}
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
    for parameter in _documented(function):
        name = parameter.name if parameter.into is None or parameter.group is None else f"{parameter.into}.{parameter.name}"
        lines.append(f":param {name}: {parameter.help}{parameter.default_note}")
    return "\n".join([*lines, *([":param frame: Kind of the frame, ``pandas`` or ``polars``."] if frame else [])])


def _documented(function: Callable[..., Any]) -> list[DeclaredParameter]:
    """Return the parameters of a method. Of those for Python alone, only required ones are part of its documentation."""
    known = parameters(function, internal=True)
    return [parameter for parameter in known if INTERNAL not in parameter.notes or parameter.default is REQUIRED]


def spelled(parameter: DeclaredParameter, value: str | None) -> str:
    """Return a parameter as written in Python: ``as_of=…``, ``rules=stcollection.ScoreRules(max_rank=5)``."""
    literal = "…" if value is None else value if value.isdecimal() else value.title() if parameter.kind is bool else f'"{value}"'
    written = f"{parameter.name}={literal}"
    return written if parameter.group is None else f"{parameter.into}=stcollection.{parameter.group.__name__}({written})"
