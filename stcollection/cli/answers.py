"""``stc analysis answers``: which answer do the documents of a query agree on?"""

from __future__ import annotations

import click


@click.group("answers")
def answers() -> None:
    """Verify answers: group what documents say by agreement, return those behind the most endorsed."""
