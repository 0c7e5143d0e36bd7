"""The command ``stc answers train``."""

from __future__ import annotations

import dataclasses

import click

from stcollection.cli.options import packed, together
from stcollection.cli.options.answers import replace_model_option, training_splits_option
from stcollection.cli.output import ProgressBar
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.agreement.model import LearningOptions
from stcollection.studies.answers.agreement.relate import QueryFolds, train
from stcollection.vectors.model import load

_KINDS = ("overlap", "embedding", "cues", "numbers", "length", "query", "stand")
_CLASSIFIERS = ("logistic", "boosting")


_options = together(
    training_splits_option,
    click.option(
        "--features",
        "kinds",
        type=click.Choice(_KINDS),
        multiple=True,
        help="Kind of features to use. Repeatable.  [default: all; embedding only with --embed]",
    ),
    click.option(
        "--embed", "embedding", metavar="NAME", help="Embedding model on this machine, for the embedding features. Slower."
    ),
    click.option(
        "--shuffle-labels", "shuffle", is_flag=True, help="Shuffle the labels before training: a baseline that learns nothing."
    ),
    click.option(
        "--folds",
        type=click.IntRange(min=2),
        help="Cross-fit with N folds, and store each fold's relations as predicted by a model trained on the others.",
    ),
    click.option(
        "--by",
        type=click.Choice(("template", "query")),
        default="template",
        show_default=True,
        help="Keep the pairs of one template, or of one query, in the same fold.",
    ),
    click.option("--classifier", type=click.Choice(_CLASSIFIERS), help="Classifier.  [default: the better one on held-out groups]"),
    click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of folds, shuffling and fitting."),
)


@click.command("train")
@click.argument("model")
@click.argument("set_", metavar="SET")
@_options
@replace_model_option
@packed(LearningOptions, "options")
@packed(QueryFolds, "folds")
@click.pass_obj
def command(
    settings: Settings,
    model: str,
    set_: str,
    splits: tuple[str, ...],
    embedding: str | None,
    options: LearningOptions,
    folds: QueryFolds,
    replace: bool,
) -> None:
    """Train MODEL on the labelled pairs of SET to predict whether two answers to a query support each other.

    The model is calibrated on held-out groups and stored in the database. With --folds, every stored relation of these splits was
    predicted by a model that has not seen the template (or query) of the pair.
    """
    kinds = options.kinds or tuple(kind for kind in _KINDS if kind != "embedding" or embedding)
    with connect(settings) as conn, ProgressBar("folds", unit="folds") as progress:
        encoder = None if embedding is None else load(embedding)
        done = train(
            conn,
            model,
            set=set_,
            split=splits,
            options=dataclasses.replace(options, kinds=kinds, embed=encoder),
            folds=folds,
            replace=replace,
            progress=progress,
        )
    told = f"; {counted(done.relations, 'held-out relation')} stored" if folds.folds else ""
    click.echo(
        f"{done.model}: {done.classifier} on {counted(done.pairs, 'pair')} of {counted(done.queries, 'query')}, support from"
        f" {done.threshold:.3f} on{told}; data {done.fingerprint[:12]}"
    )
