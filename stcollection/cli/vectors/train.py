"""The command ``stc vectors train``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.analysis.training import training_gain
from stcollection.cli.options import packed, together
from stcollection.cli.options.files import OutputPath
from stcollection.cli.output import ProgressBar
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.store import DOCUMENT_FIELDS
from stcollection.vectors.train import AS_USUAL, TrainingOptions, train

_options = together(
    click.option(
        "--epochs", type=click.IntRange(min=1), default=AS_USUAL.epochs, show_default=True, help="Maximum number of passes."
    ),
    click.option(
        "--patience",
        type=click.IntRange(min=1),
        default=AS_USUAL.patience,
        show_default=True,
        help="Passes without improvement before it ends.",
    ),
    click.option("--batch", type=click.IntRange(min=2), default=AS_USUAL.batch, show_default=True, help="Pairs per step."),
    click.option(
        "--rate", type=click.FloatRange(0, 1, min_open=True), default=AS_USUAL.rate, show_default=True, help="Learning rate."
    ),
    click.option(
        "--held-out",
        type=click.FloatRange(0.05, 0.5),
        default=AS_USUAL.held_out,
        show_default=True,
        help="Share of the queries for early stopping.",
    ),
    click.option(
        "--negatives", type=click.IntRange(1, 10), default=1, show_default=True, help="Hard negatives per relevant document."
    ),
    click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all random choices."),
)


@click.command("train")
@click.option("--edition", required=True, metavar="EDITION", help="Edition to train on; not a test edition.")
@click.option("--out", "folder", type=OutputPath(folder=True), required=True, help="New folder for the model.")
@click.option("--model", metavar="SHORT", help="Stored model to start from.  [default: the collection's first]")
@click.option("--as", "short", metavar="SHORT", default="trained", show_default=True, help="Name of the new model.")
@click.option("--field", type=click.Choice(DOCUMENT_FIELDS), default="abstract", show_default=True, help="Field to train on.")
@click.option("--folds", type=click.IntRange(0, 20), default=5, show_default=True, help="Folds to estimate the gain; 0: do not.")
@_options
@packed(TrainingOptions, "options")
@click.pass_obj
def command(
    settings: Settings,
    edition: str,
    folder: Path,
    model: str | None,
    short: str,
    field: str,
    folds: int,
    options: TrainingOptions,
) -> None:
    """Fine-tune the embedding model on the queries and judgments of an edition, and store it as a further model.

    Then the gain is estimated by cross-validation, which trains once per fold. If you interrupt the training, nothing is stored.
    Later, the model stays, and the same command continues without training it again. Nothing is downloaded.
    """
    if folds == 1:
        raise click.BadParameter("use 0, or at least 2 folds", param_hint="--folds")
    with connect(settings) as conn:
        with ProgressBar("train", unit="steps") as bar:
            done = train(conn, edition=edition, folder=folder, model=model, short=short, field=field, options=options, progress=bar)
        best = max(done.ndcg[1:])
        click.echo(
            f"{short}: {counted(done.queries, 'query')}, nDCG@10 of {counted(done.held_out, 'held-out query')}"
            f" {done.ndcg[0]:.3f} before, {best:.3f} after {done.ndcg.index(best, 1)} of"
            f" {counted(len(done.ndcg) - 1, 'epoch')}; saved in {done.folder}"
        )
        if best <= done.ndcg[0]:
            click.echo("Training did not raise the nDCG@10 of the held-out queries: prefer the model that it started from.")
        if folds:
            with ProgressBar("validate", unit="folds") as bar:
                gain = training_gain(conn, edition=edition, model=model, field=field, folds=folds, options=options, progress=bar)
            click.echo(
                f"on {counted(gain.queries, 'query')} in {counted(folds, 'fold')}:"
                f" nDCG@10 {gain.before:.3f} before, {gain.after:.3f} after;"
                f" gain {gain.gain:+.3f}, 95 % interval {gain.low:+.3f} to {gain.high:+.3f}"
            )
            if gain.low <= 0:
                click.echo("The interval includes 0 or lies below it: no evidence that training helps on new queries.")
    aside(f"for queries by {short}: export STC_MODEL_FOLDERS={done.folder}")
