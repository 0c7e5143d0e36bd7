"""``stc load`` of a complete data set."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from stcollection.cli.corpus.load import command as load_corpus
from stcollection.cli.options import packed, together
from stcollection.cli.options.editions import named_edition
from stcollection.cli.options.files import relevance_option, unknown_docs_option, unknown_queries_option
from stcollection.cli.options.formats import map_option
from stcollection.cli.output import render
from stcollection.cli.qrels.imports import import_command as import_qrels
from stcollection.cli.topics.loading import articles_command as load_articles
from stcollection.cli.topics.loading import load_command as load_topics
from stcollection.counts import counted
from stcollection.db.collections import create
from stcollection.db.settings import Settings
from stcollection.errors import BadInput, StcError
from stcollection.io.datasets import DataOptions, RecognisedData, RecognisedFile, recognise
from stcollection.io.formats import FIELDS, Kind
from stcollection.published import LOAD

_BY_PEOPLE = re.compile(r"qrel|human|expert|official|gold|manual|(?<![a-z])nist(?![a-z])", re.IGNORECASE)
_RECORDS = {"corpus": "document", "topics": "query", "articles": "article", "qrels": "judgment"}

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
    map_option,
    click.option(
        "--field",
        type=click.Choice(FIELDS),
        default="title",
        show_default=True,
        help="Part of a TREC topic that becomes the query.",
    ),
    click.option(
        "--best-grade",
        type=int,
        metavar="N",
        help="Value of the best grade, if the file leaves open whether it is 1 or the highest, as in Cranfield's judgments.",
    ),
    relevance_option,
    unknown_docs_option,
    unknown_queries_option,
)


@click.command("load")
@click.argument("paths", nargs=-1)
@_options
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
    JSON lines, Parquet. The command first prints how it interprets each file, and why it skips a file of a folder. It stops if a
    file may contain documents or queries, or if a file that you name is ambiguous. A file of judgments that cannot be stored
    does not stop the others. The command creates the collection if needed. Runs are listed but not loaded.
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
        with _part(ctx, "load --as corpus", kept, "the documents"):
            ctx.invoke(load_corpus, paths=documents, fields=options.fields, published=published)
    if queries := tuple(Path(one.path) for one in found.of("topics")):
        with _part(ctx, "load --as topics", kept, "the queries"):
            ctx.invoke(load_topics, files=queries, field=options.field, fields=options.fields)
    failed = _load_parts(ctx, found, options, unknown_documents, kept)
    _next_steps(found, published, set(failed))
    if failed:
        first = next(one for one in found.files if one.path in failed)
        alone = "load --as articles" if first.role == "articles" else f"load --as qrels --edition {shlex.quote(first.edition)}"
        hint = (failed[first.path].hint or "").removesuffix("Nothing was stored.").strip()
        raise BadInput(
            f"not loaded: {'; '.join(error.message for error in failed.values())}",
            hint=f"The other files are loaded. Load this one with: stc {alone} {shlex.quote(first.path)}. {hint}".strip(),
        )


def _load_parts(
    ctx: click.Context, found: RecognisedData, options: DataOptions, unknown_documents: str, kept: list[str]
) -> dict[str, StcError]:
    """Load articles and judgments, one file at a time. :param kept: as for :func:`_part`. :returns: the errors by path."""
    failed: dict[str, StcError] = {}
    for one in [*found.of("articles"), *found.of("qrels")]:
        try:
            if one.role == "articles":
                with _part(ctx, "load --as articles", kept, "the articles"):
                    ctx.invoke(load_articles, paths=(Path(one.path),))
                continue
            with _part(ctx, "load --as qrels", kept, f"the edition {one.edition!r}"):
                ctx.invoke(
                    import_qrels,
                    files=(Path(one.path),),
                    edition=one.edition,
                    best_grade=1 if one.best_first else None,
                    relevance=one.relevance,
                    unknown_documents=unknown_documents,
                    unknown_queries=options.unknown_queries,
                )
        except StcError as error:
            failed[one.path] = error
    return failed


@contextmanager
def _part(ctx: click.Context, command: str, kept: list[str], what: str) -> Iterator[None]:
    """Store a part. If it fails, its hint is that of another command: add the parts stored already, and that command's name.

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
    if rows:
        click.echo(render(rows, ["file", "role", "format", "records", "note"], style="table"))
    if runs := found.of("runs"):
        click.echo(f"runs, not loaded (stc load --as runs): {', '.join(one.within(base) for one in runs)}")
    if found.skipped:
        skipped = [[one.within(base), one.note] for one in found.skipped]
        click.echo(f"\n{render(skipped, ['skipped', 'reason'], style='table')}")
    click.echo()


def _records(one: RecognisedFile) -> str:
    return "" if one.records is None else f"{'more than ' if one.more else ''}{counted(one.records, _RECORDS[one.role or ''])}"


def _note(one: RecognisedFile) -> str:
    return "; ".join(filter(None, (f"edition {one.edition}" if one.edition else "", one.note)))


def _next_steps(found: RecognisedData, published: bool, failed: set[str]) -> None:
    steps = ["stc index", "stc run bm25"] if found.of("corpus") else []
    if published:
        steps = [f"{step.replace('bm25', 'boolean')} --published" for step in steps]
    steps += [f"stc load --as runs {shlex.quote(one.path)}" for one in found.of("runs")[:1]]
    judged = sorted(found.of("qrels"), key=lambda one: (not one.human, _BY_PEOPLE.search(Path(one.path).name) is None))
    steps += [f"stc score --edition {shlex.quote(one.edition)}" for one in judged if one.path not in failed][:1]
    if steps:
        click.echo("\nNext:" + "".join(f"\n  {step}" for step in steps))
