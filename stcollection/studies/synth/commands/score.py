"""The command ``stc synth score``."""

from __future__ import annotations

import click

from stcollection.cli.options import packed
from stcollection.cli.options.endpoints import AskedModel, asking_options, endpoint_option
from stcollection.cli.output import ProgressBar
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.synth import score as scoring
from stcollection.studies.synth.ask import AskOptions
from stcollection.studies.synth.commands.client import asker_of, exit_if_interrupted, print_outcome
from stcollection.studies.synth.study import MIN_SCORE, overview


@click.command("score")
@click.argument("study")
@click.option("--model", required=True, metavar="NAME", help="Model, as the endpoint names it.")
@endpoint_option
@click.option(
    "--prompt",
    default=scoring.PROMPT,
    show_default=True,
    metavar="NAME|FILE",
    help="Name of an included prompt, or a prompt file.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Score at most N documents.")
@click.option("--temperature", type=click.FloatRange(min=0), default=0.0, show_default=True, help="Temperature of the model.")
@click.option("--seed", type=int, help="Seed of the model, if the endpoint supports one.")
@click.option("--retry-malformed", is_flag=True, help="Repeat requests whose answer contained no score.")
@click.option("--simulated", is_flag=True, help="Mark the published edition as simulated: the endpoint is not a real model.")
@asking_options
@packed(AskedModel, "asked")
@packed(AskOptions, "options")
@click.pass_obj
def command(settings: Settings, /, study: str, asked: AskedModel, options: AskOptions) -> None:
    """Let a language model score each sampled document from 0 to 100: can it be understood alone, as a search result?

    Every answer is stored unchanged. Run the same command again to continue it and to retry failures.
    """
    asker = asker_of(asked, scoring.PROMPT)
    with connect(settings, autocommit=True) as conn:
        with ProgressBar("score", unit="documents") as bar:
            done = scoring.score(conn, study, asker=asker, options=options, progress=bar)
        [now] = [one for one in overview(conn) if one.study == study]
    print_outcome(
        done,
        f"{study}: {counted(done.documents, 'document')}, {done.before:,} answered before",
        "scored",
        retried=options.retry_malformed,
    )
    if now.malformed_share is not None and now.under_share is not None:
        click.echo(
            f"so far {now.scored:,} scored, {now.malformed:,} malformed ({now.malformed_share:.1%} of the answers),"
            f" {now.under:,} under {MIN_SCORE:g} ({now.under_share:.1%}), {now.kept:,} kept"
        )
    exit_if_interrupted(done)
