"""The command ``stc analysis bias``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import click
import orjson

from stcollection.analysis.bias import THOUSAND, Bias, Difficulty, FamilyShift, SystemShift, bias
from stcollection.analysis.bias_model import FixedEffect, Interaction, MixedModel, ModelOptions, Variance, mixed_model
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import printable, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import Option
from stcollection.errors import BadArgument
from stcollection.evaluation.parameters import only_measure

SHIFTS: dict[str, type[tuple[Any, ...]]] = {"families": FamilyShift, "systems": SystemShift, "difficulty": Difficulty}


MODEL: dict[str, type[tuple[Any, ...]]] = {"effects": FixedEffect, "variances": Variance, "interaction": Interaction}


_HEADS = {"systems_low": "low, systems", "systems_high": "high, systems", "relative_low": "low", "relative_high": "high",
          "difference_low": "low", "difference_high": "high"}  # fmt: skip


_LEFT_OUT = {"families": {"difference_low", "difference_high"}}  # not in tables for people: they would be too wide


@command(bias, figure=lambda _: "bias")
def bias_command(
    call: Call[Bias],
    *,
    show: Annotated[
        Sequence[Literal["families", "systems", "difficulty", "effects", "variances", "interaction"]],
        Option(default="families, difficulty"),
    ] = (),
    model: Annotated[bool, Option("--mixed-model")] = False,
    baseline_family: Annotated[str | None, Option(metavar="FAMILY", default="Other, else the largest")] = None,
    by_query: Annotated[bool, Option("--random-slopes")] = False,
    style: Style = "table",
) -> None:
    """Test whether queries of one origin favour a family of systems, compared with the queries of EDITION that people wrote.

    For each family and origin, prints the mean shift of its systems and the relative shift, with bootstrap intervals over queries
    and over systems. The relative shift subtracts the mean shift of all systems, because origins differ in difficulty. Also prints
    the shift in standard deviations and in ranks, and the difficulty of each origin. The model is value ~ origin x family, with
    random systems and queries. Nothing is stored.

    :param show: Table to print. Repeatable.
    :param model: Also fit the mixed model and print effects, variances and interaction. Needs statsmodels.
    :param baseline_family: Family that the model compares the others with.
    :param by_query: In the model, give each query a random slope per family. Slower, but less prone to false positives.
    """
    tables = list(dict.fromkeys([*(show or ("families", "difficulty")), *(MODEL if model else ())]))
    if style == "csv" and len(tables) > 1:
        raise BadArgument(f"{counted(len(tables), 'table')} in one CSV", hint="Name one: --show families.")
    shifts: Bias | None = None
    fitted: MixedModel | None = None
    with connect(call.settings) as conn:
        if SHIFTS.keys() & set(tables):
            shifts = call(conn)
        if MODEL.keys() & set(tables):
            subject = call.arguments()
            options = ModelOptions(baseline_family, by_query, subject.pop("bootstrap", THOUSAND).alpha)
            fitted = mixed_model(conn, **subject | {"measure": only_measure(subject.get("measure", ()))}, options=options)
    _print(shifts, fitted, tables, style)


def _print(found: Bias | None, fitted: MixedModel | None, wanted: Sequence[str], style: str) -> None:
    """Print the requested tables. Print the size of the data, the fit and the notes on stderr."""
    tables: dict[str, Sequence[tuple[Any, ...]]] = {}
    for name in wanted:
        rows = getattr(found if name in SHIFTS else fitted, name)
        tables[name] = [rows] if isinstance(rows, Interaction) else list(rows or [])
    notes = list(dict.fromkeys([*(found.notes if found else ()), *(fitted.notes if fitted else ())]))
    if style == "json":
        parts = [f'"{name}": {render(tables[name], _fields(name), style=style)}' for name in wanted]
        text = "{" + ", ".join([*parts, f'"notes": {orjson.dumps(notes).decode()}']) + "}"
        click.echo(orjson.dumps(orjson.loads(text), option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo("\n\n".join(_table(name, tables[name], style) for name in wanted))
    if fitted and fitted.effects and style != "json":
        random = f"{counted(fitted.systems, 'system')}, {counted(fitted.queries, 'query')}, {counted(fitted.observations, 'value')}"
        aside(f"model: {random}; {'converged' if fitted.converged else 'not converged'}")
    for note in notes:
        aside(printable(f"note: {note}"))


def _fields(name: str) -> Sequence[str]:
    fields: Sequence[str] = {**SHIFTS, **MODEL}[name]._fields  # type: ignore[attr-defined]
    return fields


def _table(name: str, rows: Sequence[tuple[Any, ...]], style: str) -> str:
    fields = _fields(name)
    if style == "csv":
        return render(rows, fields, style=style)
    kept = [field for field in fields if field not in _LEFT_OUT.get(name, ())]
    cells = [
        [
            ("< .0001" if value < 1e-4 else f"{value:.4f}") if field == "p" and value is not None else value
            for field, value in zip(fields, row, strict=True)
            if field in kept
        ]
        for row in rows
    ]
    return render(cells, [_HEADS.get(field, field.replace("_", " ")) for field in kept], style=style)
