"""``stc analysis answers``: which answer do the documents of a query agree on?"""

from __future__ import annotations

import click

from stcollection.cli.answer_baselines import baseline_
from stcollection.cli.answer_extracting import extract_, extracted_
from stcollection.cli.answer_loading import drop_, export_, files_, load_, rejects_, status_


@click.group("answers")
def answers() -> None:
    """Verify answers: group what documents say by agreement, return those behind the most endorsed."""


answers.add_command(baseline_)
answers.add_command(extract_)
answers.add_command(extracted_)
answers.add_command(load_)
answers.add_command(status_)
answers.add_command(files_)
answers.add_command(rejects_)
answers.add_command(export_)
answers.add_command(drop_)
