"""The command ``stc bundle make``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.bundle.make import BundleOptions, make_bundle
from stcollection.cli.options import packed, together
from stcollection.cli.options.files import FILE, OutputPath
from stcollection.cli.options.licences import licence_option
from stcollection.cli.options.measures import measures_option
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings, named
from stcollection.evaluation.measures import OFFICIAL, Measure
from stcollection.io.bundle.description import CitationFacts

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
def command(settings: Settings, name: str | None, out: Path | None, options: BundleOptions, facts: CitationFacts) -> None:
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
