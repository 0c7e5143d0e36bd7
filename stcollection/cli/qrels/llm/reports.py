"""Commands that report on the models that judge an edition, and their answers."""

from __future__ import annotations

from typing import Annotated

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import one_line, render
from stcollection.declared import AllowedRange
from stcollection.qrels.llm import report


@command(report.answers)
def answers_command(
    call: Call[list[report.Answer]],
    *,
    limit: Annotated[int, AllowedRange(ge=1)] = 20,
    whole: bool = False,
    style: Style = "table",
) -> None:
    """Print the stored answers of models: malformed answers first, then failures, then those with a grade.

    :param limit: Largest number of answers to print.
    :param whole: Print answers in full, not only their beginnings.
    """
    answers = call.once(limit=limit)
    if style == "json":
        click.echo(render(answers, report.Answer._fields, style=style))
        return
    rows = [
        (
            answer.annotator,
            answer.query,
            answer.docno,
            answer.state,
            answer.rel,
            one_line(answer.error or answer.answer or "", whole),
            answer.finish,
            answer.attempts,
            answer.seconds,
        )
        for answer in answers
    ]
    headers = ["annotator", "query", "doc", "state", "rel", "answer", "finish", "attempts", "seconds"]
    click.echo(render(rows, headers, style=style))


@command(report.overview)
def status_command(call: Call[list[report.JudgeOverview]], *, style: Style = "table") -> None:
    """Report the progress of the models that judge an edition, by model and prompt."""
    judges = call.once()
    if style == "json":
        click.echo(render(judges, report.JudgeOverview._fields, style=style))
        return
    rows = [
        (
            judge.annotator,
            f"{judge.prompt} {judge.prompt_sha256[:8]}",
            judge.asked,
            judge.judged,
            judge.malformed,
            judge.malformed_share,
            judge.failed,
            judge.prompt_tokens,
            judge.completion_tokens,
            judge.p50,
            judge.p95,
            "  ".join(f"{grade}: {judge.grades[grade]:,}" for grade in sorted(judge.grades, key=int)),
        )
        for judge in judges
    ]
    headers = ["annotator", "prompt", "asked", "judged", "malformed", "share", "failed", "tokens in", "out", "p50 s", "p95 s",
               "grades"]  # fmt: skip
    click.echo(render(rows, headers, style=style))
