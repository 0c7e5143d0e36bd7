"""The command ``stc analysis cluster-hypothesis``."""

from __future__ import annotations

from dataclasses import astuple, fields

import click

from stcollection.analysis.cluster_hypothesis import NeighbourRule, NeighbourShare, mean_share, neighbour_shares
from stcollection.cli.options import packed
from stcollection.cli.options.editions import edition_argument
from stcollection.cli.options.queries import queries_option
from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("cluster-hypothesis")
@edition_argument
@queries_option
@click.option(
    "--field",
    type=click.Choice(["title", "abstract", "content"]),
    default="abstract",
    show_default=True,
    help="Field whose vectors define the neighbours.",
)
@click.option("--model", metavar="SHORT", help="Embedding model.  [default: the collection's default model]")
@click.option("--neighbours", type=click.IntRange(min=1), default=5, show_default=True, help="Number of nearest neighbours.")
@click.option("--from-rel", type=int, default=1, show_default=True, help="Lowest grade of a relevant document.")
@click.option("--corpus/--judged-only", "in_corpus", default=True, help="Also find neighbours among all documents.  [default: yes]")
@click.option(
    "--exact/--by-index",
    "effort",
    default=True,
    show_default=True,
    callback=lambda _, __, exact: 0 if exact else None,
    help="Compare with every document, or use the vector index: faster for large collections, slightly less complete.",
)
@click.option("--by-query", is_flag=True, help="Print each query, not only the means.")
@format_option
@packed(NeighbourRule, "rule")
@click.pass_obj
def command(settings: Settings, /, edition: str, queries: str, rule: NeighbourRule, by_query: bool, style: str) -> None:
    """Test the cluster hypothesis: are the nearest neighbours of relevant documents relevant to the same query?

    Columns: judged_share: share of relevant documents among the nearest judged documents of a relevant one. corpus_share: the same
    among all documents, where unjudged ones count as not relevant. judged_chance, corpus_chance: the shares of neighbours at
    random. Values are means over queries with two relevant documents that have a vector. The test is by Voorhees (SIGIR 1985).
    """
    with connect(settings) as conn:
        shares = neighbour_shares(conn, edition=edition, queries=queries, rule=rule)
    rows = [*(shares if by_query else ()), mean_share(shares)]
    click.echo(render([astuple(one) for one in rows], [one.name for one in fields(NeighbourShare)], style=style))
    if all(one.judged == one.relevant for one in shares):
        aside("every judged document is relevant, so the shares among judged documents say nothing")
    aside(f"{counted(len(shares), 'query')}; {counted(rule.neighbours, 'neighbour')} by the vectors of the {rule.field}")
