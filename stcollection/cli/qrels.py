"""``stc qrels``: judgments by edition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stcollection.cli.output import format_option, render
from stcollection.cli.runs import FILE, output, unknown, unknown_docs_option, unknown_queries_option
from stcollection.cli.scoring import import_preferences_
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.editions import Overview, drop_edition, editions, export_qrels
from stcollection.qrels.expand import expand
from stcollection.qrels.formats import read_grades
from stcollection.qrels.load import ON_DUPLICATE, ORIGINS, import_qrels


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
@click.option(
    "--map", "mapping", metavar="GRADES",
    help="The grade to store for each one of the file; for Cranfield's degrees 1=4,2=3,3=2,4=1,-1=0.  [default: as they are]",
)  # fmt: skip
@click.option(
    "--on-duplicate", type=click.Choice(ON_DUPLICATE), default="error", show_default=True,
    help="Another grade for a document the file has judged before: stop, or keep the first.",
)  # fmt: skip
@unknown_docs_option
@unknown_queries_option
@click.pass_obj
def import_(settings: Settings, /, files: tuple[Path, ...], mapping: str | None, **options: Any) -> None:
    """Append the judgments of FILES to an edition: TREC's query iter doc grade, Cranfield's, CACM's, CSV with a header.

    Each file is stored wholly or not at all. What is stored already changes nothing; another grade by the same annotator is an
    error. Plain, .gz or .zst; irds:NAME takes the judgments of a collection of ir_datasets.
    """
    grades = None if mapping is None else read_grades(mapping)
    with connect(settings) as conn:
        for file in map(Path, files):
            done = import_qrels(conn, file, grades=grades, **options)
            told = [f"{file}: {done.judgments:,} judgments on {done.queries:,} queries, {done.added:,} added"]
            if done.unchanged:
                told.append(f"{done.unchanged:,} stored already")
            if done.duplicates:
                told.append(f"{done.duplicates:,} duplicates dropped")
            click.echo("; ".join([*told, *unknown(done)]))


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


@qrels.command("editions")
@format_option
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.pass_obj
def editions_(settings: Settings, style: str, as_json: bool) -> None:
    """The editions: queries, judgments, and how many by grade and by origin."""
    with connect(settings) as conn:
        stored = editions(conn)
    if as_json or style == "json":
        click.echo(render(stored, list(Overview._fields), style="json"))
        return
    rows = [
        (one.edition, one.queries, one.judgments, _counts(one.grades, key=int), _counts(one.origins), one.rows, one.made.date())
        for one in stored
    ]
    click.echo(render(rows, ["edition", "queries", "judgments", "grades", "origins", "rows", "made"], style=style))


def _counts(counts: dict[str, int], *, key: Any = str) -> str:
    """``0: 1,457  1: 401``"""
    return "  ".join(f"{name}: {counts[name]:,}" for name in sorted(counts, key=key))


@qrels.command("drop")
@click.argument("edition")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def drop_(settings: Settings, edition: str, yes: bool) -> None:
    """Remove an EDITION, all of it; the one way to remove judgments."""
    if not yes:
        click.confirm(f"Remove the edition {edition!r} and all its judgments?", abort=True)
    with connect(settings) as conn:
        count = drop_edition(conn, edition)
    click.echo(f"removed the edition {edition!r}: {count:,} judgments")


@qrels.command("expand")
@click.option("--edition", required=True, help="The edition to expand; it stays as it is.")
@click.option("--into", help="The new edition.  [default: the edition's name with -knn]")
@click.option(
    "--neighbours",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Nearest titles of each relevant document at most.",
)
@click.option("--threshold", type=click.FloatRange(-1, 1), default=0.8, show_default=True, help="The cosine they must have.")
@click.option("--from-rel", type=int, default=2, show_default=True, help="The lowest grade that is expanded.")
@click.option("--rel", type=int, help="The grade the neighbours get.  [default: that of the document they are near to]")
@click.pass_obj
def expand_(settings: Settings, /, edition: str, into: str | None, **options: Any) -> None:
    """Make a new edition of another's judgments and the neighbours of its relevant documents by title.

    Never over a judgment, never a document as its own neighbour; each neighbour keeps its source document and similarity.
    """
    with connect(settings) as conn:
        done = expand(conn, edition=edition, into=into, **options)
    told = f"{done.expansion}: {done.copied:,} judgments of {edition}, {done.added:,} by neighbours of {done.sources:,} documents"
    click.echo(told + (f"; {done.without_vector:,} without a title vector" if done.without_vector else ""))
