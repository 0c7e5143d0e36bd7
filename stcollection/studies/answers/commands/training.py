"""The commands that train models of agreement: ``stc answers train``, ``finetune`` and ``study``."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import ProgressBar, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import Option
from stcollection.studies.answers.agreement.check import PairMeasures
from stcollection.studies.answers.agreement.features import ALL, FAST
from stcollection.studies.answers.agreement.finetune import finetune
from stcollection.studies.answers.agreement.model import USUAL_LEARNING
from stcollection.studies.answers.agreement.reader import Reader
from stcollection.studies.answers.agreement.relate import Trained, train
from stcollection.studies.answers.study import AnswerStudy, study
from stcollection.vectors.model import load

_PLACES = ("precision", "recall", "f1", "low", "high", "p", "corrected")


@command(train)
def train_command(
    call: Call[Trained],
    *,
    embedding: Annotated[
        str | None,
        Option("--embed", metavar="NAME", help="Embedding model on this machine, for the embedding features. Slower."),
    ] = None,
) -> None:
    """Train MODEL on the labelled pairs of SET to predict whether two answers to a query support each other.

    The model is calibrated on held-out groups and stored in the database. With --folds, every stored relation of these splits was
    predicted by a model that has not seen the template (or query) of the pair.
    """
    kinds = call.given.get("kinds") or (ALL if embedding else FAST)
    with connect(call.settings) as conn, ProgressBar("folds", unit="folds") as bar:
        options = dataclasses.replace(
            call.group("options") or USUAL_LEARNING, kinds=kinds, embed=None if embedding is None else load(embedding)
        )
        trained = call(conn, options=options, progress=bar)
    held_out = f"; {counted(trained.relations, 'held-out relation')} stored" if "folds" in call.given else ""
    click.echo(
        f"{trained.model}: logistic regression on {counted(trained.pairs, 'pair')} of {counted(trained.queries, 'query')}, support"
        f" from {trained.threshold:.3f} on{held_out}; data {trained.fingerprint[:12]}"
    )


@command(finetune)
def finetune_command(call: Call[Reader]) -> None:
    """Fine-tune a cross-encoder on the labelled pairs of SET, and register it as MODEL.

    It reads the query and both answers together. A tenth of the kinds of question is held out; training ends when it no longer
    improves on them. This takes minutes to hours on a CPU. Nothing is downloaded.
    """
    with connect(call.settings) as conn, ProgressBar("steps", unit="steps") as bar:
        about = call(conn, progress=bar).about
    best = min(about.losses)
    click.echo(
        f"{call.given['model']}: {counted(about.pairs, 'pair')}, log loss of {counted(about.held_out, 'held-out pair')}"
        f" {about.losses[0]:.3f} before, {best:.3f} after {about.losses.index(best)} of {counted(len(about.losses) - 1, 'epoch')};"
        f" support from {about.threshold:.3f} on; data {about.data[:12]}; written to {call.given['folder']}"
    )


@command(study)
def study_command(
    call: Call[AnswerStudy],
    *,
    embed: Annotated[str | None, Option(metavar="NAME")] = None,
    style: Style = "table",
) -> None:
    """Train, tune and evaluate on three splits of SET: our methods, the published baseline and further baselines.

    With --folds, every query is held out once, together with its group, and nothing is tuned. Models and runs are stored as
    study-SET-… and replace those of an earlier study; 'stc answers explain study-SET-expected' explains the result.

    :param embed: Embedding model on this machine, for extra features and a baseline. Slower.
    """
    with connect(call.settings) as conn, ProgressBar("study", unit="steps") as bar:
        results = call(conn, embed=None if embed is None else load(embed), progress=bar)
    if style == "json":
        models = [{"model": row.model, **row.measures._asdict()} for row in results.models]
        contents = {"models": models, "runs": [place._asdict() for place in results.runs], "notes": results.notes}
        click.echo(json.dumps(contents, indent=1))
        return
    click.echo(render([(row.model, *row.measures) for row in results.models], ["model", *PairMeasures._fields], style=style))
    rows = [
        (place.run, place.method, place.params.get("threshold"), *(getattr(place, name) for name in _PLACES))
        for place in results.runs
    ]
    headers = ["run", "method", "threshold", *("F1" if name == "f1" else name for name in _PLACES)]
    click.echo("\n" + render(rows, headers, style=style))
    for note in results.notes:
        aside(f"note: {note}")
