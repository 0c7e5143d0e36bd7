"""The command ``stc synth score``."""

from __future__ import annotations

import click

from stcollection.cli.options import packed
from stcollection.cli.options.endpoints import AskedModel, asking_options, endpoint_option
from stcollection.cli.output import ProgressBar
from stcollection.cli.synth._asking import asker_of, leave, tell
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.synth import score as scoring
from stcollection.studies.synth.ask import AskOptions
from stcollection.studies.synth.study import MIN_SCORE, overview


@click.command("score")
@click.argument("study")
@click.option("--model", required=True, metavar="NAME", help="The model, by the endpoint's name for it.")
@endpoint_option
@click.option(
    "--prompt",
    default=scoring.PROMPT,
    show_default=True,
    metavar="NAME|FILE",
    help="A prompt that comes along, or a file of one's own.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Ask about so many documents at most.")
@click.option("--temperature", type=click.FloatRange(min=0), default=0.0, show_default=True, help="Of the model.")
@click.option("--seed", type=int, help="Of the model, where the endpoint has one.")
@click.option("--retry-malformed", is_flag=True, help="Ask again where no score could be read from the answer.")
@click.option("--simulated", is_flag=True, help="The endpoint is not a real model: mark the edition that is published.")
@asking_options
@packed(AskedModel, "asked")
@packed(AskOptions, "options")
@click.pass_obj
def command(settings: Settings, /, study: str, asked: AskedModel, options: AskOptions) -> None:
    """Let a language model score each sampled document from 0 to 100: would it stand alone as a search result?

    Every answer is kept as it came. The same command again goes on where it ended and asks again about what failed.
    """
    asker = asker_of(asked, scoring.PROMPT)
    with connect(settings, autocommit=True) as conn:
        with ProgressBar("score", unit="documents") as bar:
            done = scoring.score(conn, study, asker=asker, options=options, progress=bar)
        [now] = [one for one in overview(conn) if one.study == study]
    tell(done, f"{study}: {done.documents:,} documents, {done.before:,} answered before", "scored", retried=options.retry_malformed)
    if now.malformed_share is not None and now.under_share is not None:
        click.echo(
            f"so far {now.scored:,} scored, {now.malformed:,} malformed ({now.malformed_share:.1%} of the answers),"
            f" {now.under:,} under {MIN_SCORE:g} ({now.under_share:.1%}), {now.kept:,} kept"
        )
    leave(done)
