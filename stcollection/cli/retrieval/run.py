"""The command ``stc retrieval run``."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import click

from stcollection.cli.options import packed
from stcollection.cli.options.articles import chunk_option
from stcollection.cli.options.filters import filter_options
from stcollection.cli.options.published import published_option
from stcollection.cli.options.queries import queries_option, warn_of_long
from stcollection.cli.output import ProgressBar
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.score import judge_each
from stcollection.published import RUN
from stcollection.retrieval import PUBLISHED, SYSTEMS
from stcollection.retrieval.batches import QUERY_FROM, QuerySource
from stcollection.retrieval.filters import TypedFilter, read_filter
from stcollection.retrieval.published import published_systems
from stcollection.retrieval.run import Ran, default_name, make_runs
from stcollection.runs.listing import stored_runs

_EXACT = ", all vectors compared in one pass"
_exact_option = click.option(
    "--exact/--no-exact",
    default=None,
    help="Compare all queries with all vectors in one pass, or search the index.  [default: the faster, unless you set its effort]",
)


@dataclass(frozen=True, kw_only=True)
class _Making:
    """How to make and store the runs."""

    name: str | None
    depth: int
    team: str | None
    replace: bool
    model: str | None
    workers: int | None
    exact: bool | None


class _Shown:
    """Show progress, and print each note once."""

    def __init__(self, bar: ProgressBar) -> None:
        self._bar, self._note = bar, ""

    def __call__(self, done: int, total: int, note: str) -> None:
        if note and note != self._note:
            aside(note)
            self._note = note
        self._bar(done, total)


@click.command("run")
@click.argument("system", type=click.Choice(SYSTEMS), required=False)
@click.option(
    "--all", "everything", is_flag=True, help="Make a run of each published system, named like the system, unless it is stored."
)
@click.option("--name", help="Name of the run.  [default: the system, with -article if articles are searched]")
@click.option("--depth", type=click.IntRange(min=1), default=1000, show_default=True, help="Number of documents per query.")
@click.option("--team", help="Team of the run.")
@click.option("--replace", is_flag=True, help="Replace a stored run with this name.")
@click.option("--model", metavar="SHORT", help="Name of the embedding model in the collection.  [default: the collection's first]")
@queries_option
@filter_options
@click.option(
    "--query-from",
    type=click.Choice(QUERY_FROM),
    default="query",
    show_default=True,
    help="Search the text of each query, or the article of its topic in chunks whose rankings are fused.",
)
@chunk_option
@click.option("--workers", type=click.IntRange(min=1), help="Sessions that search at once.  [default: 1 or 2 per core; at most 8]")
@_exact_option
@published_option(RUN, passed=True)
@packed(QuerySource, "source")
@packed(_Making, "making")
@click.pass_obj
def command(
    settings: Settings,
    /,
    system: str | None,
    everything: bool,
    making: _Making,
    source: QuerySource,
    queries: str,
    filtering: TypedFilter,
    published: bool,
) -> None:
    """Make a run: search all queries with SYSTEM and store the rankings.

    An interrupted command continues where it stopped. The run appears when all queries are searched.
    """
    if everything == (system is not None):
        raise click.UsageError(f"name one system ({', '.join(SYSTEMS)}), or --all")
    if everything and making.name:
        raise click.UsageError("--all names each run after its system; remove --name")
    with connect(settings) as conn:
        known = published_systems(conn, system) if published else PUBLISHED if system is None else [system]
        names = {default_name(one, source): one for one in known}
        skipped = stored_runs(conn, list(names)) if everything and not making.replace else []
        systems = [one for name, one in names.items() if name not in skipped]
        wanted = read_filter(conn, filtering)
        with ProgressBar("search", unit="queries") as bar:
            made = make_runs(conn, systems, filter=wanted, queries=queries, source=source, progress=_Shown(bar), **asdict(making))
            for done in judge_each(conn, made):
                _report(done)
    if skipped:
        click.echo(f"skipped {', '.join(skipped)}: already stored; --replace makes them again")


def _report(done: Ran) -> None:
    click.echo(f"{done.run}: {counted(done.ranked, 'document')} for {counted(done.queries, 'query')}{_EXACT * done.exact}")
    warn_of_long(done.long)
    if done.without_article:
        aside(f"{done.run}: skipped {counted(done.without_article, 'query')} whose topic has no article")
