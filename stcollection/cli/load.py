"""The command ``stc load``: load a complete data set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from stcollection.cli.corpus.load import command as load_corpus
from stcollection.cli.options import packed, together
from stcollection.cli.options.editions import named_edition
from stcollection.cli.options.files import unknown_docs_option
from stcollection.cli.options.formats import map_option
from stcollection.cli.output import render
from stcollection.cli.qrels.import_ import command as import_qrels
from stcollection.cli.topics.load import command as load_topics
from stcollection.counts import counted
from stcollection.db.collections import create
from stcollection.db.settings import Settings
from stcollection.errors import BadInput, StcError
from stcollection.io.datasets import DataOptions, RecognisedData, RecognisedFile, recognise
from stcollection.io.formats import FIELDS, Kind
from stcollection.published import LOAD

_RECORDS = {"corpus": "document", "topics": "query", "qrels": "judgment"}
_NAMED = 5  # number of skipped files to list


_options = together(
    click.option("--corpus", metavar="FILE", multiple=True, help="File of documents, in any supported format. Repeatable."),
    click.option("--topics", metavar="FILE", multiple=True, help="File of queries. Repeatable."),
    click.option("--qrels", metavar="FILE", multiple=True, help="File of judgments. Repeatable."),
    click.option(
        "--edition",
        "edition_name",
        callback=named_edition,
        help="Name of the edition for the judgments.  [default: the name of the file]",
    ),
)


@click.command("load")
@click.argument("paths", nargs=-1)
@_options
@map_option
@click.option(
    "--field", type=click.Choice(FIELDS), default="title", show_default=True, help="Part of a TREC topic that becomes the query."
)
@click.option(
    "--best-grade",
    type=int,
    metavar="N",
    help="Value of the best grade, if the file leaves open whether it is 1 or the highest, as in Cranfield's judgments.",
)
@unknown_docs_option
@click.option("--published", is_flag=True, help=f"Load documents as the published collection does: {LOAD.about}.")
@click.option("--dry-run", is_flag=True, help="Print the format and role of each file, and store nothing.")
@click.pass_context
@packed(DataOptions, "options", edition_name="edition")
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    corpus: tuple[str, ...],
    topics: tuple[str, ...],
    qrels: tuple[str, ...],
    unknown_documents: str,
    published: bool,
    dry_run: bool,
    options: DataOptions,
) -> None:
    """Load a data set: documents, topics and judgments, from files, folders or irds:NAME.

    Files are recognised by content: a BEIR folder, a SMART collection such as CACM or CISI, files of TREC or SimpleText, CSV, TSV,
    JSON lines, Parquet. The command first prints how it interprets each file, and stops if a file is ambiguous. It creates the
    collection if needed. Runs are listed but not loaded.
    """
    roles: tuple[tuple[Kind, tuple[str, ...]], ...] = (("corpus", corpus), ("topics", topics), ("qrels", qrels))
    given = {path: role for role, files in roles for path in files}
    if not paths and not given:
        raise click.UsageError("Name the files or the folder of a data set.")
    found = recognise(paths, options.with_roles(given))
    _preview(found)
    for one in found.of("corpus") if published else ():
        if one.format != LOAD.options["name"]:
            raise BadInput(f"{one.path}: {one.format}, not {LOAD.options['name']}", hint="Omit --published. Nothing was stored.")
    if dry_run:
        return
    settings: Settings = ctx.obj
    if create(settings, exist_ok=True):
        click.echo(f"created the collection {settings.db!r}")
    kept: list[str] = []
    if documents := tuple(one.path for one in found.of("corpus")):
        with _part(ctx, "corpus load", kept, "the documents"):
            ctx.invoke(load_corpus, paths=documents, fields=options.fields, published=published)
    if queries := tuple(Path(one.path) for one in found.of("topics")):
        with _part(ctx, "topics load", kept, "the queries"):
            ctx.invoke(load_topics, files=queries, field=options.field, fields=options.fields)
    for one in found.of("qrels"):
        best = 1 if one.best_first else None
        files, policy = (Path(one.path),), unknown_documents
        with _part(ctx, "qrels import", kept, f"the edition {one.edition!r}"):
            ctx.invoke(import_qrels, files=files, edition=one.edition, best_grade=best, unknown_documents=policy)
    _next_steps(found, published)


@contextmanager
def _part(ctx: click.Context, command: str, kept: list[str], what: str) -> Iterator[None]:
    """Store a part. Its hint, if it fails, is that of its own command: add what is stored already, and whose the options are.

    :param command: the command that stores it. :param kept: the parts stored so far; this one is added.
    """
    try:
        yield
    except StcError as error:
        if kept and error.hint:
            stays = f"{' and '.join(kept)} stay stored. "
            of_file = re.sub(r"(?<=[Nn])othing was (?=stored|imported)", "othing of this file was ", error.hint)
            error.hint = stays[0].upper() + stays[1:] + of_file
        own = {option for parameter in ctx.command.params for option in parameter.opts}
        options = re.findall(r"(?<![\w-])--[a-z][\w-]*", re.sub(r"'stc [^']*'", "", error.hint or ""))
        if others := [option for option in dict.fromkeys(options) if option not in own]:
            error.hint = f"{error.hint} 'stc {command}' has {', '.join(others)}; 'stc load' has not."
        raise
    kept.append(what)


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
    return f"{'more than ' if one.more else ''}{counted(one.records, _RECORDS[one.role or ''])}"


def _note(one: RecognisedFile) -> str:
    return "; ".join(filter(None, (f"edition {one.edition}" if one.edition else "", one.note)))


def _next_steps(found: RecognisedData, published: bool) -> None:
    steps = ["stc text index", "stc retrieval run bm25"] if found.of("corpus") else []
    if published:
        steps = [f"{step.replace('bm25', 'boolean')} --published" for step in steps]
    steps += [f"stc evaluation leaderboard --edition {one.edition}" for one in found.of("qrels")[:1]]
    click.echo("\nNext:" + "".join(f"\n  {step}" for step in steps))
