"""The command ``stc vectors audit``."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import click

from stcollection.cli.options import packed
from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.audit import Measured, cheapest, keep, measure
from stcollection.vectors.store import FIELDS


def _numbers(_: click.Context, option: click.Parameter, value: str | None) -> list[int] | None:
    """Return integers from a comma-separated list."""
    try:
        return None if value is None else [int(one) for one in value.split(",")]
    except ValueError as error:
        raise click.BadParameter(f"{value!r} is not a list of integers such as 1,2,5,10", param=option) from error


@dataclass(frozen=True, kw_only=True)
class _Sample:
    """The measurement."""

    queries: int
    efforts: list[int] | None
    seed: int


@click.command("audit")
@click.option("--model", metavar="SHORT", help="Name of the model in the collection.  [default: the collection's first]")
@click.option(
    "--field", type=click.Choice([*FIELDS, "content", "passage", "title_only"]), required=True, help="Field of the index."
)
@click.option(
    "--cutoff", "k", type=click.IntRange(min=1), default=10, show_default=True, help="Number of nearest neighbours, k of recall@k."
)
@click.option(
    "--sample", "queries", type=click.IntRange(min=1), default=100, show_default=True, help="Number of queries to measure with."
)
@click.option("--recall", type=click.FloatRange(0, 1, min_open=True), default=0.95, show_default=True, help="Recall to reach.")
@click.option("--grid", callback=_numbers, metavar="N,N,…", help="Efforts to try.  [default: depends on the kind of index]")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the sample of queries.")
@click.option("--dry-run", is_flag=True, help="Measure, but store nothing.")
@format_option
@packed(_Sample, "sample", grid="efforts")
@click.pass_obj
def command(
    settings: Settings,
    model: str | None,
    field: str,
    k: int,
    sample: _Sample,
    recall: float,
    dry_run: bool,
    style: str,
) -> None:
    """Measure recall and speed of an index against the exact scan, and store the smallest sufficient effort as its default.

    Uses queries of the topics if enough of them have vectors, else documents. If no effort reaches --recall, nothing is stored.
    """
    with connect(settings) as conn:
        measured = measure(conn, field=field, model=model, k=k, **asdict(sample))
        click.echo(
            render([_audited(one) for one in measured], ["effort", f"recall@{k}", "ms", "ms p95", "queries", "source"], style=style)
        )
        chosen = cheapest(measured, recall=recall)
        if not dry_run:
            keep(conn, chosen, field=field, k=k, model=model)
    effect = "would become" if dry_run else "is now"
    aside(f"effort {chosen.effort:,}, recall@{k} {chosen.recall:.4f}, {effect} the default of searches by {field}")


def _audited(one: Measured) -> tuple[object, ...]:
    return (one.effort, one.recall, one.ms, one.ms_p95, one.sampled, one.source)
