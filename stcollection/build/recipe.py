"""Read a recipe and check it completely: keys, types, bounds, names, files. Nothing is connected, computed or stored."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any, get_origin

from stcollection.build.kinds import KINDS, RUNS, WORDS, StepKind
from stcollection.build.steps import imported
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.declared import DeclaredParameter
from stcollection.errors import BadArgument, BadInput, StcError, UnknownObject
from stcollection.evaluation.learning import learn_from
from stcollection.evaluation.own import OwnMeasure
from stcollection.io.files import read_text
from stcollection.io.irdatasets import PREFIX
from stcollection.retrieval import EMBEDDING, SYSTEMS
from stcollection.retrieval.systems import systems
from stcollection.runs.names import stem

_HEAD = "collection"
_HEAD_KEYS = ("name", "title", "extends")
_PLACE = re.compile(r" \(at (line \d+, column \d+)\)$")
_TYPES: dict[Any, str] = {str: "a text", int: "an integer", float: "a number", bool: "true or false", Path: "a path in quotes"}
_READ_LATER = ("queries", "docnos", "with_text")  # they may name files
# Kinds of steps that only some systems depend on.
_OF_TEXT, _OF_VECTORS, _OF_ARTICLES = ("text",), ("vectors", "vector_index"), ("articles",)


@dataclass(frozen=True, kw_only=True)
class BuildStep:
    """A step of a recipe.

    :param key: kind and name, unique in the recipe: ``run bm25``. :param table: keys and values as in the file.
    :param place: where it is in the recipe. :param values: the same with paths in the folder of the recipe.
    :param files: input files by the path in the recipe; ``irds:NAME`` is among them.
    """

    kind: StepKind
    key: str
    place: str
    table: Mapping[str, Any]
    values: dict[str, Any]
    files: dict[str, Path]
    needs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of what it makes, without its kind."""
        return self.key.removeprefix(self.kind.word).strip()

    @cached_property
    def definition(self) -> dict[str, Any]:
        """Its keys and values, without those that are defaults."""
        keys = self.kind.keys
        given = {key: _plain(value) for key, value in self.table.items()}
        return {key: value for key, value in given.items() if key == "expect" or value != _plain(keys[key].default)}


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A recipe that was read. :param name: of the collection to build. :param steps: in the order in which they are built."""

    path: Path
    content: str
    name: str | None = None
    title: str | None = None
    steps: list[BuildStep] = field(default_factory=list)


def recipe_name(path: Path) -> str | None:
    """Return the name of the collection that a recipe builds."""
    head = _tables(path)[1].get(_HEAD)
    return str(head["name"]) if isinstance(head, dict) and isinstance(head.get("name"), str) else None


def read_recipe(path: Path, settings: Settings | None = None) -> Recipe:
    """Read a recipe, and check everything that can be checked before a step.

    :param settings: of the collection, whose systems a run may name; None: only those of the product and of the recipe.
    :raises BadInput: the file is not TOML. :raises BadArgument: a table, key, value or name is wrong, or a file is missing.
    :raises UnknownObject: a run names a system that does not exist.
    """
    content, tables = _tables(path)
    head = tables.pop(_HEAD, {})
    if not isinstance(head, dict):
        raise BadArgument(f"{path}: {_HEAD} is not a table", hint="Write [collection] on a separate line.")
    for key in head:
        if key not in _HEAD_KEYS or not isinstance(head[key], str):
            raise (
                _unknown(f"{path}: [{_HEAD}]", key, _HEAD_KEYS)
                if key not in _HEAD_KEYS
                else _mistyped(f"{path}: [{_HEAD}]", key, head[key], "a text")
            )
    first = {word: tables[word] for word in ("measures",) if word in tables}  # the tables below have their names
    try:
        steps = [step for word in (first | tables) for step in _steps(path, word, tables[word])]
    finally:
        learn_from("recipe", list)
    steps.sort(key=lambda step: KINDS.index(step.kind))
    if not steps:
        raise BadArgument(f"{path}: no step", hint=f"Add tables, such as [[corpus]]; all are: {', '.join(WORDS)}.")
    for key, count in Counter(step.key for step in steps).items():
        if count > 1:
            raise BadArgument(
                f"{path}: {counted(count, 'step is', 'steps are')} {key!r}", hint="Give each another name, or omit one."
            )
    _check_runs(path, steps, settings)
    linked = [dataclasses.replace(step, needs=tuple(_needs(step, steps[:at]))) for at, step in enumerate(steps)]
    return Recipe(path=path, content=content, name=head.get("name"), title=head.get("title"), steps=linked)


def _tables(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text of a recipe and its tables, with those of the recipe that it extends.

    Steps of both are built; a single table such as [text] replaces that of the other recipe.
    """
    try:
        content = read_text(path)
        tables = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        where = f", {place[1]}" if place else ""
        message = _PLACE.sub("", str(error))
        raise BadInput(f"{path}{where}: {message}", hint="A recipe is TOML: https://toml.io. Nothing was built.") from error
    head = tables.get(_HEAD)
    if not isinstance(head, dict) or "extends" not in head:
        return content, _resolved(path, tables)
    extended = path.parent / str(head["extends"])
    if not extended.is_file():
        raise BadArgument(
            f"{path}: there is no recipe {head['extends']}", hint="`extends` is a path from the folder of the recipe."
        )
    _, inherited = _tables(extended)
    both = _resolved(path, tables)
    merged = {**inherited, **both}
    for word, value in inherited.items():
        if isinstance(value, list) and isinstance(both.get(word), list):
            merged[word] = [*value, *both[word]]
        if word == _HEAD:
            merged[word] = {**value, **head}
    return content, merged


