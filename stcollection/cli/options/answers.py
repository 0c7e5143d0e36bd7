"""Options of commands on answers: which split of a data set."""

from __future__ import annotations

import click

from stcollection.studies.answers.files import SPLITS as _NAMES

SPLITS = click.Choice(_NAMES)
split_option = click.option("--split", type=SPLITS, default="test", show_default=True, help="Which part of the data set.")
required_split_option = click.option("--split", type=SPLITS, required=True, help="Which part of SET.")
only_split_option = click.option("--split", type=SPLITS, help="Of this split only.")
replace_model_option = click.option(
    "--replace", is_flag=True, help="Put it in the place of the model of this name, and of all that one told."
)
