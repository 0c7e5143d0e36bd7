"""Commands that make an edition from other editions, and write one to a file."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import click

from stcollection.cli.declared import Call, command
from stcollection.cli.options.completion import complete_editions
from stcollection.cli.options.files import export_option
from stcollection.cli.options.formats import FormatName
from stcollection.cli.output import output, print_simulated, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import Option
from stcollection.published import EXPANSION
from stcollection.qrels.calibrate import Calibration, LabelAgreement
from stcollection.qrels.derive import Derived, derive
from stcollection.qrels.editions import export_qrels
from stcollection.qrels.expand import Expanded, expand
from stcollection.qrels.hiding import is_hidden, reveals
from stcollection.qrels.subtopics import export_subtopics
from stcollection.topics.sets import ALL, expression

_LAYOUT = click.option(
    "--format", "layout", type=FormatName("qrels", written=True), default="trec", show_default=True, help="Format to write."
)


@command(derive)
def derive_command(
    call: Call[Derived],
    *,
    name: Annotated[str, Option("NAME")],
    editions: Annotated[Sequence[str], click.argument("editions", nargs=-1, required=True, shell_complete=complete_editions)],
) -> None:
    """Create the edition NAME from other editions, with one judgment per query and document. The others do not change.

    An adjudicator's final grade wins in every rule. Otherwise human judgments take precedence over llm, and llm over knn, whatever
    edition they are in; then the rule applies. An annotator has one vote per document, from the first edition named. Grades are
    mapped before the rule. Use it to publish an edition from raw double annotation, or to split one by --queries: a new edition of
    --split test is hidden from participants and readers until 'stc publish release'. Of judgments by subtopic, which have no
    annotator, those of the first edition named count; with --origin or --annotator they are left out.
    """
    with connect(call.settings) as conn:
        derived = call(conn, edition=name, sources=editions)
        warnings = reveals(conn, name) if is_hidden(conn, name) else None
    phrases = [
        f"{name}: {counted(derived.judgments, 'judgment')} on {counted(derived.queries, 'query')} from {', '.join(editions)}"
    ]
    phrases += [f"{counted(derived.subtopic_judgments, 'judgment')} by subtopic"] if derived.subtopic_judgments else []
    if derived.combined:
        differing = f"{derived.differing:,} with different grades: {call.given.get('rule', 'first')}"
        phrases.append(f"{derived.combined:,} with several annotators, {differing}")
    phrases += [counted(derived.final, "final decision")] if derived.final else []
    click.echo("; ".join(phrases))
    if derived.whole:
        aside(f"{counted(derived.whole, 'judgment is', 'judgments are')} of whole documents, and count like those of passages")
    if derived.unsampled:
        lost = f"{counted(derived.unsampled, 'query loses its', 'queries lose their')} strata"
        click.echo(f"stc: {name}: {lost}: only a part of the documents that were drawn are judged", err=True)
    if derived.calibration is not None:
        _print_calibration(derived.calibration, call.given["calibrate_with"])
    if warnings is not None:
        click.echo(f"{name}: hidden; to show it: stc publish release {shlex.quote(name)}")
        for warning in warnings:
            click.echo(f"stc: {warning}", err=True)


def _print_calibration(made: Calibration, people: str) -> None:
    grades = [(grade.label, grade.pairs, grade.expected, grade.rel) for grade in made.grades]
    click.echo(render(grades, ["grade", "judged by people", "their mean", "mapped to"], style="table"))
    agreed = [("before", *made.before), ("after", *made.after)]
    click.echo(render(agreed, ["agreement with people", *LabelAgreement._fields], style="table"))
    both = f"{counted(made.pairs, 'document')} of {counted(made.queries, 'query')} judged by both"
    click.echo(f"{both}; 'after' is cross-validated over queries")
    if made.unused:
        aside(f"{counted(made.unused, 'judgment')} of {people} not used: the model has not judged these documents")
    if (made.after.kappa_quadratic or 0) <= (made.before.kappa_quadratic or 0):
        aside("warning: calibration does not improve the agreement on other queries; keep the grades or judge more documents")
    if len(set(made.scale.values())) == 1:
        aside("warning: all grades are mapped to one; these labels tell no document from another")


@command(expand, published=EXPANSION)
def expand_command(call: Call[Expanded], *, exact: Annotated[bool, Option("--exact/--by-index")] = True) -> None:
    """Create an edition from another's judgments and the nearest neighbours of its relevant documents.

    Existing judgments are never overwritten. Each new judgment stores its source document and similarity. 'stc analysis expansion'
    estimates beforehand how reliable the new labels would be.

    :param exact: Compare with every document, or use the vector index: faster for millions of documents, slightly less complete.
    """
    rules = replace(call.group("rules"), effort=0 if exact else None)
    expanded = call.once(rules=rules)
    counts = f"{counted(expanded.copied, 'judgment')} of {call.given['edition']}, {expanded.added:,} from neighbours of"
    without = f"; {expanded.without_vector:,} without a vector" if expanded.without_vector else ""
    click.echo(f"{expanded.expansion}: {counts} {counted(expanded.sources, 'document')}{without}")


@command(export_qrels)
def export_command(
    call: Call[int],
    *,
    layout: Annotated[str, _LAYOUT],
    subtopics: bool = False,
    out: Annotated[Path | None, export_option],
) -> None:
    """Export an edition with one judgment per query and document: human before llm before knn.

    :param subtopics: Export the subtopic judgments: query, subtopic, document, grade.
    """
    if subtopics and layout != "trec":
        raise click.UsageError(f"subtopic judgments cannot be exported as {layout}: omit --format")
    with connect(call.settings) as conn, output(out) as file:
        if subtopics:
            queries = expression(call.given.get("queries", ALL))
            count = export_subtopics(conn, call.given["edition"], file, queries=queries)
        else:
            count = call(conn, out=file, layout=layout)
    if out is not None:
        click.echo(f"{out}: {counted(count, 'judgment')}")
    if layout == "trec":
        print_simulated()
