"""``stc qrels pool``: documents chosen to be judged, sheets for assessors, and judgments made of them."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import click

from stcollection.cli.output import format_option, render
from stcollection.cli.runs import FILE, output
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.qrels import pools as stored
from stcollection.qrels.sheets import LAYOUTS, BadSheet, export_sheet, import_sheet, submit_pool

_ORDERS = ("runs", "queries", "teams", "depth")
edition_option = click.option(
    "--edition", metavar="EDITION", help="Whose judgments count.  [default: the grades on the pool's own sheets]"
)
relevant_option = click.option(
    "--relevant", type=click.IntRange(min=1), default=1, show_default=True, help="The lowest grade that is relevant."
)


def _names(_: click.Context, __: click.Parameter, value: str | None) -> list[str]:
    return [name for name in (part.strip() for part in (value or "").split(",")) if name]


def _share(_: click.Context, __: click.Parameter, value: str) -> Decimal:
    try:
        return Decimal(value)
    except InvalidOperation:
        raise click.BadParameter(f"{value!r} is no number") from None


@click.group("pool")
def pool() -> None:
    """Choose documents to be judged, hand them to assessors, and make their grades an edition."""


@pool.command("make")
@click.argument("name")
@click.argument("runs", nargs=-1)
@click.option("--depth", type=int, help="Ranks of each run that are pooled.  [default: 10; with --effect 100]")
@click.option("--teams", type=int, default=1, show_default=True, help="Only what runs of so many teams have within the depth.")
@click.option("--strata", metavar="STRATA", help="A share of each stratum of best ranks, as 1-10:1.0,11-50:0.2.")
@click.option("--effect", type=int, metavar="N", help="The N documents that are expected to tell the runs apart best.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of what is drawn and of the order it is shown in.")
@click.option("--queries", metavar="NAMES", callback=_names, help="Only these, separated by commas.  [default: all]")
@click.option("--without", metavar="EDITION", help="Leave out what it has judged; with --effect it is what is known so far.")
@click.option("--measure", default="AP", show_default=True, help="That the effect is expected on: AP or nDCG@k.")
@relevant_option
@click.option("--grades", default="0-2", show_default=True, callback=lambda _, __, scale: stored.read_scale(scale),
                  help="The scale, as 0-2 or 0=not relevant,1=relevant.")  # fmt: skip
@click.pass_obj
def make_(settings: Settings, /, name: str, **options: Any) -> None:
    """Make a pool of the first documents of RUNS, of all stored runs if none is named.

    The same seed gives the same pool in the same order, on any server.
    """
    with connect(settings) as conn:
        done = stored.make_pool(conn, name, **options)
    click.echo(f"{name}: {done.documents:,} documents for {done.pooled_queries:,} queries")
    if done.without_text:
        click.echo(f"{done.without_text:,} of them have no text here by which they could be assessed", err=True)


@pool.command("list")
@format_option
@click.pass_obj
def list_(settings: Settings, style: str) -> None:
    """The pools, and how far their assessment is."""
    with connect(settings) as conn:
        found = stored.pools(conn)
    if style == "json":
        click.echo(render(found, list(stored.Overview._fields), style="json"))
        return
    rows = [
        (one.pool, one.method, len(one.params["runs"]), one.queries, one.documents, one.judged, ", ".join(one.annotators),
         one.grades, one.submitted, one.made.date())
        for one in found
    ]  # fmt: skip
    names = ["pool", "method", "runs", "queries", "documents", "judged", "annotators", "grades", "submitted", "made"]
    click.echo(render(rows, names, style=style))


@pool.command("show")
@click.argument("name")
@click.option("--by", type=click.Choice(_ORDERS), default="runs", show_default=True,
                  help="What each run contributed; each query; how far teams contributed the same; what a deeper pool found.")  # fmt: skip
@edition_option
@relevant_option
@format_option
@click.pass_obj
def show_(settings: Settings, name: str, by: str, edition: str | None, relevant: int, style: str) -> None:
    """What is in the pool NAME and who contributed it.

    unique: no other run of the pool has it within the depth; (team): no run of another team.
    """
    rows: list[Any]
    with connect(settings) as conn:
        if by == "runs":
            rows = list(stored.contributions(conn, name, edition=edition, relevant=relevant))
            names = ["run", "team", "documents", "unique", "unique (team)", "judged", "relevant", "unique relevant",
                     "unique relevant (team)"]  # fmt: skip
        elif by == "queries":
            rows = list(stored.pool_queries(conn, name, edition=edition, relevant=relevant))
            names = ["query", "text", "documents", "judged", "relevant"]
        elif by == "teams":
            teams, common = stored.overlap(conn, name)
            rows = [(team, *counts) for team, counts in zip(teams, common, strict=True)]
            names = ["team", *teams]
        else:
            rows = list(stored.depths(conn, name, edition=edition, relevant=relevant))
            names = ["depth", "documents", "judged", "relevant", "estimate"]
            if all(row.estimate is None for row in rows):
                rows, names = [row[:4] for row in rows], names[:4]
    click.echo(render(rows, names, style=style))


@pool.command("drop")
@click.argument("name")
@click.option("--drafts", is_flag=True, help="Even if grades are lost that were never submitted.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def drop_(settings: Settings, name: str, drafts: bool, yes: bool) -> None:
    """Remove the pool NAME with its sheets. Submitted judgments stay in their editions."""
    if not yes:
        click.confirm(f"Remove the pool {name!r}?", abort=True)
    with connect(settings) as conn:
        count = stored.drop_pool(conn, name, drafts=drafts)
    click.echo(f"removed the pool {name!r}: {count:,} documents")


@pool.command("export")
@click.argument("name")
@click.option("--out", required=True, type=click.Path(path_type=Path),
                  help="The file to write; of several annotators the folder, a file each.")  # fmt: skip
@click.option("--annotator", metavar="ANNOTATOR", help="Whose sheet.  [default: of all the pool is shared among]")
@click.option(
    "--annotators", metavar="NAMES", callback=_names, help="Share the pool among these, separated by commas, then export."
)
@click.option(
    "--overlap", default="0", show_default=True, callback=_share, help="Share of the documents that two annotators judge."
)
@click.option(
    "--format", "layout", type=click.Choice(LAYOUTS), default="csv", show_default=True, help="CSV for spreadsheets, or JSON lines."
)
@click.pass_obj
def export_(
    settings: Settings, name: str, out: Path, annotator: str | None, annotators: list[str], overlap: Decimal, layout: str
) -> None:
    """Write sheets of the pool NAME for assessors: topic, query, title and abstract, in an order of each one's own.

    Blind: no run, rank or score. They fill in the columns grade and note, and 'stc qrels pool import' takes them back.
    """
    with connect(settings) as conn:
        if annotators:
            stored.share_pool(conn, name, annotators=annotators, overlap=overlap)
        elif overlap:
            raise BadArgument(
                "an overlap of nobody's sheets", hint="Name who shares the pool: --annotators anna,ben --overlap 0.2."
            )
        shared = next((one.params.get("shares", {}).get("annotators", []) for one in stored.pools(conn) if one.pool == name), [])
        people = [annotator] if annotator else shared
        if not people:
            raise BadArgument("a sheet of nobody", hint="Say whose: --annotator anna, or --annotators anna,ben --overlap 0.2.")
        if annotator or (len(people) == 1 and not out.is_dir()):
            files = {people[0]: out}
        else:
            if out.exists() and not out.is_dir():
                raise BadArgument(f"{out} is a file", hint="Several sheets go to a folder.")
            out.mkdir(parents=True, exist_ok=True)
            files = {one: out / f"{_file_name(one)}.{layout}" for one in people}
            if len(set(files.values())) < len(files):
                raise BadArgument("two annotators' sheets would be one file", hint="Export them one by one, with --annotator.")
        for one, path in files.items():
            with output(path) as file:
                count = export_sheet(conn, name, file, annotator=one, layout=layout)
            click.echo(f"{path}: {count:,} documents for {one}")


def _file_name(annotator: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in annotator)


@pool.command("import")
@click.argument("name")
@click.argument("file", type=FILE)
@click.option("--annotator", required=True, help="Whose sheet it is.")
@click.pass_obj
def import_(settings: Settings, name: str, file: Path, annotator: str) -> None:
    """Take the grades of a sheet FILE of the pool NAME, all or none. A blank grade is not judged yet.

    The grades are drafts until 'stc qrels pool submit'; the sheet can come again, with more or other grades.
    """
    with connect(settings) as conn:
        try:
            done = import_sheet(conn, name, file, annotator=annotator)
        except BadSheet as error:
            for fault in error.faults[1:]:
                click.echo(f"{file}:{fault.line}: {fault.what}", err=True)
            raise
    told = [f"{file}: {done.graded:,} new grades by {annotator}"]
    told += [f"{done.regraded:,} changed"] if done.regraded else []
    told += [f"{done.unchanged:,} as stored"] if done.unchanged else []
    click.echo("; ".join([*told, f"{done.blank:,} not judged yet"]))


@pool.command("submit")
@click.argument("name")
@click.option("--edition", required=True, help="The edition they go to; made if it is not there.")
@click.option("--annotator", "annotators", multiple=True, help="Whose sheet; repeat it.  [default: all]")
@click.pass_obj
def submit_(settings: Settings, name: str, edition: str, annotators: tuple[str, ...]) -> None:
    """Make the grades on the sheets of the pool NAME judgments of an edition, all or none. From then on they stay as they are."""
    with connect(settings) as conn:
        done = submit_pool(conn, name, edition=edition, annotators=annotators)
    told = f"{edition}: {done.added:,} judgments added" + (f"; {done.unchanged:,} stored already" if done.unchanged else "")
    click.echo(told + (f"; {done.left_open:,} not judged yet" if done.left_open else ""))
