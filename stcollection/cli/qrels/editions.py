"""The command ``stc qrels editions``."""

from __future__ import annotations

from typing import Any

import click

from stcollection.cli.output import format_option, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.asks import Hidden, hidden
from stcollection.io.qrels.judgments import SCALES
from stcollection.qrels.editions import EditionOverview, editions

_COLUMNS = (
    "edition", "split", "year", "queries", "judgments", "grades", "origins", "rows", "subtopics", "scale", "sealed", "hidden",
    "simulated", "made",
)  # fmt: skip


@click.command("editions")
@format_option
@click.option("--json", "as_json", is_flag=True, help="Same as --format json.")
@click.pass_obj
def command(settings: Settings, style: str, as_json: bool) -> None:
    """List the editions with their queries and judgments, by grade and by origin. For editions you may not read, lists only
    names.
    """
    with connect(settings) as conn:
        stored = editions(conn)
        unseen = [one for one in hidden(conn) if one.edition not in {other.edition for other in stored}]
    if as_json or style == "json":
        click.echo(render(stored, list(EditionOverview._fields), style="json"))
        return
    told = [
        {
            "edition": one.edition,
            "split": one.split,
            "year": one.year and str(one.year),
            "queries": one.queries,
            "judgments": one.judgments,
            "grades": _counts(one.grades, key=int),
            "origins": _counts(one.origins),
            "rows": one.rows,
            "subtopics": one.subtopic_judgments or None,
            "scale": _scale(one.scale),
            "sealed": one.sealed and one.sealed.date(),
            "hidden": _seen(one),
            "simulated": "simulated" if one.simulated else None,
            "made": one.made.date(),
        }
        for one in stored
    ]
    facts = ("split", "year", "subtopics", "scale", "sealed", "hidden", "simulated")  # a table omits grades that no edition has
    headers = [name for name in _COLUMNS if name not in facts or style == "csv" or any(row[name] is not None for row in told)]
    click.echo(render([[row[name] for name in headers] for row in told], headers, style=style))
    if style == "table" and unseen:
        click.echo("hidden: " + ", ".join(one.edition if one.asks is None else f"{one.edition} ({_asks(one)})" for one in unseen))


def _asks(one: Hidden) -> str:
    return counted(one.asks or 0, "request") + " per team" + ("" if one.left is None else f", {one.left} left")


def _seen(one: EditionOverview) -> str | None:
    if one.hidden:
        return "hidden"
    return f"released {one.released:%F}" if one.released else None


def _scale(scale: dict[str, int] | None) -> str | None:
    """Return the name of the mapping, or ``0=0 1=0 2=1`` if it has none."""
    if scale is None:
        return None
    grades = {int(theirs): ours for theirs, ours in scale.items()}
    named = [name for name, known in SCALES.items() if known == grades]
    return named[0] if named else " ".join(f"{theirs}={grades[theirs]}" for theirs in sorted(grades))


def _counts(counts: dict[str, int], *, key: Any = str) -> str:
    """Return grades and counts as ``0: 1,457  1: 401``."""
    return "  ".join(f"{name}: {counts[name]:,}" for name in sorted(counts, key=key))
