"""The command ``stc analysis labels``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

import click
import orjson

from stcollection.analysis.labels import Agreed, Alike, GradePairCount, LabelComparison, LabelSource, System, labels
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import marked, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.declared import AllowedRange, Option
from stcollection.evaluation.judging import JudgingRun

_FIELDS: dict[str, tuple[str, ...]] = {
    "agreement": Agreed._fields, "confusion": GradePairCount._fields, "sources": LabelSource._fields, "systems": System._fields,
    "rankings": Alike._fields, "judging": JudgingRun._fields,
}  # fmt: skip


@command(labels)
def labels_command(
    call: Call[list[LabelComparison]],
    *,
    most: Annotated[int, AllowedRange(ge=0), Option(each="limit")] = 5,
    table: Annotated[
        Literal["agreement", "confusion", "sources", "systems", "rankings", "judging"] | None,
        Option(default="all tables; with CSV: agreement"),
    ] = None,
    style: Style = "table",
) -> None:
    """Compare the editions OTHERS (judged by a language model, or sparsely) with the edition HUMAN.

    On documents that both judge, prints agreement on grades and on relevance, kappa, alpha and the confusion of grades. For a
    sparse edition these say little, so it prints the grades that people gave to its documents. Then compares the rankings of
    systems under both editions by several coefficients, and the systems that move most. Systems are runs or imported scores.
    'judging' lists runs that the labels may favour.

    :param most: Number of systems to list among those that move most.
    :param table: Print only this table, with all its rows.
    """
    comparisons = call.once()
    if table is not None or style == "csv":
        name = table or "agreement"
        rows = [(comparison.other, *row) for comparison in comparisons for row in getattr(comparison, name)]
        click.echo(render(rows, ["other", *_FIELDS[name]], style=style))
        for comparison in comparisons:
            for note in comparison.notes:
                aside(f"{comparison.other}: {note}")
    elif style == "json":
        click.echo(orjson.dumps([marked(_plain(row)) for row in comparisons], option=orjson.OPT_INDENT_2).decode())
    else:
        by = call.given.get("by", "all")
        click.echo("\n\n".join(_text(comparison, by=by, most=most, style=style) for comparison in comparisons))


def _plain(one: LabelComparison) -> dict[str, Any]:
    """Return the tables as lists of objects for JSON."""
    lists = {name: [row._asdict() for row in getattr(one, name)] for name in _FIELDS}
    return {**asdict(one), "shape": one.shape._asdict(), **lists}


def _text(one: LabelComparison, *, by: str, most: int, style: str) -> str:
    """Print the tables of one edition for people, each with a title. Drop the column ``origin`` if it has one value."""
    drop = 0 if by == "origin" else 1
    shown = one.shape
    told = [
        f"{one.other} against {one.human}: {counted(shown.judgments, 'judgment')} on {counted(shown.queries, 'query')},"
        f" {shown.relevant:,} of grade {one.level} or better{'; sparse' if shown.sparse else ''}"
    ]
    told += ["", render([row[drop:] for row in one.agreement], _titles(Agreed._fields[drop:]), style=style)]
    for origin in dict.fromkeys(row.origin for row in one.confusion):
        cells = {(row.human_rel, row.other_rel): row.pairs for row in one.confusion if row.origin == origin}
        rels = sorted({rel for cell in cells for rel in cell})
        matrix = [[f"{one.human}: {x}", *(cells.get((x, y), 0) for y in rels)] for x in rels]
        where = f", {origin} queries" if by == "origin" else ""
        told += ["", f"grades of {one.human} (rows) and {one.other} (columns){where}", ""]
        told.append(render(matrix, ["grade", *(f"{one.other}: {y}" for y in rels)], style=style))
    if one.sources:
        rows = [(row.origin, "not shown" if row.human_rel is None else row.human_rel, *row[2:]) for row in one.sources]
        share = one.relevant_sources()
        told += [
            "",
            f"grades that {one.human} gives to the documents of {one.other}: {0 if share is None else share:.1%} relevant",
            "",
        ]
        told.append(render([row[drop:] for row in rows], _titles(LabelSource._fields[drop:]), style=style))
    if one.rankings:
        told += ["", f"rankings of systems by {one.measure}", ""]
        told.append(render([row[drop:] for row in one.rankings], _titles(Alike._fields[drop:]), style=style))
    for origin in dict.fromkeys(row.origin for row in one.rankings):
        told += _movers(one, origin, most, style, named=by == "origin")
    if one.judging:
        told += ["", f"runs that the labels of {one.other} may favour", "", render(one.judging, JudgingRun._fields, style=style)]
    return "\n".join([*told, *([""] if one.notes else []), *(f"- {note}" for note in one.notes)])


def _movers(one: LabelComparison, origin: str, most: int, style: str, *, named: bool) -> list[str]:
    movers = one.moved(origin, most)
    if not movers:
        return []
    rows = [(row.run, row.family, row.value_human, row.value_other, row.shift, row.rank_human, row.rank_other) for row in movers]
    heads = ["run", "family", one.human, one.other, "shift", f"rank by {one.human}", f"by {one.other}"]
    title = "systems that move most" + (f", {origin} queries" if named else "")
    return ["", title, "", render(rows, heads, style=style)]


def _titles(fields: Sequence[str]) -> list[str]:
    return [field.replace("_", " ") for field in fields]
