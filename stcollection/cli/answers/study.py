"""The command ``stc answers study``."""

from __future__ import annotations

import json

import click

from stcollection.cli.options import packed
from stcollection.cli.options.answers import SPLITS
from stcollection.cli.output import ProgressBar, format_option, render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.agreement.check import PairMeasures
from stcollection.studies.answers.agreement.relate import QueryFolds
from stcollection.studies.answers.crossfit import crossfit
from stcollection.studies.answers.study import StudySplits, study
from stcollection.vectors.model import load


@click.command("study")
@click.argument("set_", metavar="SET")
@click.option("--train", "train_on", type=SPLITS, default="train", show_default=True, help="Split to train models on.")
@click.option("--tune", "tune_on", type=SPLITS, default="dev", show_default=True, help="Split to tune thresholds on.")
@click.option("--test", "test_on", type=SPLITS, default="test", show_default=True, help="Split to evaluate on.")
@click.option("--embed", metavar="NAME", help="Embedding model on this machine, for extra features and a baseline. Slower.")
@click.option(
    "--folds", type=click.IntRange(min=2), help="Cross-fit with N folds over all splits instead, so that every query is tested."
)
@click.option(
    "--by",
    type=click.Choice(("template", "query")),
    default="template",
    show_default=True,
    help="Keep the pairs of one template, or of one query, in the same fold.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of the folds, the training and the tests."
)
@format_option
@packed(StudySplits, "splits")
@packed(QueryFolds, "folds")
@click.pass_obj
def command(
    settings: Settings,
    set_: str,
    splits: StudySplits,
    embed: str | None,
    folds: QueryFolds,
    seed: int,
    style: str,
) -> None:
    """Train, tune and evaluate on three splits of SET: our methods, the published baseline and further baselines.

    With --folds, every query is held out once, together with its group, and nothing is tuned. Models and runs are stored as
    study-SET-… and replace those of an earlier study; 'stc answers explain study-SET-expected' explains the result.
    """
    with connect(settings) as conn, ProgressBar("study", unit="steps") as progress:
        encoder = None if embed is None else load(embed)
        if folds.folds is None:
            done = study(conn, set=set_, splits=splits, seed=seed, embed=encoder, progress=progress)
        else:
            done = crossfit(conn, set=set_, folds=folds.folds, by=folds.by, seed=seed, embed=encoder, progress=progress)
    if style == "json":
        models = [{"model": one.model, **one.measures._asdict()} for one in done.models]
        click.echo(json.dumps({"models": models, "runs": [one._asdict() for one in done.runs], "notes": done.notes}, indent=1))
        return
    click.echo(render([(one.model, *one.measures) for one in done.models], ["model", *PairMeasures._fields], style=style))
    fields = ("precision", "recall", "f1", "low", "high", "p", "corrected")
    rows = [(one.run, one.method, one.params.get("threshold"), *(getattr(one, name) for name in fields)) for one in done.runs]
    headers = ["run", "method", "threshold", *("F1" if name == "f1" else name for name in fields)]
    click.echo("\n" + render(rows, headers, style=style))
    for note in done.notes:
        aside(f"note: {note}")
