"""Declarations: a function with an annotated signature and a docstring is a command, a method, a route and a tool.

The signature says names, types, defaults and bounds, and the docstring what they mean. A parameter that is a dataclass is
flattened: each face offers its fields. The faces read :func:`parameters` and call the function with :func:`arguments`; each has an
adapter, its module ``declared``.

A message of the library writes a parameter in backticks, with or without a value: ```max_rank```, ```missing=zero```. Each face
spells it in its own way (:func:`worded`).
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass
from functools import cache, wraps
from typing import Annotated, Any, BinaryIO, Generic, Literal, ParamSpec, SupportsIndex, TypeVar, cast, get_args, get_origin

from stcollection.errors import BadArgument, StcError

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

REQUIRED: Any = inspect.Parameter.empty
_MANY = (Sequence, Iterable, list, tuple)
_OPEN = "other values are possible"  # a note of ``Literal[…] | str``: the function checks the value
_PAIRS = "values by name"  # a note of a mapping, typed as ``bm25=0.7``
OBJECT = "an object"  # a note of ``str | Mapping``: a text in JSON, or an object
_DEPTHS = ("k", "n", "depth", "cutoff")  # a depth below 1 has its own SQLSTATE
_PROGRESS = "progress"  # the callback of a progress bar, which faces with a terminal add
INTERNAL = object()  # in Annotated: a parameter that only Python offers; callbacks and open files are offered nowhere
_FIELD = re.compile(r"\s:(?:param|returns|raises)\b")
_PARAM = re.compile(r":param ([\w, ]+): (.*?)(?=\s:(?:param|returns|raises)\b|\Z)", re.S)
_NAMED = re.compile(r"`(\w+)(?:=([^`]*))?`")


@dataclass(frozen=True, kw_only=True)
class AllowedRange:
    """The numbers that a parameter accepts: at least ``ge``, more than ``gt``, at most ``le``, less than ``lt``."""

    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None

    def admit(self, value: float) -> bool:
        return (
            (self.ge is None or value >= self.ge)
            and (self.gt is None or value > self.gt)
            and (self.le is None or value <= self.le)
            and (self.lt is None or value < self.lt)
        )

    def limits(self) -> dict[str, Any]:
        """Return the limits that are set, by name."""
        return {name: limit for name, limit in dataclasses.asdict(self).items() if limit is not None}

    def __str__(self) -> str:
        """Return the bounds in words, such as ``1 to 100``."""
        if self.ge is not None and self.le is not None:
            return f"{self.ge:,} to {self.le:,}"
        words = (("or more", self.ge), ("or less", self.le))
        plain = [f"{limit:,} {word}" for word, limit in words if limit is not None]
        limits = (("more than", self.gt), ("less than", self.lt))
        return " and ".join([*plain, *(f"{word} {limit:,}" for word, limit in limits if limit is not None)])


class Option:
    """How faces show a parameter, where its name, type and help do not say it.

    :param names: published options of the command, such as ``-m`` or ``-c/-r``; a name without hyphen makes it an argument of the
        command, and is its placeholder.
    :param each: name of one of several values, where a face repeats the parameter: ``--measure AP --measure RR``.
    :param metavar: placeholder of the value in the help. :param help: as ``:param`` of the docstring, for shared types.
    :param default: the default in words. :param listed: the command that lists the values.
    :param separated: on the command line, a text can have several values, separated by commas.
    :param completed: complete the values as those of the parameter with this name.
    :param files: the part of the help on files. :param reads: applied to the value by faces that run on the machine of the user,
        because it reads files there, or because there the value is text.
    :param choices: the values, where the type is ``str`` and does not list them.
    """

    def __init__(
        self,
        *names: str,
        each: str | None = None,
        metavar: str | None = None,
        help: str = "",  # noqa: A002
        default: str | None = None,
        listed: str | None = None,
        separated: bool = False,
        completed: str | None = None,
        files: str = "",
        reads: Callable[[Any], Any] | None = None,
        choices: Sequence[str] = (),
    ) -> None:
        self.flags = tuple(name for name in names if name.startswith("-"))
        self.argument = next((name for name in names if not name.startswith("-")), None)
        self.each, self.metavar, self.help, self.default, self.listed = each, metavar, help, default, listed
        self.separated, self.completed = separated, completed
        self.files, self.reads, self.choices = files, reads, tuple(choices)


@dataclass(frozen=True, kw_only=True)
class DeclaredParameter:
    """A value that a user can give.

    :param name: the keyword of the function, or the field of the dataclass.
    :param kind: the type of one value. :param many: several values are possible. :param default: REQUIRED without one.
    :param notes: the metadata of ``Annotated``.
    :param group: the dataclass of the field, and ``into`` the parameter that takes it.
    """

    name: str
    kind: Any
    many: bool
    default: Any
    help: str
    bounds: AllowedRange | None
    option: Option
    notes: tuple[Any, ...] = ()
    group: type | None = None
    into: str | None = None

    @property
    def each(self) -> str:
        """The name where a face repeats the parameter for several values."""
        return self.option.each or self.name

    @property
    def help_elsewhere(self) -> str:
        """The help for faces that cannot read the user's files."""
        return self.help.replace(self.option.files, "")

    @property
    def default_note(self) -> str:
        """The default in words, as an addition to the help; empty if the declaration has none in words."""
        return f" Default: {self.option.default}." if self.option.default else ""

    @property
    def if_omitted(self) -> Any:
        """The value in a request that omits the parameter: REQUIRED, None for several values, else the default."""
        return None if self.many and self.default is not REQUIRED else self.default

    def read_local(self, value: Any) -> Any:
        """Return a value from the user of this machine, with what it names in the user's files."""
        return value if value is None or self.option.reads is None else self.option.reads(value)

    @property
    def is_pairs(self) -> bool:
        """True for a mapping, whose values are typed as ``bm25=0.7``."""
        return _PAIRS in self.notes

    @property
    def choices(self) -> tuple[str, ...]:
        return get_args(self.kind) if get_origin(self.kind) is Literal else self.option.choices

    def check(self, value: Any) -> None:
        """Refuse a value out of bounds. None, which means the default of an optional parameter, passes."""
        if value is None:
            return
        if self.bounds is not None and isinstance(value, int | float) and not self.bounds.admit(value):
            state = "IR201" if self.name in _DEPTHS and value < 1 else "IR202"
            raise BadArgument(f"{self.name} is {value!r}", hint=f"Use {self.bounds}.", sqlstate=state, parameter=self.name)
        if self.choices and _OPEN not in self.notes and value not in self.choices:
            hint = f"Use one of {', '.join(self.choices)}."
            raise BadArgument(f"{self.name} is {value!r}", hint=hint, parameter=self.name)


