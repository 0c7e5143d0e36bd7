"""The command ``stc qrels pool export``."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path

import click

from stcollection.cli.options.pools import names
from stcollection.cli.output import output
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.qrels import pools as stored
from stcollection.qrels.sheets import LAYOUTS, export_sheet


def _share(_: click.Context, __: click.Parameter, value: str) -> Decimal:
    try:
        return Decimal(value)
    except InvalidOperation:
        raise click.BadParameter(f"{value!r} is no number") from None


@click.command("export")
@click.argument("name")
@click.option("--out", required=True, type=click.Path(path_type=Path),
                  help="The file to write; of several annotators the folder, a file each.")  # fmt: skip
@click.option("--annotator", metavar="ANNOTATOR", help="Whose sheet.  [default: of all the pool is shared among]")
@click.option("--annotators", metavar="NAMES", callback=names, help="Share the pool among these, separated by commas, then export.")
@click.option(
    "--overlap", default="0", show_default=True, callback=_share, help="Share of the documents that two annotators judge."
)
@click.option(
    "--format", "layout", type=click.Choice(LAYOUTS), default="csv", show_default=True, help="CSV for spreadsheets, or JSON lines."
)
@click.pass_obj
def command(
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
        shared: list[str] = next(
            (one.params.get("shares", {}).get("annotators", []) for one in stored.pools(conn) if one.pool == name), []
        )
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
