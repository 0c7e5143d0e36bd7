"""The command ``stc runs import``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options import packed
from stcollection.cli.options.files import FILE, unknown_docs_option, unknown_queries_option
from stcollection.cli.options.formats import FormatName
from stcollection.cli.output import ProgressBar, unknown
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.incoming import import_runs
from stcollection.runs.load import ON_DUPLICATE, ImportOptions


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option(
    "--name", help="The run's name.  [default: the run_id of a SimpleText file; the name of a TREC file without .run, .txt, .gz …]"
)
@click.option("--format", "layout", type=FormatName("runs"), help="The format of the files.  [default: recognised]")
@click.option(
    "--score",
    type=click.Choice(["rel", "comb"]),
    default="rel",
    show_default=True,
    help="What ranks the documents of a SimpleText file: its rel_score, or its comb_score.",
)
@click.option(
    "--on-duplicate",
    type=click.Choice(ON_DUPLICATE),
    default="error",
    show_default=True,
    help="A document ranked twice for a query: stop, keep the first in the file, or the one with the best score.",
)
@unknown_docs_option
@unknown_queries_option
@click.option("--replace", is_flag=True, help="Put it in the place of a stored run of its name, which is an error otherwise.")
@click.option("--team", help="The team.  [default: the first part of a SimpleText run_id]")
@click.option("--family", help="The kind of system, as sparse or dense, to compare by.")
@click.option("--manual/--automatic", default=None, help="Whether a person had a hand in it.  [default: as the file says]")
@click.option(
    "--metadata", type=FILE, help="A YAML file (ir_metadata) that tells how it was made.  [default: the one beside it, or its head]"
)
@click.pass_obj
@packed(ImportOptions, "options")
def command(settings: Settings, /, files: tuple[Path, ...], name: str | None, options: ImportOptions) -> None:
    """Import FILES, each a run: TREC's six columns, SimpleText's JSON or its tab-separated format of 2022; plain or compressed.

    Each file is stored wholly or not at all. Ranks are computed by trec_eval's rule: by score in single precision, equal ones by
    docno, both descending; the file's own ranks are kept beside them. A file that is stored under its name changes nothing.

    Metadata (ir_metadata) comes along from mine.yml beside mine.run, or from the comments at the head of a TREC file. In the
    tab-separated format a document may have several passages: they become one, a line each.
    """
    with connect(settings) as conn, ProgressBar("import", unit="B", scale=True) as bar:
        for done in import_runs(conn, [Path(file) for file in files], name=name, options=options, progress=bar):
            if done.already:
                click.echo(f"{done.path}: imported already as {done.run}, nothing changed")
                continue
            counts = done.counts
            told = [f"{done.path}: run {done.run}, {counts.ranked:,} documents ranked for {counts.queries:,} queries"]
            if counts.duplicates:
                told.append(f"{counts.duplicates:,} duplicates dropped")
            click.echo("; ".join([*told, *unknown(counts)]))
