"""The command ``stc answers finetune``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from stcollection.cli.options import packed, together
from stcollection.cli.options.answers import device_option, replace_model_option, training_splits_option
from stcollection.cli.options.files import OutputPath
from stcollection.cli.output import ProgressBar
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.agreement.options import AS_USUAL, FinetuneOptions


def _number(name: str, type: click.ParamType[Any], told: str) -> Callable[[Any], Any]:  # noqa: A002
    return click.option(f"--{name}", type=type, default=getattr(AS_USUAL, name), show_default=True, help=told)


_options = together(
    training_splits_option,
    click.option("--base", metavar="NAME_OR_FOLDER", help="Model to start from, on this machine.  [default: the embedding model]"),
    _number("epochs", click.IntRange(min=1), "Maximum number of passes."),
    _number("patience", click.IntRange(min=1), "Passes without improvement before it ends."),
    _number("batch", click.IntRange(min=1), "Pairs per step."),
    _number("rate", click.FloatRange(0, 1, min_open=True, max_open=True), "Learning rate."),
    _number("tokens", click.IntRange(min=16), "Longer inputs are truncated."),
    _number("seed", click.IntRange(min=0), "Seed of all random choices."),
)


@click.command("finetune")
@click.argument("model")
@click.argument("set_", metavar="SET")
@click.option("--out", "folder", type=OutputPath(folder=True), required=True, help="New folder for the model.")
@_options
@device_option
@replace_model_option
@packed(FinetuneOptions, "options")
@click.pass_obj
def command(
    settings: Settings,
    model: str,
    set_: str,
    folder: Path,
    splits: tuple[str, ...],
    options: FinetuneOptions,
    device: str | None,
    replace: bool,
) -> None:
    """Fine-tune a cross-encoder on the labelled pairs of SET, and register it as MODEL.

    It reads the query and both answers together. A tenth of the kinds of question is held out; training ends when it no longer
    improves on them. This takes minutes to hours on a CPU. Nothing is downloaded.
    """
    from stcollection.studies.answers.agreement.finetune import finetune

    with connect(settings) as conn, ProgressBar("steps", unit="steps") as progress:
        done = finetune(
            conn,
            model,
            set=set_,
            split=splits,
            folder=folder,
            options=options,
            replace=replace,
            device=device,
            progress=progress,
        ).about
    click.echo(
        f"{model}: {counted(done.pairs, 'pair')}, log loss of {counted(done.held_out, 'held-out pair')}"
        f" {done.losses[0]:.3f} before,"
        f" {min(done.losses):.3f} after {done.losses.index(min(done.losses))} of"
        f" {counted(len(done.losses) - 1, 'epoch')}; support from"
        f" {done.threshold:.3f} on; data {done.data[:12]}; written to {folder}"
    )
