"""The command ``stc export run``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options import packed
from stcollection.cli.options.completion import complete_runs
from stcollection.cli.options.files import export_option
from stcollection.cli.options.formats import FormatName
from stcollection.cli.options.licences import licence_option
from stcollection.cli.options.queries import queries_option
from stcollection.cli.output import output
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.runs.export import ExportOptions, export_run
from stcollection.runs.made import metadata_of
from stcollection.runs.metadata import as_header, dump
from stcollection.runs.names import stem


@click.command("export")
@click.argument("name", shell_complete=complete_runs)
@click.option(
    "--format", "layout", type=FormatName("runs", written=True), default="trec", show_default=True, help="Format to write."
)
@click.option(
    "--score",
    type=click.Choice(["rel", "comb"]),
    default="rel",
    show_default=True,
    help="Score to rank by: relevance, or relevance and readability combined.",
)
@click.option("--depth", type=click.IntRange(min=1), help="Number of documents per query.  [default: all]")
@queries_option
@click.option("--team", help="Team in the run_id of a SimpleText file.  [default: the run's, else stc]")
@click.option(
    "--with-metadata",
    type=click.Choice(["file", "header"]),
    help="Also write the run's metadata (ir_metadata): to a YAML file next to --out, or as comments in the header of a TREC "
    "file, which pytrec_eval and older versions of trec_eval cannot read.",
)
@licence_option("Write passages only of documents with these licences")
@packed(ExportOptions, "options")
@export_option
@click.pass_obj
def command(
    settings: Settings, name: str, layout: str, options: ExportOptions, with_metadata: str | None, out: Path | None
) -> None:
    """Export the run NAME. Importing the file, or scoring it with trec_eval, gives the same ranks.

    A SimpleText file is a valid submission. Scores are in [0, 1], in the same order and without new ties. The passage is the
    sentence of the abstract with the most query words. comb_score is rel_score if the run has none. simpletext-2022 is
    tab-separated, has no scores, and at most 100 documents per topic; rankings are cut to fit.
    """
    _check(with_metadata, layout, out)
    with connect(settings) as conn, output(out) as file:
        metadata = metadata_of(conn, name) if with_metadata else {}
        if with_metadata == "header":
            file.write(as_header(metadata).encode())
        done = export_run(conn, name, file, layout=layout, options=options)
    if with_metadata == "file" and out is not None:
        beside = out.with_name(f"{stem(out)}.yml")
        with output(beside) as file:
            file.write(dump(metadata).encode())
        aside(f"{beside}: metadata")
    if done.without_passage:
        why = "no text in the collection, or another licence" if options.licences else "no text in the collection"
        aside(f"{counted(done.without_passage, 'document has', 'documents have')} {why}; their passage is empty")
    if done.cut:
        aside(f"{counted(done.cut, 'document')} left out: the format allows 100 per topic")
    if out is not None:
        click.echo(f"{out}: {counted(done.ranked, 'document')} ranked for {counted(done.queries, 'query')}")


def _check(with_metadata: str | None, layout: str, out: Path | None) -> None:
    if with_metadata == "header" and layout != "trec":
        raise click.UsageError("only TREC files have comments; use --with-metadata file")
    if with_metadata == "file" and out is None:
        raise click.UsageError("--with-metadata file writes a second file, so it needs --out")
