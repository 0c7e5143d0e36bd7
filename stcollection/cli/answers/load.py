"""The command ``stc answers load``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.output import ProgressBar, printable
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.studies.answers import load as loading
from stcollection.studies.answers.files import SPLITS

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


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
def command(
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
    all. A file that is already loaded is skipped. Lines with problems are counted; 'stc answers rejects' lists them.
    """
    given = {kind: path for kind, path in named.items() if path is not None}
    found = _found(folder, sample, split, given)
    name = name or ("sample" if sample else None)
    if name is None:
        raise click.UsageError("Missing argument 'SET'.")
    with connect(settings, autocommit=True) as conn:
        for one, files in found.items():
            with ProgressBar(one, unit="B", scale=True) as bar:
                done = loading.load(conn, set=name, split=one, files=files, replace=replace, progress=bar)
            for file in done:
                click.echo(printable(_told(file)))
            if any(file.duplicates + file.contradictory + file.unknown + file.rejects for file in done if not file.already):
                click.echo(f"     'stc answers rejects {printable(name)} --split {one}' lists them with line and reason", err=True)


def _found(folder: Path | None, sample: bool, split: str | None, given: dict[str, Path]) -> dict[str, dict[str, Path]]:
    if (folder is not None) + sample + bool(given) != 1:
        raise click.UsageError("Give a FOLDER, or --sample, or --split with --documents, --pairs, --gold, …")
    if bool(given) and split is None:
        raise click.UsageError("Name the split of the files: --split train, dev or test.")
    if given:
        return {str(split): given}
    if sample and not loading.SAMPLE.is_dir():
        raise BadArgument("this installation has no sample", hint="Install stcollection again, or give a FOLDER.")
    found = loading.find(folder or loading.SAMPLE)
    if split is not None and split not in found:
        raise BadArgument(f"there is no file of the split {split}", hint=f"There are those of {', '.join(found)}.")
    return found if split is None else {split: found[split]}


def _told(file: loading.LoadedAnswers) -> str:
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
