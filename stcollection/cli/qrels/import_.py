"""The command ``stc qrels import``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options import packed
from stcollection.cli.options.editions import facts_options, map_option, needed_edition_option, no_hide_option
from stcollection.cli.options.files import FILE, relevance_option, unknown_docs_option, unknown_queries_option
from stcollection.cli.output import unknown
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.editions import EditionFacts
from stcollection.qrels.load import ON_DUPLICATE, ORIGINS, JudgmentOptions, import_qrels


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=FILE)
@needed_edition_option("Edition to add the judgments to; created if it does not exist.")
@click.option("--annotator", help="Name of the annotator.  [default: the file's column annotator, else none]")
@click.option(
    "--origin", type=click.Choice(ORIGINS), help="Origin of the judgments.  [default: the file's column origin, else human]"
)
@click.option(
    "--columns",
    metavar="NAMES",
    help="Columns of the file: query,_,doc,rel by position (_ ignores a column), or query=question,doc=paper,rel=useful by name.  "
    "[default: recognised]",
)
@map_option
@relevance_option
@click.option(
    "--best-grade",
    type=click.IntRange(1, 1),
    help="Grade 1 is the best, as in Cranfield's judgments: reverse the grades.",
)
@click.option(
    "--on-duplicate",
    type=click.Choice(ON_DUPLICATE),
    default="error",
    show_default=True,
    help="If the file judges a document twice with different grades: stop, or keep the first grade.",
)
@unknown_docs_option
@unknown_queries_option
@facts_options
@click.option("--simulated", is_flag=True, help="Mark the edition and all output from it as simulated: the judgments were made up.")
@no_hide_option
@click.pass_obj
@packed(JudgmentOptions, "options")
def command(settings: Settings, /, files: tuple[Path, ...], edition: str, options: JudgmentOptions, facts: EditionFacts) -> None:
    """Add the judgments in FILE to an edition: TREC's query iter doc grade, Cranfield's or CACM's format, or CSV with a header.

    Each file is stored completely or not at all; plain or compressed; irds:NAME imports the judgments of an ir_datasets
    collection. Judgments that are already stored change nothing; a different grade by the same annotator is an error. Warns if the
    file has changed since its last import. A new edition of --split test is hidden from participants and readers until 'stc qrels
    release'.
    """
    with connect(settings) as conn:
        for file in map(Path, files):
            done = import_qrels(conn, file, edition=edition, options=options, facts=facts, warn=_warn)
            told = [f"{file}: {counted(done.judgments, 'judgment')} on {counted(done.queries, 'query')}, {done.added:,} added"]
            if done.unchanged:
                told.append(f"{done.unchanged:,} stored already")
            if done.duplicates:
                told.append(f"{counted(done.duplicates, 'duplicate')} dropped")
            click.echo("; ".join([*told, *unknown(done)]))
            if done.gone and done.earlier:
                stays = counted(done.gone, "judgment of the earlier file stays", "judgments of the earlier file stay")
                click.echo(f"{stays}: stc qrels drop --file {done.earlier[:12]}")


def _warn(told: str) -> None:
    click.echo(f"stc: {told}", err=True)
