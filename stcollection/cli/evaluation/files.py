"""``stc score`` of files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import click

from stcollection.cli._files import check_named, print_notes
from stcollection.cli.declared import Call
from stcollection.cli.declared import command as declared
from stcollection.cli.evaluation._means import print_queries, print_standings
from stcollection.cli.options.measures import aliases
from stcollection.declared import Option
from stcollection.evaluation.files.printing import trec_eval_files
from stcollection.evaluation.files.score import FileScoring, score_files
from stcollection.evaluation.measures import OFFICIAL
from stcollection.evaluation.parameters import measures_of
from stcollection.evaluation.printing import OutputOptions
from stcollection.evaluation.score import Version
from stcollection.evaluation.typed import names_typed


@declared(score_files)
def score_command(
    call: Call[Any],
    *,
    per_query: Annotated[bool, Option("-q")] = False,
    no_summary: Annotated[bool, Option("-n")] = False,
    complete: Annotated[bool | None, Option("-c/-r", "--complete/--retrieved", default="-c; with --format trec: -r")] = None,
    version: Annotated[Version | None, Option(each="rules", default="trec_eval 9; with --format trec: trec_eval 10")] = None,
    zscores: Annotated[Path | None, Option("-Z")] = None,
    style: Annotated[Literal["trec", "table", "json", "csv", "markdown", "latex"], Option("--format")] = "table",
) -> None:
    """Score run files against a file of judgments (QRELS), without a collection.

    Files can have any format that 'stc show formats' lists, plain or compressed; - is standard input. Nothing is stored. With
    --format trec, the output is that of trec_eval, one run after the other.

    :param per_query: Print the values of each query; with --format trec, also the summary.
    :param no_summary: With --format trec: print only queries, no summary.
    :param complete: Count a query without documents in the run as 0, or leave it out of the mean.
    :param version: Compare scores in single precision, or in double.
    :param zscores: With --format trec: standardise by the means and deviations in FILE.
    :param style: Output format.
    """
    check_named(call)
    trec = style == "trec"
    if not trec and (zscores is not None or no_summary):
        raise click.UsageError("-Z and -n need trec_eval's output: add --format trec.")
    rules = replace(call.group("rules"), version=version or ("trec_eval 10" if trec else "trec_eval 9"))
    complete = not trec if complete is None else complete
    names = names_typed(call.given.get("measures", ()))
    if trec:
        output = OutputOptions(names=names, zscores=zscores, per_query=per_query, summary=not no_summary)
        how = FileScoring(complete=complete, rules=rules)
        printed, found = trec_eval_files(call.settings, call.group("files"), output=output, how=how)
        click.echo("".join(f"{line}\n" for line in printed), nl=False)
        print_notes(found, printed=True)
        return
    measures = measures_of(call.given.get("measures", OFFICIAL))
    found = call(call.settings, complete=complete, rules=rules)
    print_notes(found)
    if per_query:
        scores = [score for run in found.runs for score in run.scores(measures)]
        print_queries(scores, measures, style, also=aliases(names))
    else:
        print_standings(found.standings(measures), measures, style, also=aliases(names))
