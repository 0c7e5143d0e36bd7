"""``stc retrieval``: search, and make runs."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Sequence
from typing import Any

import click
import orjson

from stcollection.cli.combining import combine, pareto
from stcollection.cli.combining import tune as combine_tune
from stcollection.cli.filtering import filter_options, read_filter
from stcollection.cli.fusing import fuse, rerank, tune
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.score import judge_new
from stcollection.retrieval import EMBEDDING, PUBLISHED, SYSTEMS
from stcollection.retrieval.run import check_systems, run
from stcollection.retrieval.search import Found, search

_WIDTH = 100


@click.group()
def retrieval() -> None:
    """Search, and make runs."""


@retrieval.command("search")
@click.argument("text")
@click.option("--system", type=click.Choice(SYSTEMS), default="hybrid", show_default=True, help="What ranks.")
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="Documents to show.")
@click.option("--model", metavar="SHORT", help="The embedding model's name in the collection.  [default: the collection's first]")
@filter_options
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def search_(settings: Settings, /, text: str, system: str, k: int, model: str | None, as_json: bool, **filtering: Any) -> None:
    """The best documents for a query TEXT: rank, score, name, year, title, and a sentence of the abstract."""
    with connect(settings) as conn:
        wanted = read_filter(conn, **filtering)
        if system in EMBEDDING:  # before the model is loaded
            check_systems(conn, [system], model=model)
        found = search(conn, text, system=system, k=k, model=model, filter=wanted)
    if as_json:
        click.echo(orjson.dumps([dataclasses.asdict(one) for one in found], option=orjson.OPT_INDENT_2))
    elif found:
        click.echo("\n".join(_lines(found)))
    else:
        click.echo("nothing found", err=True)


def _lines(found: Sequence[Found]) -> list[str]:
    """For each document a line, its title and its snippet indented under it, in 100 columns."""
    names = max(len(one.docno) for one in found)
    lines: list[str] = []
    for one in found:
        head = f"{one.rank:>3}  {one.score:8.4f}  {one.docno:<{names}}  {one.year or '':>4}  "
        indent = " " * min(len(head), _WIDTH // 2)
        lines += textwrap.wrap(one.title or "(no title)", _WIDTH, initial_indent=head, subsequent_indent=indent, max_lines=3)
        snippet = textwrap.wrap(
            one.snippet or "", _WIDTH, initial_indent=indent, subsequent_indent=indent, max_lines=3, placeholder=" …"
        )
        lines += [click.style(line, dim=True) for line in snippet]
    return lines


@retrieval.command("run")
@click.argument("system", type=click.Choice(SYSTEMS), required=False)
@click.option("--all", "everything", is_flag=True, help="A run of each published system, named like it.")
@click.option("--name", help="The run's name.  [default: the system's]")
@click.option("--depth", type=click.IntRange(min=1), default=1000, show_default=True, help="Documents a query at most.")
@click.option("--team", help="Whose run it is.")
@click.option("--replace", is_flag=True, help="Put it in the place of a stored run of that name.")
@click.option("--model", metavar="SHORT", help="The embedding model's name in the collection.  [default: the collection's first]")
@filter_options
@click.pass_obj
def run_(
    settings: Settings,
    /,
    system: str | None,
    everything: bool,
    name: str | None,
    depth: int,
    team: str | None,
    replace: bool,
    model: str | None,
    **filtering: Any,
) -> None:
    """Fill a run with what SYSTEM finds for all queries."""
    if everything == (system is not None):
        raise click.UsageError(f"name one system ({', '.join(SYSTEMS)}), or --all")
    if everything and name:
        raise click.UsageError("--all names each run like its system; leave --name out")
    with connect(settings) as conn:
        wanted = read_filter(conn, **filtering)
        if system is None:  # before the first run is stored
            check_systems(conn, PUBLISHED, model=model)
        for one in PUBLISHED if system is None else (system,):
            done = run(conn, system=one, name=name or one, depth=depth, team=team, replace=replace, filter=wanted, model=model)
            click.echo(f"{done.run}: {done.ranked:,} documents for {done.queries:,} queries")
            judge_new(conn, [done.run])


retrieval.add_command(fuse)
retrieval.add_command(tune)
retrieval.add_command(rerank)
retrieval.add_command(combine)
retrieval.add_command(combine_tune)
retrieval.add_command(pareto)
