"""``stc analysis answers``: which answer do the documents of a query agree on?"""

from __future__ import annotations

import click

from stcollection.cli.answer_relating import check_, drop_model, models_, nli_, relate_, train_


@click.group("answers")
def answers() -> None:
    """Verify answers: group what documents say by agreement, return those behind the most endorsed."""


for command in (train_, nli_, models_, relate_, check_, drop_model):
    answers.add_command(command)
