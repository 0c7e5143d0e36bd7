"""Options of reliability, for its tables and figures."""

from __future__ import annotations

from collections.abc import Sequence

import click

from stcollection.errors import BadArgument

SETS = "all, human, synthetic, t5, gpt-4, …, a+b; human/keyword are those of a type"
against_option = click.option(
    "--reference",
    "against",
    default="human",
    show_default=True,
    metavar="SET",
    help="Set of queries that gives the reference ranking of growth curves.",
)
draws_option = click.option(
    "--draws", type=click.IntRange(1, 10_000), default=1000, show_default=True, help="Number of draws per size, for growth curves."
)
of_option = click.option(
    "--queries",
    "of",
    multiple=True,
    metavar="SET",
    help="Set of queries to draw from, for growth curves. Repeatable.  [default: every origin]",
)
runs_option = click.option(
    "--runs", multiple=True, metavar="RUN", help="Use only these runs. Repeatable, or comma-separated.  [default: all]"
)
seed_option = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the draws.")


def _sizes(_: click.Context, __: click.Parameter, text: str | None) -> list[int]:
    if text is None:
        return []
    if not all(part.strip().isdecimal() and len(part.strip()) < 9 for part in text.split(",")):
        raise BadArgument(f"sizes {text!r}", hint="Separate numbers by commas: 1,5,10,20.", sqlstate="IR202")
    return [int(part) for part in text.split(",")]


def pair_of(text: str) -> tuple[str, str]:
    """Split ``human:t5`` into its parts."""
    a, parted, b = text.partition(":")
    if not (a and parted and b) or ":" in b:
        raise BadArgument(f"{text!r} is not a pair of sets", hint="Separate two sets by one colon: human:t5.", sqlstate="IR202")
    return a, b


def run_names(texts: Sequence[str]) -> list[str]:
    """Return names that were typed as several options or separated by commas."""
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


sizes_option = click.option(
    "--sizes",
    callback=_sizes,
    metavar="N,N,…",
    help="Comma-separated numbers of queries to draw, for growth curves.  [default: up to twenty sizes]",
)
