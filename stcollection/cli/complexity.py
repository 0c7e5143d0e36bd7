"""``stc complexity``: readability and credibility."""

from __future__ import annotations

import click


@click.group()
def complexity() -> None:
    """Readability by 20 measures, credibility by citations, and what people say of both."""
