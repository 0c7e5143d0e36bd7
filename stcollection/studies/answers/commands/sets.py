"""The commands on data sets of answers: ``stc load --as answers``, ``status``, ``files``, ``rejects``, ``drop`` and ``unload``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.files import OutputPath
from stcollection.cli.options.removal import yes_option
from stcollection.cli.output import ProgressBar, printable, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.studies.answers import load as loading
from stcollection.studies.answers.files import SPLITS
from stcollection.studies.answers.sets import AnswerSetOverview, DroppedSplits, Problem, drop, files, overview, rejects
from stcollection.studies.answers.unload import unload

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@command(overview)
def status_command(call: Call[list[AnswerSetOverview]], *, style: Style = "table") -> None:
    """Count the contents of each split of SET, or of all data sets.

    'unplaced' counts answers whose address is in no document of their query: they are used for training, but not for voting.
    'contradictory' counts pairs with two different labels.
    """
    click.echo(render(call.once(), AnswerSetOverview._fields, style=style))


@command(files)
def files_command(call: Call[tuple[list[str], list[tuple[Any, ...]]]], *, style: Style = "table") -> None:
    """List the loaded files of each split."""
    headers, rows = call.once()
    click.echo(render(rows, headers, style=style))


@command(rejects)
def rejects_command(call: Call[list[Problem]], *, style: Style = "table") -> None:
    """List the lines in the files of SET that were not stored as written, with reasons."""
    rows = call.once()
    click.echo(render([row._replace(reason=printable(row.reason)) for row in rows], Problem._fields, style=style))


@command(drop)
def drop_command(call: Call[DroppedSplits], *, yes: Annotated[bool, yes_option] = False) -> None:
    """Remove SET, or one split of it, with its runs and the predictions of models for its answers."""
    name, split = call.given["set"], call.given.get("split")
    with connect(call.settings, autocommit=True) as conn:
        stored = [row for row in overview(conn, name) if split in (None, row.split)]
        if stored and not yes:
            contents = ", ".join(
                f"{row.split} ({counted(row.queries, 'query')}, {counted(row.pairs, 'pair')}, {counted(row.runs, 'run')})"
                for row in stored
            )
            click.confirm(f"Remove from {name!r}: {contents}?", abort=True)
        dropped = call(conn)
    click.echo(f"{printable(name)}: {counted(dropped.splits, 'split')} removed, {counted(dropped.runs, 'run')} with them")


@command(unload)
def unload_command(
    call: Call[list[tuple[Path, int]]], *, folder: Annotated[Path, click.argument("folder", type=OutputPath(folder=True))]
) -> None:
    """Write SET to FOLDER as files. Loading them again gives the same tables."""
    with connect(call.settings, autocommit=True) as conn:
        for path, lines in call(conn, folder=folder):
            click.echo(f"{path}: {counted(lines, 'line')}")


@click.command("load")
@click.argument("name", metavar="[SET]", required=False)
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@click.option(
    "--sample", is_flag=True, help="Load the sample that is part of stcollection. SET is then 'sample' unless you name it."
)
@click.option("--split", type=click.Choice(SPLITS), help="Split of the files named by the options below.")
@click.option("--documents", type=_FILE, help="Queries with their documents, as JSON lines.")
@click.option("--pairs", type=_FILE, help="Pairs of answers with their labels, as TSV.")
@click.option("--relations", type=_FILE, help="Pairs of answers with support, neutral or oppose, as TSV.")
@click.option("--gold", type=_FILE, help="Queries with the doc_ids to return, as TSV.")
@click.option("--templates", type=_FILE, help="Queries with their kind of question, as TSV.")
@click.option("--replace", is_flag=True, help="Replace each split. This also removes everything made from it, including runs.")
@click.pass_obj
def load_command(
    settings: Settings,
    /,
    name: str | None,
    folder: Path | None,
    sample: bool,
    split: str | None,
    replace: bool,
    **named: Path | None,
) -> None:
    """Load the files of a data set: those in FOLDER, recognised by name, or those that the options name.

    The names are xxx_query_doc.json, xxx_answer_nli_data.tsv, xxx_label.tsv and, optionally, xxx_relations.tsv and
    xxx_templates.tsv, where xxx is train, dev or test; plain or compressed. The files of a split are stored together or not at
    all. A file that is already loaded is skipped. Lines with problems are counted; 'stc show answer-rejects' lists them.
    """
    given = {kind: path for kind, path in named.items() if path is not None}
    splits = _splits(folder, sample, split, given)
    name = name or ("sample" if sample else None)
    if name is None:
        raise click.UsageError("Missing argument 'SET'.")
    with connect(settings, autocommit=True) as conn:
        for part, paths in splits.items():
            with ProgressBar(part, unit="B", scale=True) as bar:
                loaded = loading.load(conn, set=name, split=part, files=paths, replace=replace, progress=bar)
            for file in loaded:
                click.echo(printable(_outcome(file)))
            if any(file.duplicates + file.contradictory + file.unknown + file.rejects for file in loaded if not file.already):
                click.echo(f"     'stc show answer-rejects {printable(name)} --split {part}' lists them, with reasons", err=True)


def _splits(folder: Path | None, sample: bool, split: str | None, given: dict[str, Path]) -> dict[str, dict[str, Path]]:
    if (folder is not None) + sample + bool(given) != 1:
        raise click.UsageError("Give a FOLDER, or --sample, or --split with --documents, --pairs, --gold, …")
    if bool(given) and split is None:
        raise click.UsageError("Name the split of the files: --split train, dev or test.")
    if given:
        return {str(split): given}
    if sample and not loading.SAMPLE.is_dir():
        raise BadArgument("this installation has no sample", hint="Install stcollection again, or give a FOLDER.")
    splits = loading.find(folder or loading.SAMPLE)
    if split is not None and split not in splits:
        raise BadArgument(f"there is no file of the split {split}", hint=f"There are those of {', '.join(splits)}.")
    return splits if split is None else {split: splits[split]}


def _outcome(file: loading.LoadedAnswers) -> str:
    if file.already:
        return f"{file.split}: {file.kind}: loaded already, nothing changed"
    counts = ", ".join(
        f"{count:,} {what}"
        for count, what in (
            (file.duplicates, "duplicates"),
            (file.contradictory, "contradictory"),
            (file.unknown, "unknown"),
            (file.rejects, "rejects"),
            (file.escaped, "with escapes"),
        )
        if count
    )
    return f"{file.split}: {file.kind}: {file.stored:,} of {counted(file.lines, 'line')} stored{'; ' if counts else ''}{counts}"
