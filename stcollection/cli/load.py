"""The command ``stc load``: a whole data set in one step."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.corpus.load import command as load_corpus
from stcollection.cli.options import packed
from stcollection.cli.options.editions import named_edition
from stcollection.cli.options.files import unknown_docs_option
from stcollection.cli.options.formats import map_option
from stcollection.cli.output import render
from stcollection.cli.qrels.import_ import command as import_qrels
from stcollection.cli.topics.load import command as load_topics
from stcollection.db.collections import create
from stcollection.db.settings import Settings
from stcollection.io.datasets import DataOptions, RecognisedData, RecognisedFile, recognise
from stcollection.io.formats import FIELDS, Kind

_RECORDS = {"corpus": "documents", "topics": "queries", "qrels": "judgments"}
_NAMED = 5  # files that are skipped


@click.command("load")
@click.argument("paths", nargs=-1)
@click.option("--corpus", metavar="FILE", multiple=True, help="A file of documents, whatever it looks like.")
@click.option("--topics", metavar="FILE", multiple=True, help="A file of queries.")
@click.option("--qrels", metavar="FILE", multiple=True, help="A file of judgments.")
@click.option(
    "--edition",
    "edition_name",
    callback=named_edition,
    help="The name of the edition of judgments.  [default: named after the file]",
)
@map_option
@click.option("--field", type=click.Choice(FIELDS), default="title", show_default=True, help="What of a TREC topic is the query.")
@click.option(
    "--best-grade", type=int, metavar="N", help="The best grade, where it may be 1 or the highest, as in Cranfield's judgments."
)
@unknown_docs_option
@click.option("--dry-run", is_flag=True, help="Print how the files are understood, and store nothing.")
@click.pass_context
@packed(DataOptions, "options", edition_name="edition")
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    corpus: tuple[str, ...],
    topics: tuple[str, ...],
    qrels: tuple[str, ...],
    unknown_documents: str,
    dry_run: bool,
    options: DataOptions,
) -> None:
    """Load a data set: its documents, topics and judgments, from files, folders or irds:NAME.

    PATHS are recognised by content: a BEIR folder, a SMART collection such as CACM or CISI, files of TREC or SimpleText, CSV, TSV,
    JSON lines, Parquet. The command first prints how it understands each file. If a file may hold one thing or another, it stops
    there. The collection is created if it does not exist. Runs are listed and not loaded.
    """
    roles: tuple[tuple[Kind, tuple[str, ...]], ...] = (("corpus", corpus), ("topics", topics), ("qrels", qrels))
    given = {path: role for role, files in roles for path in files}
    if not paths and not given:
        raise click.UsageError("Name the files or the folder of a data set.")
    found = recognise(paths, options.with_roles(given))
    _preview(found)
    if dry_run:
        return
    settings: Settings = ctx.obj
    if create(settings, exist_ok=True):
        click.echo(f"made the collection {settings.db!r}")
    if documents := tuple(one.path for one in found.of("corpus")):
        ctx.invoke(load_corpus, paths=documents, fields=options.fields)
    if queries := tuple(Path(one.path) for one in found.of("topics")):
        ctx.invoke(load_topics, files=queries, field=options.field)
    for one in found.of("qrels"):
        best = 1 if one.best_first else None
        files, policy = (Path(one.path),), unknown_documents
        ctx.invoke(import_qrels, files=files, edition=one.edition, best_grade=best, unknown_documents=policy)
    _next_steps(found)


def _preview(found: RecognisedData) -> None:
    base = found.folder
    rows = [[one.within(base), one.role, one.format, _records(one), _note(one)] for one in found.files if one.role in _RECORDS]
    if base:
        click.echo(f"in {base}:\n")
    click.echo(render(rows, ["file", "role", "format", "records", "note"], style="table"))
    for which, files in (("runs, not loaded (stc runs import)", found.of("runs")), ("skipped", found.skipped)):
        if files:
            names = [f"{one.within(base)} ({one.note})" if one.note else one.within(base) for one in files[:_NAMED]]
            more = f" and {len(files) - _NAMED:,} more" if len(files) > _NAMED else ""
            click.echo(f"{which}: {', '.join(names)}{more}")
    click.echo()


def _records(one: RecognisedFile) -> str:
    if one.records is None:
        return ""
    return f"{'more than ' if one.more else ''}{one.records:,} {_RECORDS[one.role or '']}"


def _note(one: RecognisedFile) -> str:
    return "; ".join(filter(None, (f"edition {one.edition}" if one.edition else "", one.note)))


def _next_steps(found: RecognisedData) -> None:
    steps = ["stc text index", "stc retrieval run bm25"] if found.of("corpus") else []
    steps += [f"stc evaluation leaderboard --edition {one.edition}" for one in found.of("qrels")[:1]]
    click.echo("\nNext:" + "".join(f"\n  {step}" for step in steps))
