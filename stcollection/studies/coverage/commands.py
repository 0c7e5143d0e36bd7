"""The commands ``stc coverage compute``, ``stc show coverage`` and ``coverages``, and ``stc drop coverage``."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Annotated, Literal

import click

from stcollection.cells import on_one_line
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.queries import set_option
from stcollection.cli.output import ProgressBar, render
from stcollection.db.connection import connect
from stcollection.declared import Option
from stcollection.studies.coverage.records import KINDS, Coverage, CoverageOptions, Kind
from stcollection.studies.coverage.store import (
    CoverageRequest,
    KeptCoverage,
    drop_coverage,
    get_coverage,
    list_coverages,
    load_coverage,
    select_requests,
)
from stcollection.studies.coverage.tables import show, show_extremes

_HEADERS = ("coverage", "query", "documents", "topics", "itemsets", "concepts", "made", "text")


@command(select_requests)
def compute_command(
    call: Call[list[CoverageRequest]],
    *,
    queries: Annotated[
        str | None, set_option("Use the queries of a set that have a text", default="type:long", if_omitted=None)
    ] = None,
    options: CoverageOptions = CoverageOptions(),  # noqa: B008
    kinds: Annotated[Sequence[Literal[Kind, "all"]], Option(each="kind", default="lda")] = (),
    model: Annotated[str | None, Option(metavar="NAME", default="the collection's")] = None,
    store: Annotated[bool, Option("--store/--no-store")] = True,
    again: Annotated[bool, Option("--recompute")] = False,
    extremes: bool = False,
    style: Style = "table",
) -> None:
    """Find the topics of the abstracts nearest to a text, and count the documents of the whole corpus on each topic.

    QUERY is a stored query. Without QUERY, --queries and --text, uses the long queries: those with SimpleText names (G01.C1). In a
    collection without such names, these are queries of at least 10 words.

    A topic is a set of words: the heaviest words of an LDA topic, a frequent itemset of the abstracts, or the words of a formal
    concept. Its count is the number of documents that contain all the words, from the text index. Topics are sorted by count; the
    top quartile is marked frequent and the bottom quartile rare. A stored result is reused while the text, the options, the
    nearest abstracts and the corpus are unchanged.

    :param kinds: Kind of topics to show; all for every kind. Repeatable.
    :param model: Embedding model. :param store: Store the result. :param again: Recompute stored results.
    :param extremes: Print one row per query: the most frequent LDA topic and the rarest.
    """
    computed: list[tuple[str, Coverage]] = []
    with connect(call.settings, autocommit=True) as conn:
        requests = call(conn, queries=queries)
        with ProgressBar("topics of", unit="queries") as bar:
            for number, request in enumerate(requests):
                bar(number, len(requests), request.coverage)
                coverage = get_coverage(conn, request, options=options, model=model, store=store, again=again)
                computed.append((request.coverage, coverage))
    if extremes:
        show_extremes(computed, style=style)
        return
    chosen = KINDS if "all" in kinds else [kind for kind in kinds if kind != "all"] or ("lda",)
    show(computed, kinds=chosen, style=style)


@command(list_coverages)
def list_command(call: Call[list[KeptCoverage]], *, style: Style = "table") -> None:
    """List the stored coverages."""
    with connect(call.settings, autocommit=True) as conn:
        coverages = call(conn)
    rows = []
    for kept in coverages:
        text = on_one_line(kept.text)
        text = text if style in ("json", "csv") else textwrap.shorten(text, 60, placeholder=" …")
        made = kept.made.isoformat(" ", "seconds")
        rows.append((kept.coverage, kept.query, kept.documents, kept.topics, kept.itemsets, kept.concepts, made, text))
    click.echo(render(rows, _HEADERS, style=style))


@command(load_coverage)
def show_command(
    call: Call[Coverage],
    *,
    kinds: Annotated[Sequence[Kind], Option(each="kind", default="all")] = (),
    extremes: bool = False,
    style: Style = "table",
) -> None:
    """Show a stored coverage without recomputing it.

    :param kinds: Kind of topics to show. Repeatable.
    :param extremes: Print one row: the most frequent LDA topic and the rarest.
    """
    with connect(call.settings, autocommit=True) as conn:
        coverage = call(conn)
    if extremes:
        show_extremes([(call.given["name"], coverage)], style=style)
        return
    show([(call.given["name"], coverage)], kinds=kinds or KINDS, style=style)


@command(drop_coverage)
def drop_command(call: Call[None]) -> None:
    """Remove a stored coverage."""
    with connect(call.settings, autocommit=True) as conn:
        call(conn)
    click.echo(f"{call.given['name']}: dropped")
