"""The command ``stc vectors train``."""

from __future__ import annotations

from typing import Annotated

import click

from stcollection.analysis.training import training_gain
from stcollection.cli.declared import Call, command
from stcollection.cli.output import ProgressBar
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import AllowedRange
from stcollection.vectors.train import TrainedModel, train


@command(train)
def train_command(call: Call[TrainedModel], *, folds: Annotated[int, AllowedRange(ge=0, le=20)] = 5) -> None:
    """Fine-tune the embedding model on the queries and judgments of an edition, and store it as a further model.

    Then the gain is estimated by cross-validation, which trains once per fold. If you interrupt the training, nothing is stored.
    Later, the model stays, and the same command continues without training it again. Nothing is downloaded.

    :param folds: Folds to estimate the gain; 0: do not.
    """
    if folds == 1:
        raise click.BadParameter("use 0, or at least 2 folds", param_hint="--folds")
    short, given = call.group("short"), call.arguments()
    inputs = {name: value for name, value in given.items() if name not in ("folder", "short")}
    with connect(call.settings) as conn:
        with ProgressBar("train", unit="steps") as bar:
            trained = call(conn, progress=bar)
        best = max(trained.ndcg[1:])
        click.echo(
            f"{short}: {counted(trained.queries, 'query')}, nDCG@10 of {counted(trained.held_out, 'held-out query')}"
            f" {trained.ndcg[0]:.3f} before, {best:.3f} after {trained.ndcg.index(best, 1)} of"
            f" {counted(len(trained.ndcg) - 1, 'epoch')}; saved in {trained.folder}"
        )
        if best <= trained.ndcg[0]:
            click.echo("Training did not raise the nDCG@10 of the held-out queries: prefer the model that it started from.")
        if folds:
            with ProgressBar("validate", unit="folds") as bar:
                gain = training_gain(conn, folds=folds, progress=bar, **inputs)
            click.echo(
                f"on {counted(gain.queries, 'query')} in {counted(folds, 'fold')}:"
                f" nDCG@10 {gain.before:.3f} before, {gain.after:.3f} after;"
                f" gain {gain.gain:+.3f}, 95 % interval {gain.low:+.3f} to {gain.high:+.3f}"
            )
            if gain.low <= 0:
                click.echo("The interval includes 0 or lies below it: no evidence that training helps on new queries.")
    aside(f"for queries by {short}: export STC_MODEL_FOLDERS={trained.folder}")
