"""The commands that make runs and extract answers: ``stc answers baseline``, ``cluster``, ``extract`` and ``extracted``."""

from __future__ import annotations

from typing import Annotated

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import ProgressBar, printable, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import Option
from stcollection.errors import BadArgument
from stcollection.studies.answers.baselines import BaselineRun, baseline
from stcollection.studies.answers.commands.text import titles
from stcollection.studies.answers.endorse import Clustered, cluster
from stcollection.studies.answers.extract import Extracted, Quality, extract, quality

_PLAIN = ("json", "csv")  # formats for programs


@command(baseline)
def baseline_command(call: Call[BaselineRun], *, style: Style = "table") -> None:
    """Make a baseline run that returns documents of SET without using their answers.

    tfidf: the published baseline: TF-IDF of characters; returns documents whose title + text has a cosine above the threshold.
    embedding: cosine of vectors. length: documents in a range of lengths, in characters, learned on another split. all: every
    document.
    """
    with connect(call.settings) as conn, ProgressBar("embedding", unit="texts") as bar:
        run = call(conn, progress=bar)
    if style in _PLAIN:
        click.echo(render([run], run._fields, style=style))
        return
    where = (
        f"length {run.low:,.0f} to {run.high:,.0f}"
        if run.low is not None and run.high is not None
        else "–"
        if run.threshold is None
        else f"> {run.threshold:.4f}"
    )
    rows = [(run.run, run.method, where, run.queries, run.documents, run.returned, run.abstained, run.f1)]
    heads = ["run", "method", "returned if", "queries", "documents", "returned", "abstained", "F1"]
    click.echo(render(rows, heads, style=style))
    if run.tuned_on is not None:
        click.echo(f"\ntuned on {run.tuned_on}: mean F1 {run.f1_tuned:.4f} there")
    if run.tuned_on == call.given["split"]:
        click.echo("This is the split of the run: its F1 shows how well the threshold can be fitted, not how well it generalises.")


@command(cluster)
def cluster_command(
    call: Call[Clustered],
    *,
    labels: Annotated[bool, Option(help="Use the labels of the data instead of a model: an upper bound for the method.")] = False,
) -> None:
    """Group the answers of SET by agreement, and return the documents of the most supported group for each query.

    components: connected components of the support relation. average: average linkage while the mean support reaches the
    threshold. correlation: correlation clustering; answers that contradict each other are never in one group. expected: the
    documents with the greatest expected F1 over all groupings.

    Except for expected, the group with the most distinct documents is returned. Ties are decided by more answers, more support
    within the group, the earliest document, and order of storage.
    """
    tune_on = call.given.get("tune_on")
    if ("model" in call.given) == labels:
        raise BadArgument("give either --model or --labels", hint="--model NAME uses the relations of that model.")
    if tune_on and "threshold" in call.given:
        raise BadArgument("--threshold and --tune-on", hint="Give one of them.")
    title, unit = ("threshold", "thresholds") if tune_on else ("cluster", "queries")
    with connect(call.settings) as conn, ProgressBar(title, unit=unit) as bar:
        run = call(conn, progress=bar)
    if tune_on:
        tried = render(list(run.tuned.items()), ["threshold", f"mean F1 on {tune_on}"], style="table")
        click.echo(f"{tried}\n\nthreshold {run.threshold:g}")
    click.echo(
        f"run {printable(run.run)}: {counted(run.answers, 'answer')} in {counted(run.clusters, 'cluster')};"
        f" {run.answered:,} of {counted(run.queries, 'query')} answered"
    )
    if run.queries > run.answered:
        aside(f"{run.queries - run.answered:,} abstain: no answers, or too few documents behind the best")
    if run.unjudged:
        aside(f"{counted(run.unjudged, 'pair of answers is', 'pairs of answers are')} not judged, which counts as no support")


@command(extract)
def extract_command(call: Call[Extracted], *, style: Style = "table") -> None:
    """Extract an answer from each document of SET: sentences that are similar to the query and add something to it.

    A document with too little in common with the query gets no answer. The extraction is deterministic. With --reader, a model
    reads at most one answer per document. Its confidence is stored as the score. Run it again to continue after an interruption.
    """
    title, unit = ("reading", "documents") if "reader" in call.given else ("tuning", "widths")
    with connect(call.settings) as conn, ProgressBar(title, unit=unit) as bar:
        extracted = call(conn, progress=bar)
    if style in _PLAIN:
        click.echo(render([extracted], extracted._fields, style=style))
        return
    click.echo(render([extracted[:7]], titles(extracted._fields[:7]), style=style))
    if extracted.tuned_on is not None:
        click.echo(f"\ntuned on {extracted.tuned_on}: value {extracted.value:.4f} there")


@command(quality)
def extracted_command(call: Call[Quality], *, style: Style = "table") -> None:
    """Evaluate extracted answers against the given answers of the same documents.

    F1: overlap of character pairs between the best extracted answer and the given ones, averaged over documents that have both.
    value: average over all documents. A document with a given answer counts its F1 (0 without an extracted answer); a document
    without one counts 1 if none was extracted.
    """
    row = call.once()
    click.echo(render([row], row._fields if style in _PLAIN else titles(row._fields), style=style))
    if row.value is None and style not in _PLAIN:
        click.echo("\nno document of this split has a given answer: nothing to compare with")
