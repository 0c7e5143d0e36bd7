"""``stc complexity``: readability and credibility."""

from __future__ import annotations

import click

from stcollection.cli.annotating import annotations_


@click.group()
def complexity() -> None:
    """Readability by 20 measures, credibility by citations, and what people say of both."""


complexity.add_command(annotations_)
