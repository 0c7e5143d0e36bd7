"""The command ``stc qrels import-preferences``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.editions import needed_edition_option
from stcollection.cli.options.files import FILE, unknown_docs_option, unknown_queries_option
from stcollection.cli.output import unknown
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.preferences import import_preferences


@click.command("import-preferences")
@click.argument("files", nargs=-1, required=True, type=FILE)
@needed_edition_option("Edition to add the preferences to; created if it does not exist.")
@unknown_docs_option
@unknown_queries_option
@click.pass_obj
def command(settings: Settings, files: tuple[Path, ...], edition: str, unknown_documents: str, unknown_queries: str) -> None:
    """Add the preferences in FILE to an edition, in the format of trec_eval -R prefs: query, group, subgroup, document, level.

    Each file is stored completely or not at all. Preferences that are already stored change nothing; a different level is an
    error.
    """
    with connect(settings) as conn:
        for file in files:
            done = import_preferences(
                conn, file, edition=edition, unknown_documents=unknown_documents, unknown_queries=unknown_queries
            )
            told = [
                f"{file}: {counted(done.levels, 'level')} in {counted(done.groups, 'group')} on"
                f" {counted(done.queries, 'query')}, {done.added:,} added"
            ]
            if done.unchanged:
                told.append(f"{done.unchanged:,} stored already")
            if done.duplicates:
                told.append(f"{counted(done.duplicates, 'duplicate')} dropped")
            click.echo("; ".join([*told, *unknown(done)]))
