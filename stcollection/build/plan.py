"""Compare a recipe with what was built: which steps are out of date, and why."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from stcollection.build.kinds import RUNS
from stcollection.build.recipe import BuildStep, Recipe
from stcollection.errors import BadArgument, StateError, translate
from stcollection.io.files import clip, sha256
from stcollection.io.irdatasets import PREFIX
from stcollection.io.places import path_text

_RIGHTS = """
SELECT CASE WHEN has_schema_privilege('stc_all', 'USAGE') THEN has_table_privilege('stc_all.build_steps', 'INSERT') ELSE false END
"""
_STEPS = "SELECT step, definition, files, needs, outcome, extract(epoch FROM finished)::float FROM stc_all.build_steps"


class InputFile(NamedTuple):
    """An input file. :param changed: its time of change in nanoseconds; with an equal size it was not read again."""

    sha256: str
    size: int
    changed: int


class StepState(NamedTuple):
    """What the collection records of a step. :param finished: None: it was interrupted."""

    step: str
    definition: dict[str, Any]
    files: dict[str, list[Any]]
    needs: dict[str, float]
    outcome: str | None
    finished: float | None


@dataclass(frozen=True, kw_only=True)
class PlannedStep:
    """A step and why it has to be built. :param reasons: none if it is up to date. :param begun: it was begun before.

    :param files_changed: input files that have changed since the last build. :param files: all input files.
    """

    step: BuildStep
    reasons: tuple[str, ...]
    files: dict[str, InputFile]
    files_changed: bool
    begun: bool

    @property
    def why(self) -> str:
        return "; ".join(self.reasons)


@dataclass(frozen=True, kw_only=True)
class BuildPlan:
    """The steps in their order. :param omitted: steps built before that the recipe no longer has, with the result still stored."""

    steps: list[PlannedStep]
    omitted: list[str]


@translate()
def check_rights(conn: psycopg.Connection) -> None:
    """Check that the role may build. :raises StateError: it may not."""
    if conn.execute(_RIGHTS).fetchone() != (True,):
        raise StateError(
            "this role may not build the collection: it is neither its owner nor an organiser",
            hint="Connect as one of them; 'stc db user NAME --role organiser' makes organisers.",
            sqlstate="IR410",
        )


def make_plan(conn: psycopg.Connection | None, recipe: Recipe) -> BuildPlan:
    """Compare the steps of a recipe with what the collection records of them and has of their results.

    :param conn: None: there is no collection yet.
    :raises BadArgument: a run with the name of a step was made by something else.
    """
    states = {} if conn is None else {state.step: state for state in map(StepState._make, conn.execute(_STEPS).fetchall())}
    planned: list[PlannedStep] = []
    stale: set[str] = set()
    for step in recipe.steps:
        state = states.get(step.key)
        files = {name: _input(path, state.files.get(name) if state else None) for name, path in step.files.items()}
        reasons = ["new"] if conn is None else _reasons(conn, step, state, files, states, stale)
        if conn is not None and state is None:
            _check_free(conn, step)
        if reasons:
            stale.add(step.key)
        planned.append(
            PlannedStep(
                step=step,
                reasons=tuple(reasons),
                files=files,
                files_changed=state is not None and bool(_changed(state, files)),
                begun=state is not None,
            )
        )
    known = {step.key for step in recipe.steps}
    return BuildPlan(steps=planned, omitted=sorted(key for key in states if key not in known))


def _reasons(
    conn: psycopg.Connection,
    step: BuildStep,
    state: StepState | None,
    files: Mapping[str, InputFile],
    states: Mapping[str, StepState],
    stale: set[str],
) -> list[str]:
    """Return why a step has to be built; empty if it is up to date."""
    if state is None:
        return ["new"]
    if state.finished is None:
        return ["it was interrupted"]
    reasons = [f"{name} changed" for name in _changed(state, files)]
    before, now = state.definition, step.definition
    for key in dict.fromkeys((*before, *now)):
        if before.get(key) != now.get(key) and key not in step.kind.files:
            was, becomes = (clip(values[key]) if key in values else "the default" for values in (before, now))
            reasons.append(f"{key} was {was}, is now {becomes}")
    for need in step.needs:
        if need in stale:
            reasons.append(f"{need!r} is built again")
        elif need not in state.needs or state.needs[need] != states[need].finished:
            reasons.append(f"{need!r} was built again")
    if not reasons:
        outcome = outcome_of(conn, step, files)
        if outcome is None:
            reasons.append("its result is missing from the collection")
        elif outcome != state.outcome:
            reasons.append("its result was changed in the collection")
    return reasons


def _changed(state: StepState, files: Mapping[str, InputFile]) -> list[str]:
    """Return the input files whose content is not that of the last build."""
    hashes = {values[0] for values in state.files.values()}  # a renamed file has not changed
    return [name for name, file in files.items() if file.sha256 not in hashes]


def _input(path: Path, before: Sequence[Any] | None) -> InputFile:
    """Return the state of a file. Its content is read if its size or time differs from that of the last build."""
    if str(path).startswith(PREFIX):
        return InputFile(str(path), 0, 0)
    if path.is_dir():
        parts = sorted(part for part in path.rglob("*") if part.is_file())
        hashed = hashlib.sha256("".join(f"{part.relative_to(path)} {sha256(part)}\n" for part in parts).encode()).hexdigest()
        return InputFile(hashed, len(parts), 0)
    facts = path.stat()
    if before is not None and list(before[1:]) == [facts.st_size, facts.st_mtime_ns]:
        return InputFile(str(before[0]), facts.st_size, facts.st_mtime_ns)
    return InputFile(sha256(path), facts.st_size, facts.st_mtime_ns)


def _check_free(conn: psycopg.Connection, step: BuildStep) -> None:
    """Check that no run has the name of a new step. :raises BadArgument: one has, and the step does not say to replace it."""
    if step.kind.word in RUNS and not step.values.get("replace") and _outcome(conn, "run", [step.name]) is not None:
        raise BadArgument(
            f"{step.place}: a run {step.name!r} is stored that no build has made",
            hint=f"Give the step another `name`, or add replace = true. 'stc drop runs {step.name}' removes the stored run.",
        )


@translate()
def outcome_of(conn: psycopg.Connection, step: BuildStep, files: Mapping[str, InputFile]) -> str | None:
    """Return what the collection has of a step, to compare later; None if it has nothing (sql/build/step_outcome.sql)."""
    word, values = step.kind.word, step.values
    hashes = [file.sha256 for file in files.values()]
    if word in ("vectors", "vector_index"):
        return _vectors(conn, step)
    if word in RUNS:
        return _outcome(conn, "run", [step.name])
    if word in ("measures", "systems"):
        return _outcome(conn, word, [step.name])
    if word == "score":
        edition = values.get("edition") or only_edition(conn)
        return _outcome(conn, word, [edition], [str(run) for run in values.get("runs", [])])
    if word in ("qrels", "subtopics", "preferences"):
        return _outcome(conn, word, [values["edition"]], [*hashes, *(name for name in step.files if name.startswith(PREFIX))])
    if word == "annotations":
        return _outcome(conn, word, [path_text(path) for path in step.files.values()])
    if word == "configuration":
        row = conn.execute("SELECT cfgname FROM pg_ts_config WHERE cfgname = %s", [values["name"]]).fetchone()
        return None if row is None else str(row[0])
    return _outcome(conn, word, hashes)


def _outcome(conn: psycopg.Connection, word: str, names: Sequence[str], files: Sequence[str] = ()) -> str | None:
    [[outcome]] = conn.execute("SELECT stc.step_outcome(%s, %s, %s)", [word, list(names), list(files)]).fetchall()
    return None if outcome is None else str(outcome)


def only_edition(conn: psycopg.Connection) -> str:
    """Return the only edition of the collection; an empty text if it has none or several."""
    rows = conn.execute("SELECT edition FROM qrels_editions").fetchall()
    return str(rows[0][0]) if len(rows) == 1 else ""


def _vectors(conn: psycopg.Connection, step: BuildStep) -> str | None:
    """Return whether the texts of a step's fields have vectors, or the state of the indexes."""
    from stcollection.vectors.audit import status  # imports numpy
    from stcollection.vectors.model import short_name

    values = step.values
    if values.get("field") == "query":
        row = conn.execute("SELECT count(*) FROM query_v WHERE model = %s", [values.get("model", short_name(None))]).fetchone()
        return None if row is None or not row[0] else str(row[0])
    model = values.get("short") or (short_name(values.get("model")) if step.kind.chosen_by is None else values.get("model"))
    fields = [values["field"]] if "field" in values else values.get("fields", ["title", "abstract"])
    model = model or short_name(None)
    rows = [row for row in status(conn, estimate=True) if row.field in fields and row.model == model]
    if step.kind.word == "vector_index":
        return "; ".join(f"{row.field} {row.kind} {row.rows}{' stale' * bool(row.stale)}" for row in rows if row.kind) or None
    if not rows or step.kind.chosen_by is not None:
        return "stored" if rows else None
    [[lacking]] = conn.execute("SELECT stc.count_unembedded(%s, %s)", [model, fields]).fetchall()
    return f"lacking {lacking}"


def refreshed(planned: PlannedStep) -> PlannedStep:
    """Return a planned step with the values for files that have changed."""
    step = planned.step
    values = dict(step.values)
    if planned.files_changed:
        values = {**step.kind.on_change, **values}
    if planned.begun and step.kind.word in RUNS:
        values["replace"] = True
    return replace(planned, step=replace(step, values=values))