def declare(function: Callable[P, R]) -> Callable[P, R]:
    """Check the bounds and choices of a function's parameters at each call, on every face."""
    signature = inspect.signature(function)

    @wraps(function)
    def checking(*args: P.args, **kwargs: P.kwargs) -> R:
        given = signature.bind_partial(*args, **kwargs).arguments
        for parameter in parameters(function):
            if parameter.group is None and not parameter.many and parameter.name in given:
                parameter.check(given[parameter.name])
        return function(*args, **kwargs)

    return checking


def check_fields(record: Any) -> None:
    """Check the fields of a dataclass that is a parameter, for its ``__post_init__``."""
    for parameter in declared_fields(cast(Any, type(record))):
        if not parameter.many:
            parameter.check(getattr(record, parameter.name))


@cache
def parameters(function: Callable[..., Any], *, internal: bool = False) -> tuple[DeclaredParameter, ...]:
    """Return the parameters of a function after its first, which is the connection; dataclasses are flattened.

    Of several types (``str | Sequence[str]``), faces offer the first. ``*names: str`` is a parameter of several values.
    A mapping is several texts such as ``bm25=0.7``.

    :param internal: also those that are marked INTERNAL.
    """
    plain = inspect.unwrap(function)
    own = list(inspect.signature(plain).parameters.values())[1:]
    notes = types.SimpleNamespace(__annotations__={argument.name: argument.annotation for argument in own})
    hints = typing.get_type_hints(notes, plain.__globals__, include_extras=True)
    words = described(plain)
    flat: list[DeclaredParameter] = []
    for argument in own:
        if argument.name == _PROGRESS:
            continue
        parameter = _parameter(argument.name, hints[argument.name], argument.default, words)
        if argument.kind is inspect.Parameter.VAR_POSITIONAL:
            parameter = dataclasses.replace(parameter, many=True, default=())
        if not _is_offered(parameter, internal):
            continue
        if dataclasses.is_dataclass(parameter.kind):
            fields = declared_fields(cast(Any, parameter.kind), argument.name)
            flat += [
                dataclasses.replace(field, help=words.get(field.name) or field.help, default=_default_of(field, argument.default))
                for field in fields
                if _is_offered(field, internal)
            ]
        else:
            flat.append(parameter)
    return tuple(flat)


