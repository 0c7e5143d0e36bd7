"""``stc analysis answers train | nli | models | relate | check | drop-model``: which answers support one another."""

from __future__ import annotations

import click

from stcollection.cli.output import Progress, format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings

_KINDS = ("overlap", "embedding", "cues", "numbers", "length", "query", "stand")
_CLASSIFIERS = ("logistic", "boosting")
_SPLITS = click.Choice(("train", "dev", "test"))
_split = click.option("--split", type=_SPLITS, required=True, help="Which part of SET.")
_replace = click.option("--replace", is_flag=True, help="Put it in the place of the model of this name, and of all that one told.")


@click.command("train")
@click.argument("model")
@click.argument("set_", metavar="SET")
@click.option(
    "--split", "splits", type=_SPLITS, multiple=True, default=("train",), show_default=True, help="Repeat it for several."
)
@click.option(
    "--features", "kinds", type=click.Choice(_KINDS), multiple=True,
    help="A kind of features; repeat it.  [default: all, but embedding only with --embed]",
)  # fmt: skip
@click.option("--embed", metavar="NAME", help="An embedding model on this machine, for the features embedding; slower.")
@click.option("--shuffle-labels", is_flag=True, help="Learn from labels dealt out anew: a baseline that knows nothing.")
@click.option("--folds", type=click.IntRange(min=2), help="Cross-fit: store what models of the other folds tell of each.")
@click.option(
    "--by", type=click.Choice(("template", "query")), default="template", show_default=True, help="What is held out together."
)
@click.option("--classifier", type=click.Choice(_CLASSIFIERS), help="[default: the better one on held-out groups]")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of folds, shuffling and fitting.")
@_replace
@click.pass_obj
def train_(
    settings: Settings, model: str, set_: str, splits: tuple[str, ...], kinds: tuple[str, ...], embed: str | None,
    shuffle_labels: bool, folds: int | None, by: str, classifier: str | None, seed: int, replace: bool,
) -> None:  # fmt: skip
    """Train MODEL on the labelled pairs of SET: whether two answers to a query support each other.

    It is calibrated on held-out groups and kept in the database. With --folds every relation of these splits that it stores was
    told by a model that has not seen the template, or query, of the pair.
    """
    from stcollection.studies.answers.agreement.relate import train
    from stcollection.vectors.model import load

    wanted = kinds or tuple(kind for kind in _KINDS if kind != "embedding" or embed)
    with connect(settings) as conn, Progress("folds", unit="folds") as progress:
        done = train(
            conn, model, set=set_, split=splits, kinds=wanted, shuffle=shuffle_labels, folds=folds, by=by, seed=seed,
            classifier=classifier, embed=None if embed is None else load(embed), replace=replace, progress=progress,
        )  # fmt: skip
    told = f"; {done.relations:,} held-out relations stored" if folds else ""
    click.echo(
        f"{done.model}: {done.classifier} on {done.pairs:,} pairs of {done.queries:,} queries, support from"
        f" {done.threshold:.3f} on{told}; data {done.fingerprint[:12]}"
    )


@click.command("nli")
@click.argument("model")
@click.option("--name", required=True, metavar="NAME_OR_FOLDER", help="A cross-encoder in the local cache, or its folder.")
@_replace
@click.pass_obj
def nli_(settings: Settings, model: str, name: str, replace: bool) -> None:
    """Register a cross-encoder of natural language inference as MODEL; nothing is downloaded.

    Entailment in either direction is support, contradiction opposes; which output is which its config.json says.
    """
    from stcollection.studies.answers.agreement.relate import register

    with connect(settings) as conn:
        done = register(conn, model, name=name, replace=replace)
    click.echo(f"{model}: {done.name}, {done.revision[:19]}, labels {done.labels}")


@click.command("models")
@format_option
@click.pass_obj
def models_(settings: Settings, style: str) -> None:
    """The models of agreement there are."""
    from stcollection.studies.answers.agreement.store import models

    with connect(settings) as conn:
        found = models(conn)
    rows = []
    for one in found:
        what = one.params.get("classifier") or one.params.get("name")
        data = " ".join([one.params["set"], *one.params["splits"]]) if "set" in one.params else None
        held = f"{one.params['folds']} by {one.params['by']}" if one.params.get("folds") else None
        learnt = " ".join(one.params.get("kinds", [])) + (" shuffled" if one.params.get("shuffled") else "")
        rows.append(
            (one.model, what, learnt or None, data, one.params.get("pairs"), held, one.params["threshold"], one.relations,
             (one.fingerprint or "")[:12] or None, (one.params.get("versions") or {}).get("scikit-learn"))
        )  # fmt: skip
    headers = ["model", "what", "features", "data", "pairs", "folds", "threshold", "relations", "fingerprint", "scikit-learn"]
    click.echo(render(rows, headers, style=style))


@click.command("relate")
@click.argument("set_", metavar="SET")
@_split
@click.option("--model", required=True, help="The model of agreement that is asked.")
@click.option("--source", default="given", show_default=True, help="given, or the name of an extraction.")
@click.pass_obj
def relate_(settings: Settings, set_: str, split: str, model: str, source: str) -> None:
    """Store what a model says of all pairs of answers within each query of SET; again, of those that are missing."""
    from stcollection.studies.answers.agreement.relate import relate

    with connect(settings) as conn, Progress("pairs", unit="pairs", scale=True) as progress:
        done = relate(conn, model, set=set_, split=split, source=source, progress=progress)
    click.echo(f"{model}: {done.added:,} relations of {done.queries:,} queries added, {done.stored:,} were there")


@click.command("check")
@click.argument("model")
@click.argument("set_", metavar="SET")
@_split
@click.option(
    "--by", type=click.Choice(("all", "template", "type", "language")), default="all", show_default=True,
    help="Of all pairs, or of each kind of question, kind of pair, language.",
)  # fmt: skip
@click.option("--confusion", is_flag=True, help="The matrices of truth (rows) by what it told (columns), instead of measures.")
@format_option
@click.pass_obj
def check_(settings: Settings, model: str, set_: str, split: str, by: str, confusion: bool, style: str) -> None:
    """Hold what MODEL told of SET against its labels: precision, recall, F1, AUC, calibration, and the three relations."""
    from stcollection.studies.answers.agreement.check import Measures, check
    from stcollection.studies.answers.agreement.model import RELATIONS

    with connect(settings) as conn:
        found = check(conn, model, set=set_, split=split, by=by)
    if confusion:
        rows = [
            (one.unit, truth, *line) for one in found.rows if one.confusion is not None
            for truth, line in zip(RELATIONS, one.confusion.tolist(), strict=True)
        ]  # fmt: skip
        click.echo(render(rows, ["unit", "truth", *RELATIONS], style=style))
    else:
        click.echo(render([(one.unit, *one.measures) for one in found.rows], ["unit", *Measures._fields], style=style))
    for note in found.notes:
        click.echo(f"note: {note}", err=True)


@click.command("drop-model")
@click.argument("model")
@click.pass_obj
def drop_model(settings: Settings, model: str) -> None:
    """Drop MODEL and every relation it told."""
    from stcollection.studies.answers.agreement.store import drop

    with connect(settings) as conn:
        drop(conn, model)
    click.echo(f"{model} dropped")
