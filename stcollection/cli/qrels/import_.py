"""The command ``stc qrels import``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options import packed
from stcollection.cli.options.editions import facts_options, map_option, needed_edition_option
from stcollection.cli.options.files import FILE, unknown_docs_option, unknown_queries_option
from stcollection.cli.output import unknown
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.editions import EditionFacts
from stcollection.qrels.load import ON_DUPLICATE, ORIGINS, JudgmentOptions, import_qrels


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=FILE)
@needed_edition_option("The edition they go to; made if it is not there.")
@click.option("--annotator", help="Who judged.  [default: the file's column of that name, else nobody by name]")
@click.option("--origin", type=click.Choice(ORIGINS), help="What judged.  [default: the file's column of that name, else human]")
@click.option(
    "--columns", metavar="NAMES", help="What the columns are, as query,_,doc,rel; _ is left aside.  [default: told by the lines]"
)
@map_option
@click.option(
    "--best-grade",
    type=click.IntRange(1, 1),
    help="1 is the best grade, as in Cranfield's judgments: store the grades the other way round.",
)
@click.option(
    "--on-duplicate",
    type=click.Choice(ON_DUPLICATE),
    default="error",
    show_default=True,
    help="Another grade for a document the file has judged before: stop, or keep the first.",
)
@unknown_docs_option
@unknown_queries_option
@facts_options
@click.option("--simulated", is_flag=True, help="The judgments were made up: mark the edition, and whatever shows it.")
@click.option(
    "--open",
    "hidden",
    type=bool,
    flag_value=False,
    default=None,  # hidden if its split is test; also where another command calls this one
    help="Do not hide a new edition of --split test from participants and readers.",
)
@click.pass_obj
@packed(JudgmentOptions, "options")
def command(settings: Settings, /, files: tuple[Path, ...], edition: str, options: JudgmentOptions, facts: EditionFacts) -> None:
    """Append the judgments of FILES to an edition: TREC's query iter doc grade, Cranfield's, CACM's, CSV with a header.

    Each file is stored wholly or not at all. What is stored already changes nothing; another grade by the same annotator is an
    error. Plain or compressed; irds:NAME takes the judgments of a collection of ir_datasets. A file that is not what it was when it
    was imported before is told. A new edition of --split test is hidden from participants and readers: 'stc qrels release'.
    """
    with connect(settings) as conn:
        for file in map(Path, files):
            done = import_qrels(conn, file, edition=edition, options=options, facts=facts, warn=_warn)
            told = [f"{file}: {done.judgments:,} judgments on {done.queries:,} queries, {done.added:,} added"]
            if done.unchanged:
                told.append(f"{done.unchanged:,} stored already")
            if done.duplicates:
                told.append(f"{done.duplicates:,} duplicates dropped")
            click.echo("; ".join([*told, *unknown(done)]))
            if done.gone and done.earlier:
                click.echo(f"     {done.gone:,} judgments of the earlier file stay: stc qrels drop --file {done.earlier[:12]}")


def _warn(told: str) -> None:
    click.echo(f"stc: {told}", err=True)