class _Table(dict[str, Any]):
    """A table of a recipe, which knows the folder of its file."""

    folder: Path


def _resolved(path: Path, tables: dict[str, Any]) -> dict[str, Any]:
    """Return the tables with the folder that their paths start from."""

    def at_home(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        table = _Table(value)
        table.folder = path.parent
        return table

    return {
        word: [at_home(each) for each in value] if isinstance(value, list) else at_home(value) for word, value in tables.items()
    }


def _steps(path: Path, word: str, value: Any) -> Iterator[BuildStep]:
    """Read the tables of one word."""
    if word not in WORDS:
        raise _unknown(str(path), word, (_HEAD, *WORDS), "table")
    tables = value if isinstance(value, list) else [value]
    if len(tables) > 1 and any(kind.alone for kind in KINDS if kind.word == word):
        raise BadArgument(f"{path}: {counted(len(tables), 'table')} [[{word}]]", hint=f"A collection has one: write [{word}].")
    for number, table in enumerate(tables, 1):
        place = f"{path}: [[{word}]] {number}" if isinstance(value, list) else f"{path}: [{word}]"
        if not isinstance(table, _Table):
            raise BadArgument(f"{place} is not a table", hint=f"Write [{word}] on a separate line.")
        variants = [kind for kind in KINDS if kind.word == word]
        kind = next((kind for kind in variants if kind.chosen_by in table), variants[0])
        yield _step(place, kind, table)
    if word == "measures":
        named = [OwnMeasure(**table).named() for table in tables]
        learn_from("recipe", lambda: named)


def _step(place: str, kind: StepKind, table: _Table) -> BuildStep:
    keys = kind.keys
    for key in table:
        if key not in keys:
            raise _unknown(
                place, key, [*keys, *(other.chosen_by for other in KINDS if other.word == kind.word and other.chosen_by)]
            )
    for key in kind.needed:
        if key not in table:
            raise BadArgument(f"{place}: {key} is missing", hint=keys[key].help or f"Add {key} = …")
    values = {key: _read(place, keys[key], value) for key, value in table.items()}
    if "measures" in values:
        with _placed(place):
            imported("evaluation.parameters.measures_of")(values["measures"])  # raises an error for an unknown measure
    files: dict[str, Path] = {}
    for key in kind.files:
        if key not in table or _is_built_in(kind, key, table):
            continue
        paths = [_located(place, kind, table.folder, str(name)) for name in _several(table[key])]
        files |= dict(zip(map(str, _several(table[key])), paths, strict=True))
        values[key] = paths if keys[key].many else str(paths[0]) if keys[key].kind is str else paths[0]
    if kind.word in RUNS:
        values["name"] = _run_name(kind, values)
    return BuildStep(kind=kind, key=_key(kind, table, values), place=place, table=dict(table), values=values, files=files)


@contextmanager
def _placed(place: str) -> Iterator[None]:
    """Begin errors of the block with the place in the recipe."""
    try:
        yield
    except StcError as error:
        error.message = f"{place}: {error.message}"
        error.args, error.parameter = (error.message,), None
        raise


def _read(place: str, key: DeclaredParameter, value: Any) -> Any:
    """Check the type, bounds and choices of a value. A key of several values accepts one."""
    if key.is_pairs and isinstance(value, dict):
        return value
    values = _several(value) if key.many else [value]
    for each in values:
        right = str if get_origin(key.kind) is not None else object if key.kind is Any else key.kind
        accepted = (int, float) if right is float else str if right is Path else right
        if not isinstance(each, accepted) or (isinstance(each, bool) and right is not bool and right is not object):
            raise _mistyped(place, key.name, each, _TYPES.get(right, "a date" if right is date else "a table"))
    with _placed(place):
        for each in values:
            key.check(each)
        if key.name not in _READ_LATER:
            key.read_local(value)  # raises an error, such as that for a mapping of grades
    if key.many:
        return [str(each) if isinstance(each, date) else each for each in values]
    return value


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_built_in(kind: StepKind, key: str, table: Mapping[str, Any]) -> bool:
    """Whether a value names a list of words of the package, such as the thesaurus ``computing``."""
    return kind.word == "configuration" and not (table[key].count(".") or "/" in table[key])


def _located(place: str, kind: StepKind, folder: Path, name: str) -> Path:
    """Return the path of an input file. :raises BadArgument: it does not exist."""
    if name.startswith(PREFIX):
        return Path(name)
    path = folder / Path(name).expanduser()
    if kind.word == "articles" and path.is_dir():
        return path
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "there is no such file"
        raise BadArgument(f"{place}: {name}: {what}", hint=f"Paths start from the folder of the recipe: {folder.absolute()}.")
    return path


def _run_name(kind: StepKind, values: dict[str, Any]) -> str:
    if values.get("name"):
        return str(values["name"])
    if kind.chosen_by == "path":
        return stem(values["path"])
    return f"{values['system']}-article" if values.get("query_from") == "article" else str(values["system"])


def _key(kind: StepKind, table: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """Return the kind and the name of a step."""
    titles = (
        [values["name"]] if kind.word in RUNS else [part for key in kind.titled if key in table for part in _several(table[key])]
    )
    return " ".join([kind.word, *map(str, titles)])


def _check_runs(path: Path, steps: list[BuildStep], settings: Settings | None) -> None:
    """Check the systems and the names of runs."""
    known = [*SYSTEMS, *(step.name for step in steps if step.kind.word == "systems")]
    if settings is not None and any("system" in step.values and step.values["system"] not in known for step in steps):
        known += _stored_systems(settings)
    names = Counter(step.name for step in steps if step.kind.word in RUNS)
    for step in steps:
        if step.kind.word in RUNS and names[step.name] > 1:
            hint = "Give each run another name."
            raise BadArgument(f"{path}: {counted(names[step.name], 'run')} with the name {step.name!r}", hint=hint)
        if (system := step.values.get("system")) is not None and system not in known:
            close = get_close_matches(str(system), known, n=1)
            meant = f"Did you mean {close[0]!r}? " if close else ""
            raise UnknownObject(
                f"{step.place}: there is no system {system!r}",
                hint=f"{meant}Systems: {', '.join(known)}. A table [[systems]] adds one.",
                sqlstate="IR107",
            )


def _stored_systems(settings: Settings) -> list[str]:
    """Return the systems that were added to the collection; none if it does not exist yet."""
    try:
        with connect(settings, autocommit=True) as conn:
            return [known.system for known in systems(conn) if known.maker is not None]
    except UnknownObject:
        return []


def _needs(step: BuildStep, earlier: list[BuildStep]) -> Iterator[str]:
    """Yield the keys of the earlier steps that a step depends on."""
    skipped: tuple[str, ...] = ()
    if step.kind.word != "systems" and (system := step.values.get("system")) is not None:
        skipped += _OF_VECTORS if system in SYSTEMS and system not in EMBEDDING else ()
        skipped += _OF_TEXT if str(system).startswith("dense") else ()
        skipped += () if step.values.get("query_from") == "article" else _OF_ARTICLES
        skipped += () if "readability" in step.values else ("readability",)
        skipped += () if "credibility" in step.values else ("credibility",)
    named = {*_several(step.values.get("runs", [])), step.values.get("run")} - {None}
    edition = step.values.get("edition") if step.kind.word == "score" else None
    for other in earlier:
        if other.kind.word not in step.kind.after or other.kind.word in skipped or other.kind is step.kind:
            continue
        if named and other.kind.word in RUNS and other.name not in named:
            continue
        if other.kind.word == "systems" and other.name != step.values.get("system"):
            continue
        if edition is not None and other.values.get("edition", edition) != edition:
            continue
        yield other.key


def _unknown(place: str, name: str, known: Any, what: str = "key") -> BadArgument:
    close = get_close_matches(name.replace("-", "_"), known, n=1)
    meant = f"Did you mean {close[0]}? " if close else ""
    return BadArgument(f"{place}: unknown {what} {name!r}", hint=f"{meant}Known: {', '.join(known)}.")


def _mistyped(place: str, key: str, value: Any, right: str) -> BadArgument:
    return BadArgument(f"{place}: {key} is {value!r}", hint=f"Write {right}.")


def _plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
