"""The command ``stc load --as scores``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.files import FILE, unknown_queries_option
from stcollection.cli.output import unknown
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.imported import import_scores, read_families


@click.command("import")
@click.argument("file", type=FILE)
@edition_option
@click.option(
    "--run", help="Name of the run. If the file has several systems, import only this one.  [default: the name in the file]"
)
@click.option("--family", help="Kind of system of the new runs, such as sparse or dense.")
@click.option("--families", type=FILE, help="Table with a header and the family of each system: system, family, …")
@unknown_queries_option
@click.option("--replace", is_flag=True, help="Replace stored values that differ; otherwise that is an error.")
@click.pass_obj
def command(
    settings: Settings,
    file: Path,
    edition: str,
    run: str | None,
    family: str | None,
    families: Path | None,
    unknown_queries: str,
    replace: bool,
) -> None:
    """Import the scores in FILE, computed by others: output of trec_eval -q, or lines of system, measure, query, value.

    This creates runs without rankings; analyses use their scores like computed ones. FILE is imported completely or not at all.
    Stored values are skipped.
    """
    by_name = None if families is None else read_families(families)
    with connect(settings) as conn:
        done = import_scores(
            conn,
            file,
            edition=edition,
            run=run,
            family=family,
            families=by_name,
            unknown_queries=unknown_queries,
            replace_stored=replace,
        )
    told = [
        f"{file}: {counted(done.scores, 'score')} of {counted(done.runs, 'run')} on"
        f" {counted(done.queries, 'query')}, {done.added:,} added"
    ]
    for count, what in (
        (done.replaced, f"{done.replaced:,} replaced"),
        (done.unchanged, f"{done.unchanged:,} stored already"),
        (done.duplicates, f"{counted(done.duplicates, 'duplicate')} dropped"),
        (done.aside, f"{counted(done.aside, 'line')} of summaries or text ignored"),
        (done.new_runs, f"{counted(done.new_runs, 'new run')}, without rankings"),
    ):
        if count:
            told.append(what)
    click.echo("; ".join([*told, *unknown(done)]))
