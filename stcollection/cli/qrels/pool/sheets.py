"""Commands on the sheets of assessors: export, import, submission, comparisons, and links to the page."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.errors import print_faults
from stcollection.cli.options.files import OutputPath
from stcollection.cli.options.licences import licence_option
from stcollection.cli.output import output, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.comparisons import PairProgress, pair_progress, submit_pairs
from stcollection.qrels.invitations import Invitations
from stcollection.qrels.pools import sheets_of
from stcollection.qrels.sheets import LAYOUTS, Filled, Submitted, export_sheet, import_sheet, sheet_files, submit_pool
from stcollection.web import ports


def _names(_: click.Context, __: click.Parameter, value: str | None) -> list[str]:
    return [name for name in (part.strip() for part in (value or "").split(",")) if name]


def _share(_: click.Context, __: click.Parameter, value: str) -> Decimal:
    try:
        return Decimal(value)
    except InvalidOperation:
        raise click.BadParameter(f"{value!r} is not a number") from None


@click.command("export")
@click.argument("name")
@click.option(
    "--out",
    required=True,
    metavar="PATH",
    type=OutputPath(folder=True),
    help="Write to this file; for several annotators, to this folder, one file each.",
)
@click.option(
    "--annotator", metavar="ANNOTATOR", help="Export this annotator's sheet.  [default: the sheets of all annotators of the pool]"
)
@click.option(
    "--annotators", metavar="LIST", callback=_names, help="Distribute the pool to these annotators (comma-separated), then export."
)
@click.option(
    "--overlap",
    metavar="SHARE",
    default="0",
    show_default=True,
    callback=_share,
    help="Share of the documents that two annotators judge.",
)
@click.option(
    "--format", "layout", type=click.Choice(LAYOUTS), default="csv", show_default=True, help="CSV for spreadsheets, or JSON lines."
)
@licence_option("Only documents with these licences")
@click.pass_obj
def export_command(
    settings: Settings,
    name: str,
    out: Path,
    annotator: str | None,
    annotators: list[str],
    overlap: Decimal,
    layout: str,
    licences: tuple[str, ...],
) -> None:
    """Export sheets of the pool NAME for assessors: topic, query, title and abstract, in a different order for each assessor.

    Sheets show no run, rank or score. Assessors fill in the columns grade and note, and 'stc load --as pool' reads them.
    """
    with connect(settings) as conn:
        people = sheets_of(conn, name, annotator=annotator, annotators=annotators, overlap=overlap)
        for person, path in sheet_files(out, people, layout=layout, single=annotator is not None).items():
            with output(path) as file:
                count = export_sheet(conn, name, file, annotator=person, layout=layout, licences=licences)
            click.echo(f"{path}: {counted(count, 'document')} for {person}")


@command(import_sheet)
def import_command(call: Call[Filled]) -> None:
    """Import the grades of a sheet FILE of the pool NAME, all or none. A blank grade means not yet judged.

    Grades are drafts until 'stc pool submit'. A sheet can be imported again with more or different grades.
    """
    path, annotator = call.given["path"], call.given["annotator"]
    with connect(call.settings) as conn, print_faults(path):
        filled = call(conn)
    phrases = [f"{path}: {counted(filled.graded, 'new grade')} by {annotator}"]
    phrases += [f"{filled.regraded:,} changed"] if filled.regraded else []
    phrases += [f"{filled.unchanged:,} unchanged"] if filled.unchanged else []
    click.echo("; ".join([*phrases, f"{filled.blank:,} not judged yet"]))


@command(submit_pool)
def submit_command(call: Call[Submitted], *, pairs: bool = False) -> None:
    """Submit the grades on the sheets of the pool NAME as judgments of an edition, all or none. They can no longer change.

    :param pairs: Submit orders of compared documents, as preferences, instead of grades.
    """
    edition = call.given["edition"]
    with connect(call.settings) as conn:
        if pairs:
            orders = submit_pairs(conn, **call.given)
            added = f"{counted(orders.added, 'preference level')} added for {counted(orders.queries, 'query')} and annotators"
            open_ = f"; {counted(orders.incomplete, 'order')} not complete yet" if orders.incomplete else ""
            unchanged = orders.unchanged
        else:
            sheets = call(conn)
            added = f"{counted(sheets.added, 'judgment')} added"
            open_ = f"; {sheets.left_open:,} not judged yet" if sheets.left_open else ""
            unchanged = sheets.unchanged
    click.echo(f"{edition}: {added}{f'; {unchanged:,} stored already' if unchanged else ''}{open_}")


@command(pair_progress)
def pairs_command(call: Call[list[PairProgress]], *, style: Style = "table") -> None:
    """List the comparisons of documents of the pool NAME, by annotator and query.

    Annotators compare documents on the page (stc serve page, Judging, Pairs). 'stc pool submit --pairs' stores complete orders
    as preferences.
    """
    progress = call.once()
    names = [field for field in PairProgress._fields if style == "json" or field != "query_text"]
    click.echo(render(progress if style == "json" else [_row(row) for row in progress], names, style=style))


def _row(row: PairProgress) -> tuple[object, ...]:
    seconds = "" if row.median_seconds is None else f"{row.median_seconds:.0f}"
    counts = (row.documents, row.placed, row.aside, row.compared, row.remaining)
    return (row.annotator, row.query, *counts, seconds, "yes" if row.submitted else "")


@click.command("invite")
@click.argument("name", required=False)
@click.option("--annotator", metavar="ANNOTATOR", help="Name under which the assessor judges.")
@click.option("--days", type=float, default=14, show_default=True, help="Days until the link expires.")
@click.option("--page", metavar="URL", default=f"http://127.0.0.1:{ports.EXPLORE}", show_default=True, help="Address of the page.")
@click.option("--revoke-all", is_flag=True, help="Make all invitations of the collection invalid, and make no new one.")
@click.pass_obj
def invite_command(settings: Settings, name: str | None, annotator: str | None, days: float, page: str, revoke_all: bool) -> None:
    """Print a link with which an assessor judges the pool NAME on the page, without a login.

    The page shows the assessor only this sheet. 'stc serve page' must run on this machine with the same STC_HOME.
    """
    invitations = Invitations(settings.home, settings.db)
    if revoke_all:
        if name or annotator:
            raise BadArgument("--revoke-all concerns all pools and annotators", hint="Leave out NAME and --annotator.")
        invitations.revoke()
        click.echo(f"all invitations of the collection {settings.db!r} are revoked")
        return
    if not name or not annotator:
        raise BadArgument("an invitation needs a pool and --annotator", hint="'stc show pools' shows the pools.")
    if urlsplit(page).scheme not in ("http", "https") or urlsplit(page).path not in ("", "/") or not urlsplit(page).netloc:
        raise BadArgument(f"{page!r} is not the address of a page", hint="Write it like https://collection.example.")
    with connect(settings) as conn:
        AssessorSheet(conn, name, annotator).progress()  # the pool exists and is shared with the annotator
    token = invitations.make(name, annotator, days=days)
    click.echo(f"{page.removesuffix('/')}/invited?{urlencode({'invitation': token})}")
