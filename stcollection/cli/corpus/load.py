"""The command ``stc load --as corpus``."""

from __future__ import annotations

import click

from stcollection.cli.options.formats import FormatName, document_map_option
from stcollection.cli.options.published import published_option
from stcollection.cli.output import ProgressBar
from stcollection.corpus.ledger import FileChanges
from stcollection.corpus.load import LoadedFile, load
from stcollection.corpus.parsing import OnDuplicate
from stcollection.corpus.snapshots import check_day, record_snapshot
from stcollection.counts import counted
from stcollection.db.connection import connect, conninfo
from stcollection.db.settings import Settings
from stcollection.errors import BadInput
from stcollection.io.corpus.documents import MAX_TEXT
from stcollection.io.corpus.fields import DEFAULT, FieldNames
from stcollection.io.irdatasets import snapshot_day
from stcollection.published import LOAD
from stcollection.runs.faults import few


@click.command("load")
@click.argument("paths", nargs=-1, required=True)
@click.option("--format", "name", type=FormatName("corpus"), help="Format of the files.  [default: recognised]")
@document_map_option
@click.option("--workers", type=click.IntRange(min=1), help="Number of worker processes.  [default: one per core, at most 8]")
@click.option(
    "--on-duplicate",
    type=click.Choice(["skip", "replace", "error"]),
    default="skip",
    show_default=True,
    help="If a document is already stored: keep it, replace it, or stop.",
)
@click.option("--date", "day", metavar="YYYY-MM-DD", help="Day of the snapshot that the files are; LongEval's say it themselves.")
@click.option("--strict", is_flag=True, help="Stop at the first record that cannot be stored.")
@published_option(LOAD)
@click.pass_obj
def command(
    settings: Settings,
    paths: tuple[str, ...],
    name: str | None,
    fields: FieldNames,
    workers: int | None,
    on_duplicate: OnDuplicate,
    strict: bool,
    day: str | None,
) -> None:
    """Load files of documents: JSON lines, CSV, TSV, Parquet, TREC SGML, SMART, TIME, dblp v10 to v14, dblp.xml, OpenAlex, Semantic
    Scholar, S2ORC, arXiv, PubMed, the track's ElasticSearch dump.

    Files may be plain, .gz, .zst, .bz2, .xz or .zip; '-' is standard input, irds:NAME loads the documents of an ir_datasets
    collection. An interrupted load continues where it stopped. A file that is already loaded is skipped.
    """
    with connect(settings) as conn:  # raises an error if it is missing or not of this version
        dsn = conninfo(settings)
        if day is not None:
            check_day(conn, day)
    days = {path: day or snapshot_day(path) for path in paths}
    rejected: list[str] = []
    with ProgressBar("load", unit="B", scale=True) as bar:
        for done in load(
            dsn,
            list(paths),
            format=name,
            workers=workers,
            on_duplicate=on_duplicate,
            strict=strict,
            fields=fields,
            progress=lambda read, total, documents: bar(read, total, counted(documents, "document")),
        ):
            _report(done, fields)
            if (dated := days.get(done.path)) is not None and not done.all_rejected:
                _record(settings, done, dated)
            if done.all_rejected:
                rejected.append(f"{done.path}: {counted(done.rejects, 'record')} rejected and none stored: {done.reject}")
    if rejected:
        raise BadInput(
            "; ".join(rejected),
            hint="Nothing was stored of it. 'stc load --as corpus' has --format and --map.",
        )


def _record(settings: Settings, done: LoadedFile, day: str) -> None:
    with connect(settings) as conn:
        count = record_snapshot(conn, done.file, day)
    click.echo(f"{done.path}: {counted(count, 'document')} in the snapshot of {day}")


def _report(done: LoadedFile, fields: FieldNames) -> None:
    if done.state == "already loaded":
        click.echo(f"{done.path}: loaded already, nothing changed")
        return
    rate = f", {done.documents / done.seconds:,.0f} a second" if done.seconds >= 1 else ""
    replaced = f" ({done.replaced:,} replaced)" if done.replaced else ""
    completed = f" ({done.completed:,} completed)" if done.completed else ""
    told = f"{counted(done.duplicates, 'duplicate')}{replaced}{completed}, {counted(done.rejects, 'reject')}"
    click.echo(f"{done.path}: {counted(done.documents, 'document')} ({done.format}){rate}; {told}")
    if fields != DEFAULT and done.duplicates and not done.replaced:
        click.echo("Stored documents keep their text; --on-duplicate replace replaces it.", err=True)
    if done.changes is not None:
        _report_changes(done, done.changes)
    if done.rejects and not done.all_rejected:
        click.echo("'stc show rejects' lists them with line and reason", err=True)
    if done.empty is not None:
        click.echo(f"stc: {done.path}: {done.empty}", err=True)
        click.echo(f"If the title is in {done.empty.parts[0]}, load the file with --map {done.empty.parts[0]}=FIELD.", err=True)
    if done.cleaned:
        cleaned = counted(done.cleaned, "document")
        click.echo(f"{cleaned} had characters or values that PostgreSQL refuses; they were removed", err=True)
    if done.cut:
        cut = f"{counted(len(done.cut), 'document')} ({few(done.cut)}) of more than {MAX_TEXT:,} characters"
        click.echo(f"{cut}: the first {MAX_TEXT:,} of title and text, the most that can be indexed, are searched", err=True)
    for field, count in done.unread.items():
        if done.empty is None or field not in done.empty.there:
            click.echo(
                f"{field} of {counted(count, 'document')} is not indexed: text is read from {', '.join(fields.text)}", err=True
            )


def _report_changes(done: LoadedFile, changes: FileChanges) -> None:
    unchanged = max(changes.common - done.changed, 0)
    counts = ((changes.added, "added"), (done.changed, "changed"), (unchanged, "unchanged"), (changes.gone, "gone"))
    click.echo(f"compared with the previous file: {', '.join(f'{count:,} {what}' for count, what in counts)}")
    if done.changed and not done.replaced:
        click.echo("Changed documents keep their earlier text. To replace it, load the file again with --on-duplicate replace.")
    if changes.gone:
        click.echo(f"To remove documents that are no longer in the file: stc drop documents --file {changes.earlier[:12]}")