def _is_offered(parameter: DeclaredParameter, internal: bool) -> bool:
    shown = internal or INTERNAL not in parameter.notes
    return shown and parameter.kind is not BinaryIO and get_origin(parameter.kind) is not Callable


def prose(function: Any) -> str:
    """Return the docstring without its fields."""
    return _FIELD.split(inspect.getdoc(function) or "", maxsplit=1)[0].strip()


def arguments(function: Callable[..., Any], given: Mapping[str, Any], *, local: bool) -> dict[str, Any]:
    """Return keyword arguments for a function from flat values by parameter. Missing values keep their defaults.

    :param local: the values come from the user of this machine, whose files may be read.
    """
    keywords: dict[str, Any] = {}
    groups: dict[str, tuple[Any, dict[str, Any]]] = {}
    for parameter in parameters(function):
        if parameter.into is not None:
            groups.setdefault(parameter.into, (parameter.group, {}))
        if parameter.name not in given:
            continue
        value = parameter.read_local(given[parameter.name]) if local else given[parameter.name]
        (keywords if parameter.into is None else groups[parameter.into][1])[parameter.name] = value
    defaults = inspect.signature(function).parameters
    for into, (group, fields) in groups.items():
        default = defaults[into].default
        if fields:
            keywords[into] = dataclasses.replace(default, **fields) if isinstance(default, group) else group(**fields)
    return keywords


def call(function: Callable[..., R], conn: Any, keywords: Mapping[str, Any]) -> R:
    """Call a declared function with the result of :func:`arguments`."""
    signature = inspect.signature(function)
    if all(parameter.kind is not inspect.Parameter.VAR_POSITIONAL for parameter in signature.parameters.values()):
        return function(conn, **keywords)
    given = signature.bind_partial(conn)
    given.arguments.update(keywords)
    return function(*given.args, **given.kwargs)


def reword(error: StcError, known: Iterable[DeclaredParameter], spell: Callable[[DeclaredParameter, str | None], str]) -> None:
    """Spell the parameters in an error as a face does; words in backticks that are no parameter stay.

    :param spell: called with a parameter and the value written after it, or None.
    """
    by_name = {parameter.name: parameter for parameter in known}

    def spelled(match: re.Match[str]) -> str:
        return spell(by_name[match[1]], match[2]) if match[1] in by_name else match[0]

    if error.parameter in by_name:
        rest = error.message.removeprefix(error.parameter)
        error.message, error.parameter = f"{spell(by_name[error.parameter], None).removesuffix('=…')}{rest}", None
    error.message = _NAMED.sub(spelled, error.message)
    error.hint = error.hint and _NAMED.sub(spelled, error.hint)
    error.args = (error.message,)


class NotedRows(list[T], Generic[T]):
    """The records that a function of the library returns.

    :param simulated: the note to show if some of the data are simulated.
    """

    def __init__(self, rows: Iterable[T], simulated: str | None = None) -> None:
        super().__init__(rows)
        self.simulated = simulated


_listeners: list[Callable[[str], None]] = []


def listen(show: Callable[[str], None]) -> None:
    """Call a function with each note on simulated data, for a face that prints results which it has taken apart."""
    _listeners.append(show)


def announce(note: str) -> None:
    """Pass a note on simulated data to the faces that listen."""
    for show in _listeners:
        show(note)


class RecordTable(NotedRows[T]):
    """The records that a declared function returns, as a table.

    :param columns: names of the columns, with the type of each if it is text or a number.
    :param cells: the cells of one record; by default, the values of the columns' names.
    :param editions: the editions of the judgments that were read.
    """

    def __init__(
        self,
        rows: Iterable[T],
        *,
        columns: Mapping[str, type | None],
        cells: Callable[[T], Sequence[Any]] | None = None,
        editions: Sequence[str] = (),
    ) -> None:
        super().__init__(rows)
        self.columns, self.editions = dict(columns), tuple(editions)
        self._cells = cells

    def table(self) -> list[Sequence[Any]]:
        """Return one sequence of cells for each record."""
        if self._cells is not None:
            return [self._cells(row) for row in self]
        return [[getattr(row, name) for name in self.columns] for row in self]

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        return (list, (list(self),))


