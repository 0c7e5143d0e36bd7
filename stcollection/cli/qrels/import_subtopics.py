"""The command ``stc qrels import-subtopics``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.editions import facts_options, needed_edition_option
from stcollection.cli.options.files import FILE, unknown_docs_option, unknown_queries_option
from stcollection.cli.output import unknown
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.editions import EditionFacts
from stcollection.qrels.subtopics import import_subtopics


@click.command("import-subtopics")
@click.argument("files", nargs=-1, required=True, type=FILE)
@needed_edition_option("Edition to add the judgments to; created if it does not exist.")
@unknown_docs_option
@unknown_queries_option
@facts_options
@click.option(
    "--no-hide",
    "hidden",
    type=bool,
    flag_value=False,
    default=None,
    help="Do not hide a new edition of --split test from participants and readers.",
)
@click.pass_obj
def command(
    settings: Settings,
    files: tuple[Path, ...],
    edition: str,
    unknown_documents: str,
    unknown_queries: str,
    facts: EditionFacts,
    hidden: bool | None,
) -> None:
    """Add the subtopic judgments in FILE to an edition, as in diversity tasks of TREC: query, subtopic, document, grade.

    Measures such as alpha_nDCG@20 are computed from them. Each file is stored completely or not at all; plain or compressed;
    irds:NAME imports those of an ir_datasets collection. Judgments that are already stored change nothing; a different grade is
    an error.
    """
    with connect(settings) as conn:
        for file in files:
            done = import_subtopics(
                conn,
                Path(file),
                edition=edition,
                unknown_documents=unknown_documents,
                unknown_queries=unknown_queries,
                facts=facts,
                hidden=hidden,
            )
            told = [
                f"{file}: {counted(done.judgments, 'judgment')} on"
                f" {counted(done.subtopics, 'subtopic')} of {counted(done.queries, 'query')},"
                f" {done.added:,} added"
            ]
            if done.unchanged:
                told.append(f"{done.unchanged:,} stored already")
            if done.duplicates:
                told.append(f"{counted(done.duplicates, 'duplicate')} dropped")
            click.echo("; ".join([*told, *unknown(done)]))
