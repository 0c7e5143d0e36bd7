"""Options of reliability, as tables and as figures."""

from __future__ import annotations

from collections.abc import Sequence

import click

from stcollection.errors import BadArgument

SETS = "all, human, synthetic, t5, gpt-4, …, a+b; human/keyword are those of a type"
against_option = click.option(
    "--against", default="human", show_default=True, metavar="SET", help="The set whose ranking is met, with growth."
)
draws_option = click.option(
    "--draws", type=click.IntRange(1, 10_000), default=1000, show_default=True, help="Of each size, with growth."
)
of_option = click.option(
    "--of", multiple=True, metavar="SET", help="Sets to draw from, with growth; repeat it.  [default: each origin there is]"
)
runs_option = click.option("--runs", multiple=True, metavar="RUN", help="The systems; repeat it, or use commas.  [default: all]")
seed_option = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of what is drawn.")


def _sizes(_: click.Context, __: click.Parameter, text: str | None) -> list[int]:
    if text is None:
        return []
    if not all(part.strip().isdecimal() and len(part.strip()) < 9 for part in text.split(",")):
        raise BadArgument(f"sizes {text!r}", hint="Numbers with commas between: 1,5,10,20.", sqlstate="IR202")
    return [int(part) for part in text.split(",")]


def pair_of(text: str) -> tuple[str, str]:
    """``human:t5``, apart."""
    a, parted, b = text.partition(":")
    if not (a and parted and b) or ":" in b:
        raise BadArgument(f"{text!r} is no pair of sets", hint="As human:t5, with one colon between.", sqlstate="IR202")
    return a, b


def run_names(texts: Sequence[str]) -> list[str]:
    """Names as typed, with commas between or one an option."""
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


sizes_option = click.option(
    "--sizes", callback=_sizes, metavar="N,N,…", help="Queries drawn, with growth.  [default: up to twenty sizes]"
)
