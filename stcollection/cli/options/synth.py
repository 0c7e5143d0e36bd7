"""Options of commands on synthetic queries."""

from __future__ import annotations

import click

level_option = click.option(
    "--min-grade",
    "level",
    type=click.IntRange(1, 32767),
    default=1,
    show_default=True,
    help="Lowest grade that counts as relevant.",
)
