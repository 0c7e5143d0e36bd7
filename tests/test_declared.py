"""Declarations: the mechanism, and the same names, defaults, bounds and errors on all faces."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

import click
import pytest
from click.testing import CliRunner
from fastapi import FastAPI
from fastapi.routing import APIRoute

from stcollection.api.analyses import Analyses
from stcollection.api.collection import Collection
from stcollection.api.complexity import Complexity
from stcollection.api.declared import spelled as in_python
from stcollection.api.evaluation import EvaluationStage, RetrievalStage
from stcollection.api.plots import Plots
from stcollection.api.stages import CorpusStage, QrelsStage, RunsStage, TextStage, TopicsStage, VectorsStage
from stcollection.cli import declared as on_the_command_line
from stcollection.cli import stc
from stcollection.cli.merged import Merged
from stcollection.declared import (
    INTERNAL,
    REQUIRED,
    AllowedRange,
    DeclaredParameter,
    Option,
    arguments,
    call,
    check_fields,
    declare,
    finite,
    parameters,
    read_pairs,
    reword,
)
from stcollection.errors import BadArgument
from stcollection.http.routes import add as add_routes
from stcollection.mcp.tools import ReadingTools, _tool
from stcollection.retrieval.filters import TypedFilter
from stcollection.studies.answers.methods import Answers
from stcollection.studies.coverage.methods import Coverages
from stcollection.studies.synth.methods import Synth
from stcollection.web.desk import Desk
from tests.acceptance.test_commands import commands

Shape = Literal["round", "square"]


@dataclass(frozen=True, kw_only=True)
class Paint:
    """The paint.

    :param coats: Number of coats.
    """

    coats: Annotated[int, AllowedRange(ge=1, le=9), Option("-c")] = 2
    colours: Annotated[Sequence[str], Option(each="colour")] = ()

    def __post_init__(self) -> None:
        check_fields(self)


@declare
def build(
    conn: object,
    name: Annotated[str, Option("NAME")],
    *,
    width: Annotated[float, AllowedRange(gt=0, lt=1)] = 0.5,
    shape: Shape = "round",
    paint: Paint = Paint(),
    progress: Callable[[int], None] | None = None,
) -> str:
    """Build a thing.

    It stays.

    :param name: Its name. :param width, shape: Its form.
    :returns: a text.
    """
    return f"{name} {width} {shape} {paint.coats} {','.join(paint.colours)}"


def by_name() -> dict[str, DeclaredParameter]:
    return {one.name: one for one in parameters(build)}


def test_parameters_are_those_of_the_signature_with_dataclasses_flattened() -> None:
    found = by_name()
    assert list(found) == ["name", "width", "shape", "coats", "colours"]
    assert found["name"].default is REQUIRED
    assert [found[name].help for name in ("width", "shape", "coats")] == ["Its form.", "Its form.", "Number of coats."]
    assert (found["shape"].choices, found["colours"].many, found["coats"].into) == (("round", "square"), True, "paint")


def test_flat_values_become_arguments() -> None:
    given = {"name": "a", "coats": 3, "colours": ["red"]}
    assert build(None, **arguments(build, given, local=True)) == "a 0.5 round 3 red"
    assert build(None, **arguments(build, {"name": "a"}, local=True)) == "a 0.5 round 2 "


@pytest.mark.parametrize(
    ("given", "parameter", "hint"),
    [
        ({"width": 1.0}, "width", "Use more than 0 and less than 1."),
        ({"shape": "flat"}, "shape", "Use one of round, square."),
        ({"coats": 10}, "coats", "Use 1 to 9."),
    ],
)
def test_bounds_are_checked_whoever_calls(given: dict[str, Any], parameter: str, hint: str) -> None:
    with pytest.raises(BadArgument) as error:
        build(None, **arguments(build, {"name": "a", **given}, local=True))
    assert (error.value.parameter, error.value.hint) == (parameter, hint)
    assert str(error.value).startswith(f"{parameter} is ")


def test_a_function_can_take_names_by_position() -> None:
    @declare
    def draw(conn: object, edition: str, *runs: Annotated[str, Option("RUN")], width: int = 1) -> str:
        """Draw. :param edition: An edition. :param runs: Runs. :param width: The width."""
        return f"{edition} {','.join(runs)} {width}"

    assert [(one.name, one.many, one.default) for one in parameters(draw)][1] == ("runs", True, ())
    given = {"edition": "e", "runs": ("a", "b"), "width": 2}
    assert call(draw, None, arguments(draw, given, local=True)) == "e a,b 2"
    assert call(draw, None, arguments(draw, {"edition": "e"}, local=True)) == "e  1"


@dataclass(frozen=True, kw_only=True)
class Frame:
    name: str
    depth: int = 3


GOLD = Frame(name="gold")


@declare
def hang(
    conn: object,
    *,
    weights: Annotated[Mapping[str, float] | None, Option(each="weight", reads=read_pairs(finite, "NAME=WEIGHT"))] = None,
    frame: Frame = GOLD,
    system: Literal["hook", "nail"] | str = "hook",
    note: Annotated[str, INTERNAL] = "",
) -> str:
    """Hang a thing."""
    return f"{weights} {frame.name} {frame.depth} {system}{note}"


def test_mappings_open_choices_and_defaults_of_groups() -> None:
    found = {parameter.name: parameter for parameter in parameters(hang)}
    assert "note" not in found
    assert (found["weights"].is_pairs, found["weights"].many, found["system"].choices) == (True, True, ("hook", "nail"))
    assert hang(None, **arguments(hang, {"weights": ("a=1", "b=.5"), "system": "glue"}, local=True)) == (
        "{'a': 1.0, 'b': 0.5} gold 3 glue"
    )
    assert (found["name"].default, found["depth"].default) == ("gold", 3)
    assert hang(None, **arguments(hang, {"depth": 4}, local=True)) == "None gold 4 hook"

    @on_the_command_line.command(hang)
    def hang_command(call: on_the_command_line.Call[str]) -> None:
        click.echo(call(None))

    refused = CliRunner().invoke(hang_command, ["--weight", "a=x"], obj="settings")
    assert (refused.exit_code, "Invalid value for '--weight': 'x' is not a number" in refused.output) == (2, True)


def test_each_face_spells_the_parameters_of_an_error() -> None:
    def error() -> BadArgument:
        return BadArgument("coats is 10", hint="Omit `colours` or use `shape=square`, not `other`.", parameter="coats")

    shell, python = error(), error()
    reword(shell, parameters(build), on_the_command_line.spelled)
    reword(python, parameters(build), in_python)
    assert (shell.message, shell.hint) == ("--coats is 10", "Omit --colour or use --shape square, not `other`.")
    assert python.message == "paint=stcollection.Paint(coats=…) is 10"
    assert python.hint == 'Omit paint=stcollection.Paint(colours=…) or use shape="square", not `other`.'


def test_a_command_has_the_options_of_the_function_and_of_its_printer() -> None:
    @on_the_command_line.command(build)
    def thing_command(call: on_the_command_line.Call[str], *, twice: bool = False) -> None:
        """Build and print.

        :param twice: Print it twice.
        """
        click.echo(call(None) * (1 + twice))

    def outcome(*words: str) -> str:
        return CliRunner().invoke(thing_command, words, obj="settings").output

    assert outcome("a", "-c", "3", "--colour", "red", "--colour", "blue") == "a 0.5 round 3 red,blue\n"
    assert outcome("a", "--twice") == "a 0.5 round 2 a 0.5 round 2 \n"
    assert "1<=x<=9" in outcome("a", "-c", "10")
    assert "Missing argument 'NAME'" in outcome()
    assert "Build and print." in outcome("--help")


def test_a_command_asks_for_an_option_without_default() -> None:
    def paint(conn: object, *, colour: str) -> str:
        """Paint a thing. :param colour: Its colour."""
        return colour

    @on_the_command_line.command(paint)
    def paint_command(call: on_the_command_line.Call[str]) -> None:
        """Paint."""
        click.echo(call(None))

    assert "Missing option '--colour'" in CliRunner().invoke(paint_command, [], obj="settings").output
    assert CliRunner().invoke(paint_command, ["--colour", "red"], obj="settings").output == "red\n"


# the faces of every declaration --------------------------------------------------------------------------------------------------


def declared_commands() -> Iterator[tuple[str, click.Command]]:
    for path, command in commands(stc):
        words = " ".join(path)
        for name, variant in command.variants.items() if isinstance(command, Merged) else [("", command)]:
            if hasattr(variant, "declared"):
                about = command.about[name] if isinstance(command, Merged) else ""
                yield f"{words} {about}" if about.startswith("--") else words, variant


FACES = (
    Collection, Analyses, Plots, Complexity, CorpusStage, TextStage, VectorsStage, TopicsStage, QrelsStage, RunsStage,
    RetrievalStage, EvaluationStage, Synth, Answers, Coverages,
)  # fmt: skip
#: Commands whose Python method takes frames, or other arguments than the function.
BY_HAND = {
    "build", "db check", "drop documents", "show text", "complexity agreement", "complexity correlate", "complexity means",
    "load --as articles", "load --as topics", "drop queries", "drop edition", "export corpus", "export qrels",
    "export run", "load --as runs",
    "qrels impact", "load --as qrels",
}  # fmt: skip
#: Commands without a Python method: they take a file to write, or need no collection.
WITHOUT_METHOD = {
    "text configure", "analysis map", "show users", "complexity predict",
    "export review", "export answers", "coverage compute", "compare",
    "compare --by query",
}  # fmt: skip


def declared_methods() -> dict[Any, Any]:
    members = (getattr(face, name) for face in FACES for name in dir(face))
    return {inspect.unwrap(one).declared: one for one in members if hasattr(inspect.unwrap(one), "declared")}


COMMANDS = dict(declared_commands())


def test_there_are_declarations() -> None:
    assert {"show editions", "score --significance"} <= COMMANDS.keys()
    assert declared_methods()


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_that_prints_rows_of_an_edition_can_say_that_they_are_simulated(path: str) -> None:
    names = {option.name for option in COMMANDS[path].params}
    function = COMMANDS[path].declared[0]  # type: ignore[attr-defined]
    if {"edition", "style"} <= names and path != "publish correct":  # it prints what diff and impact return
        assert hasattr(function, "notes_simulated"), f"{function.__qualname__} needs @note_simulated"


def test_each_declared_function_is_a_method() -> None:
    """A command of a stage is in Python too: ``stc analysis bias`` is ``c.analysis.bias``."""
    methods = declared_methods()
    missing = {path for path, command in COMMANDS.items() if command.declared[0] not in methods}  # type: ignore[attr-defined]
    assert missing == BY_HAND | WITHOUT_METHOD


@pytest.mark.parametrize(
    "verb", ["load", "status", "search", "run", "fuse", "tune", "score", "compare", "plot", "pool", "publish", "export"]
)
def test_a_collection_has_the_verbs(verb: str) -> None:
    assert hasattr(Collection, verb)


def declared_routes() -> dict[str, Any]:
    app = FastAPI()
    add_routes(app, Desk("host=nowhere"), "t")
    described = app.openapi()["paths"]
    routers = (getattr(router, "original_router", app) for router in app.routes)  # FastAPI keeps the routers that it includes
    listed = (route for router in routers for route in router.routes if isinstance(route, APIRoute))
    routes = {route.path: route for route in listed if hasattr(route.endpoint, "declared")}
    assert routes
    return {path: (route.endpoint, described[path]["get"].get("parameters", [])) for path, route in routes.items()}


@pytest.mark.parametrize("path", declared_routes())
def test_a_route_has_the_names_defaults_and_bounds_of_its_function(path: str) -> None:
    endpoint, listed = declared_routes()[path]
    described = {one["name"]: one for one in listed}
    for one in parameters(endpoint.declared):
        name = endpoint.public.get(one.name)
        if name is None:  # the route does not offer it
            continue
        shape = described[name]["schema"]
        [shape] = [part for part in shape.get("anyOf", [shape]) if part.get("type") != "null"]
        assert one.many == (shape.get("type") == "array")
        if not one.many and one.default not in (None, REQUIRED):
            assert described[name]["schema"]["default"] == one.default
        if one.bounds is not None:
            assert one.bounds.ge == shape.get("minimum")
            assert one.bounds.le is None or shape["maximum"] <= one.bounds.le
            assert (one.bounds.gt, one.bounds.lt) == (shape.get("exclusiveMinimum"), shape.get("exclusiveMaximum"))
        assert described[name].get("description", "").startswith(one.help_elsewhere)
        assert "@FILE" not in described[name].get("description", "")


def test_a_tool_has_the_names_defaults_and_bounds_of_its_function() -> None:
    """The tools are read as the server offers them."""
    tools = ReadingTools(cast(Any, None)).all()
    declared = [one for one in tools if hasattr(one, "declared")]
    names = "search score compare_runs compare_formulations correct_scores predict_queries explain_difference"
    assert [one.__name__ for one in declared] == names.split()
    for tool in declared:
        schema = _tool(tool).parameters["properties"]
        for one in parameters(tool.declared):
            if one.name in vars(tool)["omitted"]:
                continue
            name = one.name if one.many else one.each
            [shape] = [part for part in schema[name].get("anyOf", [schema[name]]) if part.get("type") != "null"]
            assert one.many == (shape.get("type") == "array")
            if not one.many and one.default is not REQUIRED:
                assert schema[name]["default"] == one.default
            if one.bounds is not None:
                assert one.bounds.ge == shape.get("minimum")
                assert one.bounds.le is None or shape["maximum"] <= one.bounds.le
            assert schema[name]["description"].startswith(one.help_elsewhere.removesuffix(" Repeatable."))


def bounds_of(kind: Any) -> tuple[Any, ...]:
    if isinstance(kind, click.IntRange | click.FloatRange):
        return kind.min, kind.max, kind.min_open, kind.max_open
    return (None, None, False, False)


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_has_the_names_defaults_and_bounds_of_its_function(path: str) -> None:
    command = COMMANDS[path]
    options = {one.name: one for one in command.params}
    function, printer = command.declared  # type: ignore[attr-defined]
    own = {*command.omitted, *(one.name for one in parameters(printer))}  # type: ignore[attr-defined]
    for one in parameters(function):
        if one.name in own or one.group is TypedFilter:  # one option has all keys of a filter
            continue
        option = options[one.name]
        if isinstance(option, click.Option):
            assert {*one.option.flags} or f"--{one.each.replace('_', '-')}" in option.opts
            assert one.many or one.default is REQUIRED or option.default == one.default
            assert option.help
        limits = one.bounds or AllowedRange()
        low = limits.ge if limits.gt is None else limits.gt
        high = limits.le if limits.lt is None else limits.lt
        assert bounds_of(option.type) == (low, high, limits.gt is not None, limits.lt is not None)
        assert one.choices == (tuple(option.type.choices) if isinstance(option.type, click.Choice) else ())


def test_a_method_has_the_signature_of_its_function() -> None:
    for function, method in declared_methods().items():
        theirs = inspect.signature(method).parameters
        offered = {one.into or one.name for one in parameters(function)}
        assert set(theirs) - {"self", "frame"} >= offered
        for name, one in inspect.signature(function).parameters.items():
            if name in offered:
                assert (theirs[name].default, theirs[name].kind) == (one.default, one.kind)
        assert all(
            f":param {one.into + '.' if one.into else ''}{one.name}:" in (method.__doc__ or "") for one in parameters(function)
        )


def out_of_bounds() -> Iterator[tuple[str, Any, DeclaredParameter, float]]:
    for path, command in COMMANDS.items():
        function = command.declared[0]  # type: ignore[attr-defined]
        for one in parameters(function):
            limits = one.bounds or AllowedRange()
            low, high = (limits.ge if limits.gt is None else limits.gt), (limits.le if limits.lt is None else limits.lt)
            yield from ((path, function, one, limit - 1) for limit in [low] if limit is not None)
            yield from ((path, function, one, limit + 1) for limit in [high] if limit is not None)


@pytest.mark.parametrize(
    ("path", "function", "parameter", "value"),
    [pytest.param(*case, id=f"{case[0]}-{case[2].name}={case[3]}") for case in out_of_bounds()],
)
def test_a_value_out_of_bounds_is_an_error_that_names_the_parameter(
    path: str, function: Any, parameter: DeclaredParameter, value: float
) -> None:
    required = {one.name: "bm25" for one in parameters(function) if one.default is REQUIRED}
    with pytest.raises(BadArgument) as error:
        function(None, **arguments(function, {**required, parameter.name: value}, local=True))
    assert error.value.parameter == parameter.name
    option = on_the_command_line.spelled(parameter, None)
    done = CliRunner().invoke(stc, [*path.split(), option, str(value)])
    assert done.exit_code == 2
    assert option in done.output
