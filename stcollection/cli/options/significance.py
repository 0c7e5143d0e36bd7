"""Options of significance tests between pairs of runs."""

from __future__ import annotations

import click

seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the randomisation and the bootstrap."
)
