"""The command ``stc load --as runs``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options import packed
from stcollection.cli.options.files import FILE, unknown_docs_option, unknown_queries_option
from stcollection.cli.options.formats import FormatName, run_columns_option
from stcollection.cli.output import ProgressBar, unknown
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.score import judge_each
from stcollection.runs.load import ImportOptions, import_runs
from stcollection.runs.policies import ON_DUPLICATE


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option(
    "--name", help="Name of the run.  [default: the run_id of a SimpleText file; the name of a TREC file without .run, .txt, .gz …]"
)
@click.option("--format", "layout", type=FormatName("runs"), help="Format of the files.  [default: recognised]")
@run_columns_option
@click.option(
    "--score",
    type=click.Choice(["rel", "comb"]),
    default="rel",
    show_default=True,
    help="Score of a SimpleText file to rank by: rel_score or comb_score.",
)
@click.option(
    "--on-duplicate",
    type=click.Choice(ON_DUPLICATE),
    default="error",
    show_default=True,
    help="If a query ranks a document twice: stop, keep the first entry, or keep the entry with the best score.",
)
@unknown_docs_option
@unknown_queries_option
@click.option("--replace", is_flag=True, help="Replace a stored run with this name; otherwise that is an error.")
@click.option("--team", help="Team of the run.  [default: the first part of a SimpleText run_id]")
@click.option("--family", help="Kind of system, such as sparse or dense, for comparisons.")
@click.option("--manual/--automatic", default=None, help="Whether people took part in making the run.  [default: as in the file]")
@click.option(
    "--metadata",
    type=FILE,
    help="YAML file (ir_metadata) that describes the run.  [default: the one next to the run, or the header of a TREC file]",
)
@click.pass_obj
@packed(ImportOptions, "options")
def command(settings: Settings, /, files: tuple[Path, ...], name: str | None, options: ImportOptions) -> None:
    """Import run files: TREC's six columns, SimpleText's JSON, or its tab-separated format of 2022; plain or compressed.

    Each file is stored completely or not at all. Ranks follow trec_eval's rule: by score in single precision, then by docno, both
    descending; the ranks in the file are stored as well. A file that is already stored under its name is skipped.

    Metadata (ir_metadata) is read from mine.yml next to mine.run, or from comments in the header of a TREC file. If the
    tab-separated format has several passages of a document, they are joined, one per line.
    """
    with connect(settings) as conn, ProgressBar("import", unit="B", scale=True) as bar:
        imported = import_runs(conn, [Path(file) for file in files], name=name, options=options, warn=_warn, progress=bar)
        for done in judge_each(conn, imported):
            if done.already:
                click.echo(f"{done.path}: imported already as {done.run}, nothing changed")
                continue
            counts = done.counts
            told = [
                f"{done.path}: run {done.run}, {counted(counts.ranked, 'document')} ranked for {counted(counts.queries, 'query')}"
            ]
            if counts.duplicates:
                told.append(f"{counted(counts.duplicates, 'duplicate')} dropped")
            click.echo("; ".join([*told, *unknown(counts)]))


def _warn(told: str) -> None:
    click.echo(f"stc: {told}", err=True)
