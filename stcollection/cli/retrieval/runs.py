"""The command ``stc run``."""

from __future__ import annotations

from typing import Annotated

import click

from stcollection.cli.declared import Call, command
from stcollection.cli.options.published import add_published
from stcollection.cli.options.queries import warn_of_long
from stcollection.cli.output import ProgressBar
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import Option
from stcollection.evaluation.incoming import default_name, make_run
from stcollection.published import RUN
from stcollection.retrieval import PUBLISHED
from stcollection.retrieval.published import published_systems
from stcollection.retrieval.run import Ran, check_systems
from stcollection.retrieval.settings import QuerySource
from stcollection.runs.faults import few
from stcollection.runs.listing import stored_runs
from stcollection.topics.excluded import queries_in_documents
from stcollection.topics.sets import ALL

_EXACT = ", all vectors compared in one pass"


class _Shown:
    """Show progress, and print each note once."""

    def __init__(self, bar: ProgressBar) -> None:
        self._bar, self._note = bar, ""

    def __call__(self, done: int, total: int, note: str) -> None:
        if note and note != self._note:
            aside(note)
            self._note = note
        self._bar(done, total)


@command(make_run)
def run_command(
    call: Call[Ran],
    *,
    system: Annotated[str | None, Option("SYSTEM", completed="systems")] = None,
    everything: Annotated[bool, Option("--all")] = False,
    published: bool = False,
) -> None:
    """Make a run: search all queries with SYSTEM and store the rankings.

    'stc show systems' lists the systems. An interrupted command continues where it stopped. The run appears when all queries are
    searched.

    :param everything: Make a run of each published system, named like the system, unless it is stored.
    :param published: Use the settings of the published collection: boolean requires every word; dense systems search an ivfflat
        index with 65 probes.
    """
    if everything == (system is not None):
        raise click.UsageError("name one system ('stc show systems' lists them), or --all")
    if everything and call.given.get("name"):
        raise click.UsageError("--all names each run after its system; remove --name")
    given = call.given
    if published:
        add_published(given, RUN)
    source = QuerySource(query_from=given.get("query_from", "query"))
    with connect(call.settings) as conn:
        known = published_systems(conn, system) if published else PUBLISHED if system is None else [system]
        names = {default_name(one, source): one for one in known}
        skipped = stored_runs(conn, list(names)) if everything and not given.get("replace") else []
        systems = [one for name, one in names.items() if name not in skipped]
        if len(systems) > 1:  # before the first run is stored
            check_systems(conn, systems, model=given.get("model"))
        with ProgressBar("search", unit="queries") as bar:
            for one in systems:
                _report(call(conn, system=one, progress=_Shown(bar)))
        if systems and not source.of_articles:
            _warn_of_documents(queries_in_documents(conn, given.get("queries", ALL)))
    if skipped:
        click.echo(f"skipped {', '.join(skipped)}: already stored; --replace makes them again")


def _report(made: Ran) -> None:
    click.echo(f"{made.run}: {counted(made.ranked, 'document')} for {counted(made.queries, 'query')}{_EXACT * made.exact}")
    warn_of_long(made.long)
    if made.without_article:
        aside(f"{made.run}: skipped {counted(made.without_article, 'query')} whose topic has no article")


def _warn_of_documents(taken: dict[str, str]) -> None:
    """Warn of queries that were perhaps taken from a document. :param taken: its docno by query."""
    if taken:
        texts = few([f"{query} in {docno}" for query, docno in taken.items()])
        aside(
            f"{counted(len(taken), 'query has', 'queries have')} a text that occurs in a document: {texts}."
            " Leave out the documents that queries were taken from: 'stc load --as excluded FILE'."
        )
