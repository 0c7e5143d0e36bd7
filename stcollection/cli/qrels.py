"""``stc qrels``: judgments by edition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stcollection.cli import diffing
from stcollection.cli import editions as commands
from stcollection.cli.agreeing import agreement_
from stcollection.cli.asking import llm
from stcollection.cli.expanding import expand
from stcollection.cli.hiding import allow_, hide_, release_
from stcollection.cli.judging import judge
from stcollection.cli.output import format_option, render, tell_simulated
from stcollection.cli.pooling import pool
from stcollection.cli.runs import FILE, output, unknown, unknown_docs_option, unknown_queries_option
from stcollection.cli.scoring import import_preferences_
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.asks import Hidden, hidden
from stcollection.io.qrels.judgments import SCALES, read_grades
from stcollection.qrels.editions import Overview, drop_edition, editions, export_qrels
from stcollection.qrels.load import ON_DUPLICATE, ORIGINS, import_qrels

_COLUMNS = (
    "edition", "split", "year", "queries", "judgments", "grades", "origins", "rows", "scale", "sealed", "hidden", "simulated",
    "made",
)  # fmt: skip


@click.group()
def qrels() -> None:
    """Judgments by edition. They are append-only: added, never changed."""


qrels.add_command(import_preferences_)


@qrels.command("import")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--edition", required=True, help="The edition they go to; made if it is not there.")
@click.option("--annotator", help="Who judged.  [default: the file's column of that name, else nobody by name]")
@click.option("--origin", type=click.Choice(ORIGINS), help="What judged.  [default: the file's column of that name, else human]")
@click.option(
    "--columns", metavar="NAMES", help="What the columns are, as query,_,doc,rel; _ is left aside.  [default: told by the lines]"
)
@commands.map_option
@click.option(
    "--best-grade",
    type=click.IntRange(1, 1),
    help="1 is the best grade, as in Cranfield's judgments: store the grades the other way round.",
)
@click.option(
    "--on-duplicate", type=click.Choice(ON_DUPLICATE), default="error", show_default=True,
    help="Another grade for a document the file has judged before: stop, or keep the first.",
)  # fmt: skip
@unknown_docs_option
@unknown_queries_option
@commands.facts
@click.option("--simulated", is_flag=True, help="The judgments were made up: mark the edition, and whatever shows it.")
@click.option("--open", "open_", is_flag=True, help="Do not hide a new edition of --split test from participants and readers.")
@click.pass_obj
def import_(settings: Settings, /, files: tuple[Path, ...], mapping: str | None, open_: bool, **options: Any) -> None:
    """Append the judgments of FILES to an edition: TREC's query iter doc grade, Cranfield's, CACM's, CSV with a header.

    Each file is stored wholly or not at all. What is stored already changes nothing; another grade by the same annotator is an
    error. Plain or compressed; irds:NAME takes the judgments of a collection of ir_datasets. A file that is not what it was when it
    was imported before is told. A new edition of --split test is hidden from participants and readers: 'stc qrels release'.
    """
    grades = None if mapping is None else read_grades(mapping)
    with connect(settings) as conn:
        for file in map(Path, files):
            done = import_qrels(conn, file, grades=grades, warn=_warn, hidden=False if open_ else None, **options)
            told = [f"{file}: {done.judgments:,} judgments on {done.queries:,} queries, {done.added:,} added"]
            if done.unchanged:
                told.append(f"{done.unchanged:,} stored already")
            if done.duplicates:
                told.append(f"{done.duplicates:,} duplicates dropped")
            click.echo("; ".join([*told, *unknown(done)]))


def _warn(told: str) -> None:
    click.echo(f"stc: {told}", err=True)


@qrels.command("export")
@click.option("--edition", required=True, help="The edition to export.")
@click.option(
    "--format", "layout", type=click.Choice(["trec", "csv"]), default="trec", show_default=True, help="The format to write."
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The file to write.  [default: standard output]")
@click.pass_obj
def export_(settings: Settings, edition: str, layout: str, out: Path | None) -> None:
    """Export what an edition says: one judgment per query and document, human before llm before knn."""
    with connect(settings) as conn, output(out) as file:
        count = export_qrels(conn, edition, file, layout=layout)
    if out is not None:
        click.echo(f"{out}: {count:,} judgments")
    if layout == "trec":
        tell_simulated()


@qrels.command("editions")
@format_option
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.pass_obj
def editions_(settings: Settings, style: str, as_json: bool) -> None:
    """The editions: queries, judgments, and how many by grade and by origin; those that you may not see by their names."""
    with connect(settings) as conn:
        stored = editions(conn)
        unseen = [one for one in hidden(conn) if one.edition not in {other.edition for other in stored}]
    if as_json or style == "json":
        click.echo(render(stored, list(Overview._fields), style="json"))
        return
    told = [
        {
            "edition": one.edition, "split": one.split, "year": one.year and str(one.year), "queries": one.queries,
            "judgments": one.judgments, "grades": _counts(one.grades, key=int), "origins": _counts(one.origins), "rows": one.rows,
            "scale": _scale(one.scale), "sealed": one.sealed and one.sealed.date(), "hidden": _seen(one),
            "simulated": "simulated" if one.simulated else None, "made": one.made.date(),
        }
        for one in stored
    ]  # fmt: skip
    facts = ("split", "year", "scale", "sealed", "hidden", "simulated")  # a table leaves out those that no edition has
    headers = [name for name in _COLUMNS if name not in facts or style == "csv" or any(row[name] is not None for row in told)]
    click.echo(render([[row[name] for name in headers] for row in told], headers, style=style))
    if style == "table" and unseen:
        click.echo("hidden: " + ", ".join(one.edition if one.asks is None else f"{one.edition} ({_asks(one)})" for one in unseen))


def _asks(one: Hidden) -> str:
    return f"{one.asks} asks a team" + ("" if one.left is None else f", {one.left} left")


def _seen(one: Overview) -> str | None:
    if one.hidden:
        return "hidden"
    return f"released {one.released:%F}" if one.released else None


def _scale(scale: dict[str, int] | None) -> str | None:
    """The mapping by its name if it has one, else ``0=0 1=0 2=1``."""
    if scale is None:
        return None
    grades = {int(theirs): ours for theirs, ours in scale.items()}
    named = [name for name, known in SCALES.items() if known == grades]
    return named[0] if named else " ".join(f"{theirs}={grades[theirs]}" for theirs in sorted(grades))


def _counts(counts: dict[str, int], *, key: Any = str) -> str:
    """``0: 1,457  1: 401``"""
    return "  ".join(f"{name}: {counts[name]:,}" for name in sorted(counts, key=key))


@qrels.command("drop")
@click.argument("edition")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--even-sealed", is_flag=True, help="Also a sealed one, on which others may rely.")
@click.pass_obj
def drop_(settings: Settings, edition: str, yes: bool, even_sealed: bool) -> None:
    """Remove an EDITION, all of it; the one way to remove judgments."""
    if not yes:
        click.confirm(f"Remove the edition {edition!r} and all its judgments?", abort=True)
    with connect(settings) as conn:
        count = drop_edition(conn, edition, even_sealed=even_sealed)
    click.echo(f"removed the edition {edition!r}: {count:,} judgments")


for command in (
    expand, commands.derive_, commands.describe_, commands.files_, commands.check_, commands.seal_, commands.verify_,
    hide_, release_, allow_,
    diffing.diff_, diffing.impact_, agreement_, pool, judge, llm,
):  # fmt: skip
    qrels.add_command(command)
