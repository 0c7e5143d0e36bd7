"""The command ``stc analysis cluster-hypothesis``."""

from __future__ import annotations

from dataclasses import astuple, fields, replace
from typing import Annotated

import click

from stcollection.analysis.cluster_hypothesis import NeighbourShare, mean_share, neighbour_shares
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.declared import Option


@command(neighbour_shares, omit=("effort",))
def cluster_hypothesis_command(
    call: Call[list[NeighbourShare]],
    *,
    exact: Annotated[bool, Option("--exact/--by-index")] = True,
    by_query: bool = False,
    style: Style = "table",
) -> None:
    """Test the cluster hypothesis: are the nearest neighbours of relevant documents relevant to the same query?

    Columns: judged_share: share of relevant documents among the nearest judged documents of a relevant one. corpus_share: the same
    among all documents, where unjudged ones count as not relevant. judged_chance, corpus_chance: the shares of neighbours at
    random. Values are means over queries with two relevant documents that have a vector. The test is by Voorhees (SIGIR 1985).

    :param exact: Compare with every document, or use the vector index: faster for large collections, slightly less complete.
    :param by_query: Print each query, not only the means.
    """
    rule = replace(call.group("rule"), effort=0 if exact else None)
    shares = call.once(rule=rule)
    rows = [*(shares if by_query else ()), mean_share(shares)]
    click.echo(render([astuple(row) for row in rows], [field.name for field in fields(NeighbourShare)], style=style))
    if all(share.judged == share.relevant for share in shares):
        aside("every judged document is relevant, so the shares among judged documents say nothing")
    aside(f"{counted(len(shares), 'query')}; {counted(rule.neighbours, 'neighbour')} by the vectors of the {rule.field}")
