"""``stc runs``: import, check and export runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from stcollection.cli.kinship import families
from stcollection.cli.output import Progress, format_option, render
from stcollection.cli.receiving import receipts, receive
from stcollection.cli.telling import output as output
from stcollection.cli.telling import printable
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadInput
from stcollection.evaluation.score import judge_new
from stcollection.runs.check import check_run
from stcollection.runs.export import export_simpletext, export_trec
from stcollection.runs.export_2022 import export_2022
from stcollection.runs.faults import brief
from stcollection.runs.listing import Overview, drop_runs
from stcollection.runs.listing import runs as stored_runs
from stcollection.runs.load import FORMATS, ON_DUPLICATE, UNKNOWN, UNKNOWN_DOCUMENTS, Options, import_runs
from stcollection.runs.made import metadata_of, store
from stcollection.runs.metadata import as_header, dump, parse_file, read, sidecar
from stcollection.runs.names import stem

EXPORTS = (*FORMATS, "simpletext-2022")
FILE = click.Path(path_type=Path)  # a file that is not there is told as any other error


def _policy(name: str, parameter: str, what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        name, parameter, type=click.Choice(UNKNOWN), default="stub", show_default=True,
        help=f"{what} that the collection has not: store by name alone, so that ranks stay as they are, skip their lines, or stop.",
    )  # fmt: skip


unknown_queries_option = _policy("--unknown-queries", "unknown_queries", "Queries")
unknown_docs_option = click.option(
    "--unknown-docs", "unknown_documents", type=click.Choice(UNKNOWN_DOCUMENTS), default="few", show_default=True,
    help="Documents that the collection has not: store by name alone, so that ranks do not change (stub), do so if they are"
    " at most 10 or 10 % and stop otherwise (few), skip their lines, or stop (error). A collection without any document takes all.",
)  # fmt: skip


def unknown(done: Any) -> list[str]:
    """What was done about queries and documents that are not stored, in words."""
    told = []
    for kind in ("queries", "documents"):
        if new := getattr(done, f"new_{kind}"):
            told.append(f"{new:,} {kind} not in the collection, stored as stubs")
        if skipped := getattr(done, f"skipped_{kind}"):
            told.append(f"{skipped:,} lines skipped for their unknown {kind}")
    return told


@click.group()
def runs() -> None:
    """Import, check and export runs."""


@runs.command("import")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option(
    "--name", help="The run's name.  [default: the run_id of a SimpleText file; the name of a TREC file without .run, .txt, .gz …]"
)
@click.option("--format", "layout", type=click.Choice(FORMATS), help="The format of the files.  [default: recognised]")
@click.option(
    "--score", type=click.Choice(["rel", "comb"]), default="rel", show_default=True,
    help="What ranks the documents of a SimpleText file: its rel_score, or its comb_score.",
)  # fmt: skip
@click.option(
    "--on-duplicate", type=click.Choice(ON_DUPLICATE), default="error", show_default=True,
    help="A document ranked twice for a query: stop, keep the first in the file, or the one with the best score.",
)  # fmt: skip
@unknown_docs_option
@unknown_queries_option
@click.option("--replace", is_flag=True, help="Put it in the place of a stored run of its name, which is an error otherwise.")
@click.option("--team", help="The team.  [default: the first part of a SimpleText run_id]")
@click.option("--family", help="The kind of system, as sparse or dense, to compare by.")
@click.option("--manual/--automatic", default=None, help="Whether a person had a hand in it.  [default: as the file says]")
@click.option(
    "--metadata", type=FILE, help="A YAML file (ir_metadata) that tells how it was made.  [default: the one beside it, or its head]"
)
@click.pass_obj
def import_(settings: Settings, /, files: tuple[Path, ...], name: str | None, **options: Any) -> None:
    """Import FILES, each a run: TREC's six columns, SimpleText's JSON or its tab-separated format of 2022; plain or compressed.

    Each file is stored wholly or not at all. Ranks are computed by trec_eval's rule: by score in single precision, equal ones by
    docno, both descending; the file's own ranks are kept beside them. A file that is stored under its name changes nothing.

    Metadata (ir_metadata) comes along from mine.yml beside mine.run, or from the comments at the head of a TREC file. In the
    tab-separated format a document may have several passages: they become one, a line each.
    """
    names = []
    with connect(settings) as conn, Progress("import", unit="B", scale=True) as bar:
        for done in import_runs(conn, [Path(file) for file in files], name=name, options=Options(**options), progress=bar):
            if done.already:
                click.echo(f"{done.path}: imported already as {done.run}, nothing changed")
                continue
            counts = done.counts
            told = [f"{done.path}: run {done.run}, {counts.ranked:,} documents ranked for {counts.queries:,} queries"]
            if counts.duplicates:
                told.append(f"{counts.duplicates:,} duplicates dropped")
            click.echo("; ".join([*told, *unknown(counts)]))
            names.append(done.run)
        judge_new(conn, names)


@runs.command("export")
@click.argument("name")
@click.option("--format", "layout", type=click.Choice(EXPORTS), default="trec", show_default=True, help="The format to write.")
@click.option(
    "--score", type=click.Choice(["rel", "comb"]), default="rel", show_default=True,
    help="What ranks the documents: relevance, or relevance and readability combined.",
)  # fmt: skip
@click.option("--depth", type=click.IntRange(min=1), help="Ranks up to this one.  [default: all]")
@click.option("--team", help="The team in the run_id of a SimpleText file.  [default: the run's, else stc]")
@click.option(
    "--with-metadata", type=click.Choice(["file", "header"]),
    help="How it was made, too (ir_metadata): in a YAML file beside --out, or as comments at the head of a TREC file, which"
    " pytrec_eval and older versions of trec_eval cannot read.",
)  # fmt: skip
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The file to write.  [default: standard output]")
@click.pass_obj
def export_(
    settings: Settings,
    name: str,
    layout: str,
    score: str,
    depth: int | None,
    team: str | None,
    with_metadata: str | None,
    out: Path | None,
) -> None:
    """Export the run NAME. Its ranks come back when the file is imported again, by trec_eval too.

    A SimpleText file is a valid submission: scores in [0, 1], in their order and without new ties; a passage is the sentence of
    the abstract that has most of the query's words; comb_score is rel_score where none is stored. simpletext-2022 is tab-separated,
    without scores, with at most 100 documents a topic: rankings are cut where a topic would need more.
    """
    if with_metadata == "header" and layout != "trec":
        raise click.UsageError("only a TREC file has comments; take --with-metadata file")
    if with_metadata == "file" and out is None:
        raise click.UsageError("--with-metadata file is written beside the run; give --out")
    with connect(settings) as conn, output(out) as file:
        metadata = metadata_of(conn, name) if with_metadata else {}
        if with_metadata == "header":
            file.write(as_header(metadata).encode())
        if layout == "trec":
            done = export_trec(conn, name, file, score=score, depth=depth)
        else:
            write = export_simpletext if layout == "simpletext" else export_2022
            done = write(conn, name, file, score=score, depth=depth, team=team)
    if with_metadata == "file" and out is not None:
        beside = out.with_name(f"{stem(out)}.yml")
        with output(beside) as file:
            file.write(dump(metadata).encode())
        click.echo(f"{beside}: how it was made", err=True)
    if done.without_passage:
        click.echo(f"{done.without_passage:,} documents have no text in the collection; their passage is empty", err=True)
    if done.cut:
        click.echo(f"{done.cut:,} documents left out: the format has 100 a topic", err=True)
    if out is not None:
        click.echo(f"{out}: {done.ranked:,} documents ranked for {done.queries:,} queries")


@runs.command("metadata")
@click.argument("name")
@click.option("--set", "file", type=FILE, help="Store this YAML file in its place.")
@click.pass_obj
def metadata_(settings: Settings, name: str, file: Path | None) -> None:
    """Print how the run NAME was made, in YAML (ir_metadata); of a run without metadata, what the collection knows of it."""
    with connect(settings) as conn:
        if file is not None:
            store(conn, name, read(file))
        told = dump(metadata_of(conn, name))
    click.echo(told, nl=False)


@runs.command("check")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--format", "layout", type=click.Choice(FORMATS), help="The format of the files.  [default: recognised]")
@click.option("--in-collection", is_flag=True, help="Queries, documents and passages must be in the collection too.")
@click.option("--task", type=click.IntRange(0, 9), help="The number of the task that a run_id must have.")
@click.option("--depth", type=click.IntRange(min=1), help="Documents a query: more are a fault, fewer a note.")
@click.pass_obj
def check_(
    settings: Settings, files: tuple[Path, ...], layout: str | None, in_collection: bool, task: int | None, depth: int | None
) -> None:
    """Check FILES as the track and trec_eval would, and more; tell every fault by its line. Nothing is stored.

    The official SimpleText check (columns, run_id, manual), JSON as the standard has it, scores, duplicates, topics, passages;
    for a TREC file columns, scores and duplicates, with notes on ties and on ranks that contradict scores; the metadata at its
    head or beside it. In the collection: queries, their topics, documents; notes on queries without a document, and on passages
    that are not from theirs. Exit code 3 if there is a fault; notes are none.
    """
    bad = 0
    for file in files:
        if in_collection:
            with connect(settings) as conn:
                checked = check_run(file, layout=layout, conn=conn, task=task, depth=depth)
        else:
            checked = check_run(file, layout=layout, task=task, depth=depth)
        for fault in brief(checked.faults):
            where = f"{file}:{fault.line}" if fault.line else str(file)
            click.echo(printable(f"{where}: {'note: ' if fault.note else ''}{fault.what}"))
        faults = checked.bad
        if (beside := sidecar(file)) is not None:
            for fault in parse_file(beside)[1]:
                click.echo(printable(f"{beside}:{fault.line}: {fault.what}"))
                faults += 1
        told = (
            f"{file}: {checked.rows:,} documents ranked ({checked.layout or 'no run'}), {f'{faults:,}' if faults else 'no'} faults"
        )
        click.echo(printable(told))
        bad += faults
    if bad:
        raise BadInput(f"{bad:,} faults in {len(files)} files" if len(files) > 1 else f"{bad:,} faults in {files[0]}",
                       hint="Each is told above by its line.")  # fmt: skip


@runs.command("list")
@format_option
@click.pass_obj
def list_(settings: Settings, style: str) -> None:
    """The stored runs and what each holds; JSON and CSV tell the file it came from too."""
    with connect(settings) as conn:
        stored = stored_runs(conn)
    if style in ("json", "csv"):
        click.echo(render(stored, list(Overview._fields), style=style))
        return
    rows = [
        (
            one.run,
            one.team,
            one.tag,
            "manual" if one.manual else "automatic",
            one.family,
            one.queries,
            one.ranked,
            one.depth,
            f"{one.made:%F %R}",
        )
        for one in stored
    ]
    click.echo(render(rows, ["run", "team", "tag", "made by", "family", "queries", "ranked", "depth", "made"], style=style))


@runs.command("drop")
@click.argument("names", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def drop_(settings: Settings, names: tuple[str, ...], yes: bool) -> None:
    """Remove the runs NAMES with all they rank."""
    if not yes:
        click.confirm(f"Remove {', '.join(names)}?", abort=True)
    with connect(settings) as conn:
        drop_runs(conn, names)
    click.echo(f"removed {', '.join(names)}")


runs.add_command(receive)
runs.add_command(receipts)
runs.add_command(families)
