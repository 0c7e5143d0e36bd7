"""``stc analysis answers``: which answer do the documents of a query agree on?"""

from __future__ import annotations

import click

from stcollection.cli.answer_baselines import baseline_
from stcollection.cli.answer_clustering import cluster_, drop_run_, runs_
from stcollection.cli.answer_explaining import explain_
from stcollection.cli.answer_extracting import extract_, extracted_
from stcollection.cli.answer_loading import drop_, files_, load_, rejects_, status_, unload_
from stcollection.cli.answer_relating import check_, drop_model, models_, nli_, relate_, train_
from stcollection.cli.answer_scoring import export_, import_, leaderboard_, score_
from stcollection.cli.answer_studying import study_


@click.group("answers")
def answers() -> None:
    """Verify answers: group what documents say by agreement, return those behind the most endorsed."""


for command in (
    load_, status_, files_, rejects_, unload_, drop_, baseline_, extract_, extracted_, train_, nli_, models_, relate_, check_,
    drop_model, cluster_, runs_, drop_run_, score_, leaderboard_, explain_, export_, import_, study_,
):  # fmt: skip
    answers.add_command(command)
