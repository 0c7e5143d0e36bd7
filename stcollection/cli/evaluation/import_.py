"""The command ``stc load --as scores``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from stcollection.cli.declared import Call
from stcollection.cli.declared import command as declared_command
from stcollection.cli.output import unknown
from stcollection.counts import counted
from stcollection.declared import Option
from stcollection.evaluation.imported import ImportedScores, import_scores, read_families


@declared_command(import_scores)
def command(call: Call[ImportedScores], *, families: Annotated[Path | None, Option()] = None) -> None:
    """Import the scores in FILE, computed by others: output of trec_eval -q, or lines of system, measure, query, value.

    This creates runs without rankings; analyses use their scores like computed ones. FILE is imported completely or not at all.
    Stored values are skipped.

    :param families: Table with a header and the family of each system: system, family, …
    """
    by_name = None if families is None else read_families(families)
    done = call.once(families=by_name)
    told = [
        f"{call.given['path']}: {counted(done.scores, 'score')} of {counted(done.runs, 'run')} on"
        f" {counted(done.queries, 'query')}, {done.added:,} added"
    ]
    for count, what in (
        (done.replaced, f"{done.replaced:,} replaced"),
        (done.unchanged, f"{done.unchanged:,} stored already"),
        (done.duplicates, f"{counted(done.duplicates, 'duplicate')} dropped"),
        (done.aside, f"{counted(done.aside, 'line')} of summaries or text ignored"),
        (done.new_runs, f"{counted(done.new_runs, 'new run')}, without rankings"),
    ):
        if count:
            told.append(what)
    click.echo("; ".join([*told, *unknown(done)]))
