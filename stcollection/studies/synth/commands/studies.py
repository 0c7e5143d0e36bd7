"""The commands ``stc synth sample``, ``status``, ``scores``, ``candidates`` and ``drop``."""

from __future__ import annotations

from typing import Annotated

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.removal import yes_option
from stcollection.cli.output import one_line, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import AllowedRange, Option
from stcollection.retrieval.filters import TypedFilter, read_filter
from stcollection.studies.synth.study import (
    DROPPED,
    Candidate,
    Generated,
    Sampled,
    Scored,
    StudyOverview,
    candidates,
    drop,
    generated,
    overview,
    sample,
    scores,
)


@command(sample)
def sample_command(call: Call[Sampled], *, filtering: TypedFilter = TypedFilter()) -> None:  # noqa: B008
    """Sample documents that have a text for STUDY. Creates the study if it does not exist.

    Equal corpus, seed and field give the same documents in the same order; a larger --documents extends a smaller sample.
    """
    size = call.given.get("n", 1000)
    with connect(call.settings) as conn:
        drawn = call(conn, filter=read_filter(conn, filtering))
    documents = f"{counted(drawn.sampled, 'document')} of {drawn.eligible:,} with a text"
    click.echo(f"{call.given['study']}: {drawn.drawn:,} drawn now, {documents}")
    if drawn.sampled < size:
        aside(f"only {counted(drawn.sampled, 'document is', 'documents are')} eligible; {size:,} were requested")


@command(overview)
def status_command(
    call: Call[list[StudyOverview]], *, study: Annotated[str | None, Option("STUDY")] = None, style: Style = "table"
) -> None:
    """Report the progress of the studies; for STUDY, also the output of each generator, and what was dropped and why.

    Shares are of the answered documents. With STUDY and --format csv, only the generators are printed.
    """
    with connect(call.settings) as conn:
        rows = [row for row in call(conn) if study in (None, row.study)]
        generators = None if study is None else generated(conn, study)
    if generators is not None and style == "json":
        record = (*rows[0], [generator._asdict() for generator in generators])
        click.echo(render([record], [*StudyOverview._fields, "generated"], style=style))
        return
    if generators is None or style != "csv":
        click.echo(render(rows, StudyOverview._fields, style=style))
    if generators is not None:
        table = render(generators, Generated._fields, style=style)
        click.echo(table if style == "csv" else f"\n{table if generators else 'nothing is generated'}")


@command(scores)
def scores_command(
    call: Call[list[Scored]],
    *,
    limit: Annotated[int, AllowedRange(ge=1), Option(help="Largest number of documents to print.")] = 20,
    whole: Annotated[bool, Option(help="Print answers in full, not only their beginnings.")] = False,
    style: Style = "table",
) -> None:
    """List the sampled documents of STUDY with their scores and answers, in the order of the sample."""
    rows = call.once(limit=limit)
    if style not in ("json", "csv"):
        rows = [row._replace(answer=one_line(row.answer, whole), error=one_line(row.error, whole)) for row in rows]
    click.echo(render(rows, Scored._fields, style=style))


@command(candidates)
def candidates_command(
    call: Call[list[Candidate]],
    *,
    dropped: bool = False,
    reason: Annotated[str | None, Option(choices=DROPPED)] = None,
    every: Annotated[bool, Option("--all")] = False,
    whole: bool = False,
    style: Style = "table",
) -> None:
    """List the generated queries of STUDY: those to use or, with --dropped, the dropped ones with the reason.

    :param dropped: Print dropped candidates instead of usable ones.
    :param reason: Print candidates that were dropped for this reason.
    :param every: Print usable and dropped candidates.
    :param whole: Print queries and answers in full, not only their beginnings.
    """
    which = "all" if every else reason or ("any" if dropped else None)
    rows = call.once(dropped=which)
    if style in ("json", "csv"):
        click.echo(render(rows, Candidate._fields, style=style))
        return
    columns = len(Candidate._fields) - (which is None)  # of a usable query, the answer adds little
    shown = [row._replace(query=one_line(row.query, whole), answer=one_line(row.answer, whole))[:columns] for row in rows]
    click.echo(render(shown, Candidate._fields[:columns], style=style))


@command(drop)
def drop_command(call: Call[int], *, yes: Annotated[bool, yes_option] = False) -> None:
    """Remove STUDY with its sample, scores and candidates. Published queries stay."""
    study = call.given["study"]
    with connect(call.settings) as conn:
        stored = [row for row in overview(conn) if row.study == study]
        if stored and stored[0].candidates + stored[0].scored + stored[0].malformed and not yes:
            contents = f"{counted(stored[0].scored, 'score')} and {counted(stored[0].candidates, 'candidate')}"
            click.confirm(f"{study} has {contents}; remove them?", abort=True)
        count = call(conn)
    click.echo(f"{study} removed with {counted(count, 'candidate')}")
