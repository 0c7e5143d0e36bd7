"""The command ``stc answers train``."""

from __future__ import annotations

import dataclasses

import click

from stcollection.cli.options import packed
from stcollection.cli.options.answers import SPLITS, replace_model_option
from stcollection.cli.output import ProgressBar
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.agreement.model import LearningOptions
from stcollection.studies.answers.agreement.relate import QueryFolds, train
from stcollection.vectors.model import load

_KINDS = ("overlap", "embedding", "cues", "numbers", "length", "query", "stand")
_CLASSIFIERS = ("logistic", "boosting")


@click.command("train")
@click.argument("model")
@click.argument("set_", metavar="SET")
@click.option("--split", "splits", type=SPLITS, multiple=True, default=("train",), show_default=True, help="Repeat it for several.")
@click.option(
    "--features",
    "kinds",
    type=click.Choice(_KINDS),
    multiple=True,
    help="A kind of features; repeat it.  [default: all, but embedding only with --embed]",
)
@click.option(
    "--embed", "embedding", metavar="NAME", help="An embedding model on this machine, for the features embedding; slower."
)
@click.option("--shuffle-labels", "shuffle", is_flag=True, help="Learn from labels dealt out anew: a baseline that knows nothing.")
@click.option("--folds", type=click.IntRange(min=2), help="Cross-fit: store what models of the other folds tell of each.")
@click.option(
    "--by", type=click.Choice(("template", "query")), default="template", show_default=True, help="What is held out together."
)
@click.option("--classifier", type=click.Choice(_CLASSIFIERS), help="[default: the better one on held-out groups]")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of folds, shuffling and fitting.")
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
    """Train MODEL on the labelled pairs of SET: whether two answers to a query support each other.

    It is calibrated on held-out groups and kept in the database. With --folds every relation of these splits that it stores was
    told by a model that has not seen the template, or query, of the pair.
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
    told = f"; {done.relations:,} held-out relations stored" if folds.folds else ""
    click.echo(
        f"{done.model}: {done.classifier} on {done.pairs:,} pairs of {done.queries:,} queries, support from"
        f" {done.threshold:.3f} on{told}; data {done.fingerprint[:12]}"
    )
