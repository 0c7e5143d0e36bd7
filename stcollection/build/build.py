"""Build a collection from a recipe: run the steps that are out of date, one after another."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Protocol

import psycopg
from psycopg.types.json import Jsonb

from stcollection.build.kinds import RUNS
from stcollection.build.plan import BuildPlan, PlannedStep, check_rights, make_plan, only_edition, outcome_of, refreshed
from stcollection.build.recipe import BuildStep, Recipe, read_recipe
from stcollection.build.steps import imported, prepare_run
from stcollection.cells import HtmlFields
from stcollection.counts import counted, first_of
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.declared import INTERNAL, Option, declare
from stcollection.errors import BadArgument, BadInput, StateError, StcError, UnknownObject, translate
from stcollection.evaluation.own import learn_measures

if TYPE_CHECKING:
    from stcollection.vectors.stored import TextVectors

RECIPE = Path("collection.toml")
_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
_ROUNDING = 0.00005  # half a unit of the fourth digit, which the leaderboard prints
_SHOWN = 5  # differences that an error names
_HOLDER = (
    "SELECT a.pid, coalesce(a.application_name, ''), a.usename FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid"
    " WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()"
    " AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('stc build', 0)"
)
_BEGIN = (
    "INSERT INTO stc_all.build_steps (step, kind, definition, files, needs) VALUES (%s, %s, %s, %s, %s)"
    " ON CONFLICT (step) DO UPDATE SET kind = EXCLUDED.kind, definition = EXCLUDED.definition, files = EXCLUDED.files,"
    " needs = EXCLUDED.needs, outcome = NULL, began = clock_timestamp(), finished = NULL"
)
_FINISH = (
    "UPDATE stc_all.build_steps s SET outcome = %(outcome)s, finished = clock_timestamp(), needs = ("
    "SELECT coalesce(jsonb_object_agg(n.step, extract(epoch FROM n.finished)::float), '{}')"
    " FROM stc_all.build_steps n WHERE n.step = ANY (%(needs)s::text[])) WHERE s.step = %(step)s"
)
_RECIPE = (
    "INSERT INTO stc_all.build_recipes (path, content, title) VALUES (%s, %s, %s) ON CONFLICT (single)"
    " DO UPDATE SET path = EXCLUDED.path, content = EXCLUDED.content, title = EXCLUDED.title, built = now()"
)


@dataclass(frozen=True, kw_only=True)
class BuiltStep(HtmlFields):
    """A step of a recipe, after a build.

    :param step: kind and name: ``run bm25``. :param state: with ``dry_run``, a step that is out of date is ``to build``. A step
        that the recipe no longer has is ``omitted``, and its result stays.
    :param why: why it was built; empty if it is up to date. :param seconds: duration.
    """

    step: str
    state: Literal["built", "to build", "up to date", "omitted"]
    why: str = ""
    seconds: float = 0.0


class Steps(Protocol):
    """How a face runs the steps of a build."""

    def __call__(self, settings: Settings, step: BuildStep) -> object:
        """Run a step with its values; raise an error if it fails."""


def _perform(settings: Settings, step: BuildStep) -> object:
    return step.kind.run(settings, step.values)


@declare
def build(
    settings: Settings,
    recipe: Annotated[Path, Option("RECIPE")] = RECIPE,
    *,
    dry_run: bool = False,
    perform: Annotated[Steps, INTERNAL] = _perform,
) -> list[BuiltStep]:
    """Build the collection from a recipe. Only steps that are out of date are run, and those that depend on them.

    A step is out of date if its input files or its values have changed, if a step that it depends on was built again, if it was
    interrupted, or if its result in the collection was changed or removed. Nothing is removed: judgments, documents and runs of a
    step that the recipe no longer has stay.

    :param recipe: The recipe, in TOML.
    :param dry_run: Print what is out of date and why, and build nothing.
    :param perform: runs a step.
    :returns: the steps of the recipe in their order, then those that it no longer has.
    :raises BadInput: the recipe is not TOML, or the scores differ from those that the recipe expects.
    :raises BadArgument: a table, key, value, name or file of the recipe is wrong. Nothing was built.
    :raises StateError: another build is running, or the role may not build.
    """
    learn_measures(settings)
    contents = read_recipe(recipe, settings)
    if dry_run:
        plan = plan_build(settings, contents)
        return [*(_record(planned, "to build") for planned in plan.steps), *_omitted(plan)]
    with connect(settings, autocommit=True) as conn, translate():
        check_rights(conn)
        with _alone(conn):
            check_editions(conn, contents)
            plan = make_plan(conn, contents)
            _check_same(conn, contents, plan)
            conn.execute(_RECIPE, [str(contents.path.absolute()), contents.content, contents.title])
            encoder = _encoder(plan)
            return [*(_built(settings, conn, planned, perform, encoder) for planned in plan.steps), *_omitted(plan)]


def plan_build(settings: Settings, recipe: Recipe) -> BuildPlan:
    """Return what a build would do. Without the collection, every step is new."""
    try:
        found = connect(settings, autocommit=True)
    except UnknownObject:
        return make_plan(None, recipe)
    with found as conn, translate():
        check_rights(conn)
        check_editions(conn, recipe)
        return make_plan(conn, recipe)


def stored_recipe(settings: Settings) -> Path:
    """Return the path of the recipe that the collection was last built from. :raises StateError: no such file exists."""
    with connect(settings, autocommit=True) as conn, translate():
        check_rights(conn)
        row = conn.execute("SELECT path FROM stc_all.build_recipes").fetchone()
    if row is None:
        raise StateError("the collection was not built from a recipe", hint="Build it: stc build RECIPE.", sqlstate="IR405")
    if not Path(row[0]).is_file():
        hint = "Compare with a copy of it: stc build RECIPE --dry-run."
        raise StateError(f"the recipe {row[0]} is not on this machine", hint=hint, sqlstate="IR405")
    return Path(row[0])


def check_editions(conn: psycopg.Connection, recipe: Recipe) -> None:
    """Check that the editions to score are in the recipe or in the collection, as far as the role sees it."""
    imported = {step.values.get("edition") for step in recipe.steps if step.kind.stage == "qrels"}
    for step in recipe.steps:
        edition = step.values.get("edition")
        if step.kind.word != "score" or edition in imported:
            continue
        if edition is None and len(imported) == 1:
            step.values["edition"] = next(iter(imported))
        elif edition is None and not only_edition(conn):
            raise BadArgument(f"{step.place}: there is not only one edition", hint="Add `edition`, the judgments to score by.")
        elif edition is not None:
            conn.execute("SELECT stc.edition_key(%s)", [edition])  # raises an error


@contextmanager
def _alone(conn: psycopg.Connection) -> Iterator[None]:
    """Hold the collection against other builds. :raises StateError: another build is running."""
    if conn.execute("SELECT pg_try_advisory_lock(hashtextextended('stc build', 0))").fetchone() != (True,):
        pid, program, user = conn.execute(_HOLDER).fetchone() or (None, "", "")
        whom = f": session {pid} ({program or 'an unnamed program'}, user {user})" if pid else ""
        raise StateError(
            f"another build of this collection is running{whom}", hint="Run the same command again when it has finished."
        )
    try:
        yield
    finally:
        if not conn.closed:
            conn.execute("SELECT pg_advisory_unlock(hashtextextended('stc build', 0))")


def _check_same(conn: psycopg.Connection, recipe: Recipe, plan: BuildPlan) -> None:
    """Check that the collection was not built from another recipe, whose runs a step of the same name would replace.

    :raises BadArgument: the file is another one, and has less than half of the steps that were built.
    """
    row = conn.execute("SELECT path FROM stc_all.build_recipes").fetchone()
    begun = sum(planned.begun for planned in plan.steps)
    if row is not None and row[0] != str(recipe.path.absolute()) and len(plan.omitted) > begun:
        raise BadArgument(
            f"the collection {conn.info.dbname!r} was built from another recipe, {row[0]}",
            hint="Build this one into another collection: --db NAME. Nothing was built.",
        )


def _encoder(plan: BuildPlan) -> TextVectors | None:
    """Return the vectors by text that a step names, for the queries."""
    files = [planned.step.values["stored"] for planned in plan.steps if "stored" in planned.step.values]
    return imported("vectors.stored.TextVectors")(files[0]) if files else None


def _built(
    settings: Settings, conn: psycopg.Connection, planned: PlannedStep, perform: Steps, encoder: TextVectors | None
) -> BuiltStep:
    """Run a step if it is out of date, and record it."""
    if not planned.reasons:
        return _record(planned, "up to date")
    planned = refreshed(planned)
    step, began = planned.step, time.monotonic()
    conn.execute(_BEGIN, [step.key, step.kind.word, Jsonb(step.definition), Jsonb(planned.files), Jsonb({})])
    try:
        if "system" in step.values:
            prepare_run(settings, step.values, encoder)
        perform(settings, step)
        if expected := step.table.get("expect"):
            check_expected(conn, step, expected)
    except StcError as error:
        message, hint = (_with_keys(step, text) for text in (error.message, error.hint or ""))
        error.message, error.hint = f"{step.place}: {message}", hint or None
        error.args = (error.message,)
        raise
    outcome = outcome_of(conn, step, planned.files)
    conn.execute(_FINISH, {"outcome": outcome, "needs": list(step.needs), "step": step.key})
    return _record(planned, "built", time.monotonic() - began)


def _with_keys(step: BuildStep, text: str) -> str:
    """Return a message with the keys of the recipe instead of the options of the command."""
    options = step.kind.options
    return _OPTION.sub(lambda match: options.get(match[0], match[0]), text)


def check_expected(conn: psycopg.Connection, step: BuildStep, expected: dict[str, dict[str, float]]) -> None:
    """Compare the leaderboard with the means that a recipe expects, to four digits. :raises BadInput: they differ."""
    measures = list(dict.fromkeys(measure for means in expected.values() for measure in means))
    standings = imported("evaluation.score.leaderboard")(conn, step.values.get("edition"), measures=measures)
    means = {standing.run: dict(zip(measures, standing.values, strict=True)) for standing in standings}
    different = [
        f"{run} {measure} is {'missing' if run not in means else round(means[run][measure], 4)}, expected {value}"
        for run, values in expected.items()
        for measure, value in values.items()
        if run not in means or not abs(means[run][measure] - value) <= _ROUNDING + 1e-12
    ]
    if different:
        raise BadInput(
            f"{counted(len(different), 'mean differs', 'means differ')} from the recipe:"
            f" {first_of(different, _SHOWN, between='; ')}",
            hint="Compare files, versions and settings with those of the author; or correct `expect`.",
        )


def _record(planned: PlannedStep, state: Literal["built", "to build", "up to date"], seconds: float = 0.0) -> BuiltStep:
    return BuiltStep(step=planned.step.key, state=state if planned.reasons else "up to date", why=planned.why, seconds=seconds)


def _omitted(plan: BuildPlan) -> list[BuiltStep]:
    steps = []
    for key in plan.omitted:
        word, _, name = key.partition(" ")
        removal = f"; 'stc drop runs {shlex.quote(name)}' removes it" if word in RUNS else ""
        steps.append(BuiltStep(step=key, state="omitted", why=f"no longer in the recipe, but its result stays{removal}"))
    return steps
