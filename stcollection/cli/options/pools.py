"""Options of commands on pools."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import any_edition_option

relevant_option = click.option(
    "--min-grade",
    "relevant",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Lowest grade that counts as relevant.",
)
edition_option = any_edition_option("Edition whose judgments count.  [default: the grades on the pool's own sheets]")


def names(_: click.Context, __: click.Parameter, value: str | None) -> list[str]:
    return [name for name in (part.strip() for part in (value or "").split(",")) if name]
