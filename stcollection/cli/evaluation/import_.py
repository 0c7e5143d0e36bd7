"""The command ``stc evaluation import``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.files import FILE, unknown_queries_option
from stcollection.cli.output import unknown
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.imported import import_scores, read_families


@click.command("import")
@click.argument("file", type=FILE)
@edition_option
@click.option("--run", help="The run's name; of a file of several systems, the only one to take.  [default: as the file says]")
@click.option("--family", help="The kind of system, as sparse or dense, of the runs it makes.")
@click.option("--families", type=FILE, help="A table with a header that names the family of each: system, family, …")
@unknown_queries_option
@click.option("--replace", is_flag=True, help="Put a value in the place of a stored one, which is an error otherwise.")
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
    """Store the scores of FILE, computed by others: the output of trec_eval -q, or lines of system, measure, query, value.

    The runs are made, without rankings; analyses read these scores as if they were computed here. FILE is stored wholly or not at
    all. What is stored already changes nothing.
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
    told = [f"{file}: {done.scores:,} scores of {done.runs:,} runs on {done.queries:,} queries, {done.added:,} added"]
    for count, what in (
        (done.replaced, "replaced"),
        (done.unchanged, "stored already"),
        (done.duplicates, "duplicates dropped"),
        (done.aside, "lines of summaries or text left aside"),
        (done.new_runs, "new runs, without rankings"),
    ):
        if count:
            told.append(f"{count:,} {what}")
    click.echo("; ".join([*told, *unknown(done)]))