def read_pairs(kind: Callable[[str], T], form: str) -> Callable[[Mapping[str, T] | Sequence[str]], dict[str, T]]:
    """Return a function that reads values by name, each name once; a mapping is only copied.

    :param kind: reads a value. :param form: how a value is typed, such as ``RUN=WEIGHT``.
    """

    def read(given: Mapping[str, T] | Sequence[str]) -> dict[str, T]:
        if isinstance(given, Mapping):
            return dict(given)
        values: dict[str, T] = {}
        for text in given:
            name, equals, value = (part.strip() for part in text.rpartition("="))
            if not equals or not name or name in values:
                problem = f"{text!r} is not {form}, or repeats a {form.partition('=')[0].lower()}"
                raise BadArgument(problem, hint=f"Write {form} once for each.")
            try:
                values[name] = kind(value)
            except ValueError:
                raise BadArgument(f"{value!r} is not a number", hint=f"Write {form}.") from None
        return values

    return read


def finite(text: str) -> float:
    """Read a number. :raises ValueError: the text is not a finite number."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def field_names(record: Any) -> list[str]:
    """Return the names of the fields of a named tuple or dataclass."""
    return [field.name for field in dataclasses.fields(record)] if dataclasses.is_dataclass(record) else list(record._fields)


def columns_of(record: type) -> dict[str, type | None]:
    """Return the fields of a named tuple or dataclass, with the type of those that are text or numbers."""
    hints = typing.get_type_hints(record)
    kinds = {name: _shape(hints[name])[0] for name in field_names(record)}
    return {name: kind if kind in (str, int, float) else None for name, kind in kinds.items()}


def returned(function: Callable[..., Any]) -> Any:
    """Return the type of what a function returns."""
    plain = inspect.unwrap(function)
    note = types.SimpleNamespace(__annotations__={"returns": inspect.signature(plain).return_annotation})
    return typing.get_type_hints(note, plain.__globals__)["returns"]


@cache
def declared_fields(record: Any, into: str | None = None) -> tuple[DeclaredParameter, ...]:
    """Return the fields of a dataclass as parameters. :param into: the parameter that takes the dataclass."""
    hints, words = typing.get_type_hints(record, include_extras=True), described(record)
    fields = []
    for field in dataclasses.fields(record):
        default = field.default if field.default is not MISSING else REQUIRED
        fields.append(dataclasses.replace(_parameter(field.name, hints[field.name], default, words), group=record, into=into))
    return tuple(fields)


def _default_of(field: DeclaredParameter, given: Any) -> Any:
    """Return the default of a field. :param given: the default of the parameter that takes the dataclass; None: no field is set."""
    if dataclasses.is_dataclass(given):
        return getattr(given, field.name)
    return None if given is None and field.default is REQUIRED else field.default


def _parameter(name: str, hint: Any, default: Any, words: Mapping[str, str]) -> DeclaredParameter:
    kind, many, notes = _shape(hint)
    option = next((note for note in notes if isinstance(note, Option)), Option())
    bounds = next((note for note in notes if isinstance(note, AllowedRange)), None)
    help_ = words.get(name) or option.help
    return DeclaredParameter(
        name=name, kind=kind, many=many, default=default, help=help_, bounds=bounds, option=option, notes=notes
    )


def _shape(hint: Any) -> tuple[Any, bool, tuple[Any, ...]]:
    """Return the type of one value, whether there can be several, and the notes of Annotated."""
    if get_origin(hint) is Annotated:
        kind, many, notes = _shape(get_args(hint)[0])
        return kind, many, (*notes, *hint.__metadata__)
    if get_origin(hint) in (typing.Union, types.UnionType):
        shapes = [_shape(kind) for kind in get_args(hint) if kind is not type(None)]
        notes = tuple(note for shape in shapes for note in shape[2])
        if shapes[0][:2] == (str, False) and _PAIRS in notes:
            return str, False, tuple(OBJECT if note is _PAIRS else note for note in notes)
        is_open = get_origin(shapes[0][0]) is Literal and (str, False) in [shape[:2] for shape in shapes]
        return shapes[0][0], shapes[0][1], (*notes, _OPEN) if is_open else notes
    if get_origin(hint) is Mapping:
        return str, True, (_PAIRS,)
    if get_origin(hint) in _MANY and hint is not str:
        kind, _, notes = _shape(get_args(hint)[0])
        return kind, True, notes
    return hint, False, ()


def described(thing: Any) -> dict[str, str]:
    """Return the help of each parameter, from ``:param name: …`` or ``:param a, b: …``."""
    fields = _PARAM.findall(inspect.getdoc(thing) or "")
    return {name.strip(): " ".join(text.split()) for names, text in fields for name in names.split(",")}
