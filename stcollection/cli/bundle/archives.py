"""Commands on bundles: ``stc bundle check`` and ``make``, ``stc export bundle`` and ``stc load --as bundle``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.bundle.make import BundleOptions, make_bundle
from stcollection.bundle.open import new_collection, open_bundle
from stcollection.cli.options import packed, together
from stcollection.cli.options.completion import DB, complete_collections
from stcollection.cli.options.files import FILE, OutputPath
from stcollection.cli.options.licences import licence_option
from stcollection.cli.options.measures import measures_option
from stcollection.cli.output import printable
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings, named
from stcollection.evaluation.measures import OFFICIAL, Measure
from stcollection.io.bundle.archive import check
from stcollection.io.bundle.description import CitationFacts
from stcollection.io.bundle.export import LAYOUTS, export_bundle


@click.command("check")
@click.argument("file", type=FILE)
@click.option("--hash", "digest", metavar="SHA256", help="Expected hash, as cited; another one is an error.")
def check_command(file: Path, digest: str | None) -> None:
    """Compare the checksums of a bundle, without a database.

    Prints its hash, and the hash of its data: all files except environment.json, which has the versions of the software.
    """
    bundle = check(file, digest=digest)
    editions, hidden, runs = (len(bundle.manifest[name]) for name in ("editions", "hidden", "runs"))
    click.echo(
        f"{file}: intact, {counted(len(bundle.files), 'file')} of {bundle.bytes / 1e6:,.1f} MB: collection"
        f" {printable(bundle.manifest['collection'])}, {counted(editions, 'edition')} ({hidden:,} hidden), {counted(runs, 'run')}"
    )
    click.echo(f"hash {bundle.digest}\ndata {bundle.data_digest}")


@click.command("export")
@click.argument("file", type=FILE)
@click.option("--format", "layout", type=click.Choice(list(LAYOUTS)), required=True, help="Layout of the folder.")
@click.option("--out", type=OutputPath(folder=True), required=True, metavar="FOLDER", help="Folder to create.")
@click.option("--edition", metavar="NAME", help="Only the judgments of this edition.  [default: all]")
def export_command(file: Path, layout: str, out: Path, edition: str | None) -> None:
    """Write a bundle as a folder that other tools read, without a database.

    beir: BEIR. hf: JSON lines with the README.md of Hugging Face. mteb: the same with task.py. ir_datasets: a Python module that
    registers the collection. tira: inputs, truths and runs. ro-crate: the files of the bundle, which describe themselves.
    """
    exported = export_bundle(file, out, layout=layout, edition=edition)
    if exported.without_text:
        aside(f"{counted(exported.without_text, 'document has', 'documents have')} no text in the bundle")
    click.echo(
        f"{out}: {counted(exported.documents, 'document')}, {counted(exported.queries, 'query')},"
        f" editions {', '.join(exported.editions) or 'none'}"
    )


_contents = together(
    click.option("--texts", is_flag=True, help="Include the texts of documents with an open licence (CC0, CC BY, CC BY-SA)."),
    licence_option("With --texts, include the texts of documents with these licences instead"),
    click.option("--articles", is_flag=True, help="Include the full texts of the articles of topics."),
)
_cited = together(
    click.option("--title", help="Title to cite.  [default: the name of the collection]"),
    click.option("--author", "authors", multiple=True, metavar="NAME", help="Author to cite. Repeatable."),
    click.option("--doi", help="DOI of the bundle, if you have reserved one."),
    click.option("--citation", type=FILE, help="CITATION.cff to include, instead of --title, --author and --doi."),
    click.option("--datasheet", type=FILE, help="Data sheet to include.  [default: the counts of the collection]"),
)


@click.command("make")
@click.argument("name", required=False)
@click.option("--out", type=OutputPath(), help="Write to FILE.  [default: NAME.zip]")
@_contents
@measures_option
@packed(BundleOptions, "options")
@_cited
@packed(CitationFacts, "facts")
@click.pass_obj
def make_command(settings: Settings, name: str | None, out: Path | None, options: BundleOptions, facts: CitationFacts) -> None:
    """Write a bundle of the collection NAME [default: stc's own --db]: references to its documents, topics, queries, judgments,
    runs, scores and how they were made, with checksums and one hash to cite.

    The same collection gives the same hash. Judgments and scores of hidden editions, names of annotators, passages of runs and
    embeddings are omitted. Texts are included with --texts only.
    """
    into = named(settings, name)
    measures: tuple[Measure, ...] = tuple(options.measures) or OFFICIAL
    wanted = BundleOptions(texts=options.texts, licences=options.licences, articles=options.articles, measures=measures)
    with connect(into, autocommit=True) as conn:
        done = make_bundle(conn, out or Path(f"{into.db}.zip"), options=wanted, facts=facts)
    click.echo(
        f"{done.path}: {counted(done.documents, 'document')} ({done.texts:,} with text),"
        f" {counted(done.editions, 'edition')}, {counted(done.runs, 'run')}"
    )
    if done.hidden:
        aside(f"without the judgments of {', '.join(done.hidden)}, which are hidden")
    click.echo(f"hash {done.digest}")


_SHOWN = 20


@click.command("open")
@click.argument("file", type=FILE)
@click.option("--hash", "digest", metavar="SHA256", help="Expected hash, as cited; another one is an error.")
@click.option(
    "--into",
    metavar="NAME",
    shell_complete=complete_collections,
    help="Add the bundle to this collection, which may have contents.  [default: create a collection]",
)
@click.pass_context
def open_command(ctx: click.Context, file: Path, digest: str | None, into: str | None) -> None:
    """Load a bundle into a new collection, compute the leaderboard again, and compare it with the bundle.

    --db NAME names the new collection. By default it has the name of the file; STC_DB does not count. It becomes visible when it is
    complete. --into NAME adds runs, queries and judgments to an existing collection; if one contradicts a stored one, nothing is
    stored. No network is needed. Exit code 3 if a score differs in any digit.
    """
    given = ctx.meta.get(DB) or ctx.find_root().params.get("db")
    if into and given and into != given:
        raise click.UsageError("Give --into or --db, not both.")
    settings: Settings = named(ctx.obj, into or given)
    if not (into or given):
        settings = new_collection(settings, file)
    done = open_bundle(settings, file, digest=digest, existing=into is not None)
    for note in done.notes:
        aside(printable(note))
    found = done.bundle.manifest
    click.echo(
        f"{'created' if done.created else 'added to'} {done.collection!r}: {counted(len(found['editions']), 'edition')},"
        f" {counted(len(found['runs']), 'run')}, hash {done.bundle.digest}"
    )
    if not done.differences:
        click.echo(f"leaderboard: {counted(done.means, 'mean')} and {counted(done.scores, 'score')} are equal to the last digit")
        return
    click.echo(f"leaderboard: {len(done.differences):,} of {counted(done.means + done.scores, 'value')} differ:")
    for one in done.differences[:_SHOWN]:
        place = f"{one.edition} {one.run} {one.query or 'mean'} {one.measure}"
        click.echo(printable(f"  {place}: {one.stored or 'missing'} in the bundle, {one.computed or 'missing'} here"))
    ctx.exit(3)
