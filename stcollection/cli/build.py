"""The command ``stc build``: build a collection from a recipe, each step by its command."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from stcollection.build.build import RECIPE, BuiltStep, build
from stcollection.build.recipe import BuildStep, read_recipe, recipe_name
from stcollection.build.steps import field_names, stored_model
from stcollection.cli.declared import Call
from stcollection.cli.declared import command as declared
from stcollection.cli.options.completion import DB
from stcollection.cli.output import printable, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.collections import create
from stcollection.db.settings import Settings


class StepCommand(NamedTuple):
    """The command of a kind of step.

    :param module: below ``stcollection.cli``. :param names: keys that the command names differently; None: it has no such option.
    """

    module: str
    name: str = "command"
    names: Mapping[str, str | None] = {}


#: Kinds of steps that are functions in SQL and no commands, and what they add.
ADDED = {"measures": "measure", "systems": "system"}
_FILES = {"path": "files"}
COMMANDS = {
    "corpus": StepCommand("corpus.load", names={"path": "paths", "format": "name", "date": "day"}),
    "configuration": StepCommand("text.indexes", "configure_command"),
    "text": StepCommand("text.indexes", "index_command"),
    "vectors": StepCommand("vectors.embedding", "embed_command", {"stored": None}),
    "vectors by vectors": StepCommand("vectors.import_", "import_command"),
    "vector_index": StepCommand("vectors.index", "index_command"),
    "readability": StepCommand("complexity.compute", "compute_command"),
    "credibility": StepCommand("complexity.credibility", "credibility_command"),
    "annotations": StepCommand("complexity.annotations.files", "load_command", {**_FILES, "replace_grades": "replace"}),
    "topics": StepCommand("topics.loading", "load_command", {**_FILES, "format": "layout"}),
    "articles": StepCommand("topics.loading", "articles_command", {"path": "paths"}),
    "origins": StepCommand("topics.loading", "origins_command"),
    "excluded": StepCommand("topics.loading", "excluded_command"),
    "qrels": StepCommand("qrels.imports", "import_command", _FILES),
    "subtopics": StepCommand("qrels.imports", "import_subtopics_command", _FILES),
    "preferences": StepCommand("qrels.imports", "import_preferences_command", _FILES),
    "run": StepCommand("retrieval.runs", "run_command"),
    "run by path": StepCommand("runs.import_", names={**_FILES, "format": "layout"}),
    "fuse": StepCommand("retrieval.fusion", "fuse_command"),
    "rerank": StepCommand("retrieval.fusion", "rerank_command"),
    "score": StepCommand("evaluation.scores", "leaderboard_command", {"expect": None}),
}


class PrintedSteps:
    """Runs each step by its command, which prints what it did, below the name of its stage."""

    def __init__(self, ctx: click.Context) -> None:
        self._ctx = ctx
        self._stage, self._began = "", 0.0

    def __call__(self, settings: Settings, step: BuildStep) -> object:
        if step.kind.stage != self._stage:
            self.close()
            self._stage, self._began = step.kind.stage, time.perf_counter()
            click.secho(f"── {self._stage} ", bold=True)
        self._ctx.obj = settings
        if step.kind.word in ADDED:
            outcome = step.kind.run(settings, step.values)
            click.echo(f"{step.name}: {ADDED[step.kind.word]} added")
            return outcome
        known = COMMANDS[f"{step.kind.word} by {step.kind.chosen_by}" if step.kind.chosen_by else step.kind.word]
        made = getattr(import_module(f"stcollection.cli.{known.module}"), known.name)
        return self._ctx.invoke(made, **_options(known, step))

    def close(self) -> None:
        """Print how long the stage has taken."""
        if self._stage:
            click.secho(f"   {time.perf_counter() - self._began:.1f} s\n", dim=True)
            self._stage = ""


def _options(known: StepCommand, step: BuildStep) -> dict[str, Any]:
    """Return the values of a step as those of the options of its command."""
    values = stored_model(step.values) if "stored" in step.values else step.values
    options: dict[str, Any] = {}
    for key, value in values.items():
        name = known.names.get(key, key)
        if key == "map":
            options["fields"] = field_names(step.values)
        elif name == "files":
            options[name] = tuple(value) if isinstance(value, list) else (value,)
        elif name is not None:
            options[name] = tuple(map(str, value)) if name == "paths" and step.kind.word == "corpus" else _typed(value)
    return options


def _typed(value: Any) -> Any:
    """Return a value as click passes it."""
    return tuple(value) if isinstance(value, list) else str(value) if isinstance(value, date) else value


@declared(build)
def command(call: Call[list[BuiltStep]]) -> None:
    """Build a collection from RECIPE, a file that names its documents, indexes, topics, judgments, runs and scores.

    Only steps that are out of date are run: their files or values have changed, an earlier step was built again, they were
    interrupted, or their result in the collection was changed. The recipe is checked completely before the first step. The
    collection is created if needed. It has the name that the recipe gives, whatever STC_DB is; --db names another.
    """
    path = call.given.get("recipe", RECIPE)
    ctx = click.get_current_context()
    given = ctx.meta.get(DB) or ctx.find_root().params.get("db")
    name = None if given else recipe_name(path)
    ctx.obj = settings = call.settings if name is None else replace(call.settings, db=name)
    read_recipe(path, settings)  # before the collection is created
    if call.given.get("dry_run"):
        print_plan(call(settings))
        return
    print_built(build_printed(ctx, settings, path))


def build_printed(ctx: click.Context, settings: Settings, recipe: Path) -> list[BuiltStep]:
    """Build a collection, which is created if needed, and print each step."""
    if create(settings, exist_ok=True):
        click.echo(f"created the collection {settings.db!r}")
    printed = PrintedSteps(ctx)
    built = build(settings, recipe, perform=printed)
    printed.close()
    return built


def print_plan(steps: list[BuiltStep]) -> None:
    """Print the steps, and why those that are out of date are."""
    rows = [(printable(step.step), step.state, printable(step.why)) for step in steps]
    click.echo(render(rows, ["step", "state", "why"], style="table"))


def print_built(steps: list[BuiltStep]) -> None:
    """Print how many steps were built, and those that the recipe no longer has."""
    counts = Counter(step.state for step in steps)
    seconds = sum(step.seconds for step in steps)
    built = f"built {counted(counts['built'], 'step')} in {seconds:.1f} s; " if counts["built"] else ""
    click.echo(f"{built}{counted(counts['up to date'], 'step is', 'steps are')} up to date")
    for step in steps:
        if step.state == "omitted":
            aside(printable(f"note: {step.step!r} is {step.why}"))
