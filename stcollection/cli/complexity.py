"""``stc complexity``: readability and credibility."""

from __future__ import annotations

import click

from stcollection.cli.crediting import citations, credibility, status


@click.group()
def complexity() -> None:
    """Readability by 20 measures, credibility by citations, and what people say of both."""


complexity.add_command(credibility)
complexity.add_command(citations)
complexity.add_command(status)
