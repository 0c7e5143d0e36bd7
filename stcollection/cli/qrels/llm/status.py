"""The command ``stc qrels llm status``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import edition_option
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.llm import report


@click.command("status")
@edition_option
@format_option
@click.pass_obj
def command(settings: Settings, edition: str, style: str) -> None:
    """Report the progress of the models that judge an edition, by model and prompt."""
    with connect(settings) as conn:
        rows = report.overview(conn, edition)
    if style == "json":
        click.echo(render(rows, report.JudgeOverview._fields, style=style))
        return
    headers = [
        "annotator",
        "prompt",
        "asked",
        "judged",
        "malformed",
        "share",
        "failed",
        "tokens in",
        "out",
        "p50 s",
        "p95 s",
        "grades",
    ]
    click.echo(
        render(
            [
                (
                    one.annotator,
                    f"{one.prompt} {one.prompt_sha256[:8]}",
                    one.asked,
                    one.judged,
                    one.malformed,
                    one.malformed_share,
                    one.failed,
                    one.prompt_tokens,
                    one.completion_tokens,
                    one.p50,
                    one.p95,
                    "  ".join(f"{grade}: {one.grades[grade]:,}" for grade in sorted(one.grades, key=int)),
                )
                for one in rows
            ],
            headers,
            style=style,
        )
    )
