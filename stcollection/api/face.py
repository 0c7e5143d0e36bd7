"""Base classes of the Python API: error messages for Python, and frames of one kind."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

import psycopg

from stcollection.api.frames import frame_of, noted
from stcollection.api.progress import NotebookBar
from stcollection.api.wording import in_python
from stcollection.errors import DatabaseError, StateError, StcError, from_postgres
from stcollection.extras import not_installed

if TYPE_CHECKING:
    import pandas
    from typing_extensions import TypeVar as TypeVarWithDefault

    Frame = TypeVarWithDefault("Frame", default=pandas.DataFrame)
else:
    Frame = TypeVar("Frame")

_P = ParamSpec("_P")
_T = TypeVar("_T")


def reworded(error: StcError, method: Callable[..., Any]) -> StcError:
    """Reword an error for Python, and add its hint to the end of the traceback.

    :param method: the method that was called.
    """
    if not getattr(error, "__notes__", None):
        error.message = in_python(error.message, method)
        error.args = (error.message,)
        if error.hint:
            error.hint = in_python(error.hint, method)
            error.add_note(error.hint)
    return error


def speaking(method: Callable[_P, _T], *, before: Callable[[Any], None] | None = None) -> Callable[_P, _T]:
    """Reword the errors of a method for Python.

    :param before: called with the object first.
    """

    @wraps(method)
    def spoken(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            if before is not None:
                before(args[0])
            return method(*args, **kwargs)
        except StcError as error:
            reworded(error, method)
            raise
        except psycopg.Error as error:
            raise reworded(from_postgres(error), method) from error
        except ModuleNotFoundError as error:
            package = (error.name or "").partition(".")[0]
            if package in ("", "stcollection"):
                raise
            raise reworded(not_installed(package), method) from error

    return spoken


class PythonFace:
    """A class whose public methods raise errors worded for Python, also after its collection was closed."""

    if TYPE_CHECKING:

        @property
        def connection(self) -> psycopg.Connection: ...

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, member in list(vars(cls).items()):
            if inspect.isfunction(member) and (name == "__call__" or not name.startswith("_")) and name != "close":
                cls.add_method(name, member)

    @classmethod
    def add_method(cls, name: str, method: Callable[..., Any]) -> None:
        """Add a public method, such as one of a study."""
        setattr(cls, name, speaking(method, before=_require_open))


def _require_open(face: PythonFace) -> None:
    if face.connection.closed:
        hint = "Open the collection again: c = stcollection.open(…)."
        if face.connection.broken:
            raise DatabaseError("the connection to the server broke", hint=hint)
        raise StateError("the collection is closed", hint=hint)


class Framed(PythonFace, Generic[Frame]):
    """Base class of collections and stages.

    :param dsn: connection string for workers and iterators.
    :param kind: kind of frames, ``pandas`` or ``polars``; methods can override it with their parameter ``frame``.
    :param progress: whether to show progress bars; None shows them in notebooks and on terminals.
    """

    if TYPE_CHECKING:

        @property
        def dsn(self) -> str: ...
        @property
        def kind(self) -> str: ...
        @property
        def progress(self) -> bool | None: ...

    def _stage(self) -> tuple[psycopg.Connection, str, str, bool | None]:
        """Return the arguments for creating a stage."""
        return self.connection, self.dsn, self.kind, self.progress

    def _frame(
        self,
        columns: Mapping[str, type | None],
        rows: Iterable[Sequence[Any]],
        frame: str | None,
        *,
        simulated: str | None = None,
    ) -> Frame:
        """Return rows as a frame, with the note on simulated data, if any.

        :param columns: names, with the type of text and numbers. :param frame: kind of frame; None is the collection's.
        """
        types = {name: kind for name, kind in columns.items() if kind is not None}
        made: Frame = frame_of(list(columns), rows, frame or self.kind, types=types)
        return noted(made, self.connection, simulated)

    def _bar(self, title: str, *, unit: str) -> NotebookBar:
        return NotebookBar(title, unit=unit, show=self.progress)


@dataclass(frozen=True)
class Stage(Framed[Frame]):
    """The methods of one stage."""

    connection: psycopg.Connection
    dsn: str = field(repr=False)  # can contain a password
    kind: str
    progress: bool | None = None
