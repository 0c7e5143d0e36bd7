"""Options that select a split of a data set of answers."""

from __future__ import annotations

import click

from stcollection.studies.answers.files import SPLITS as _NAMES

SPLITS = click.Choice(_NAMES)
split_option = click.option("--split", type=SPLITS, default="test", show_default=True, help="Split of the data set.")
required_split_option = click.option("--split", type=SPLITS, required=True, help="Split of SET.")
only_split_option = click.option("--split", type=SPLITS, help="Restrict the command to this split.")
training_splits_option = click.option(
    "--split",
    "splits",
    type=SPLITS,
    multiple=True,
    default=("train",),
    show_default=True,
    help="Split to train on. Repeatable.",
)
device_option = click.option(
    "--device",
    type=click.Choice(("auto", "cuda", "cpu")),
    default="auto",
    show_default=True,
    callback=lambda _, __, chosen: None if chosen == "auto" else chosen,
    help="Where cross-encoders and embedding models run; auto uses a GPU if there is one.",
)
replace_model_option = click.option("--replace", is_flag=True, help="Replace a model with this name, with its predictions.")
