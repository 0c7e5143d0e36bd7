"""The client of a command that calls a model, and the output of its results."""

from __future__ import annotations

import sys

import click
import psycopg

from stcollection.cli.options.endpoints import AskedModel, print_ended
from stcollection.counts import counted
from stcollection.studies.synth import score as scoring
from stcollection.studies.synth.ask import AskCounts, Asker
from stcollection.studies.synth.study import generated


def asker_of(asked: AskedModel, prompt: str) -> Asker:
    """Return the client of the model.

    :param prompt: the default prompt.
    """
    return asked.asker(scoring.find_prompt(asked.prompt or prompt))


def exit_if_interrupted(done: AskCounts) -> None:
    if done.ended == "interrupted":
        sys.exit(130)


def print_outcome(done: AskCounts, what: str, good: str, *, retried: bool) -> None:
    rate = f", {done.sent / done.seconds:,.1f} a second" if done.seconds >= 1 and done.sent else ""
    click.echo(f"{what}: {done.sent:,} sent{rate}")
    told = [f"{done.good:,} {good}", f"{done.malformed:,} malformed"]
    if done.empty:
        told.append(f"{done.empty:,} empty")
    if done.failed:
        told.append(f"{done.failed:,} failed, the last one: {done.last_error}")
    click.echo(f"{'; '.join(told)}; {counted(done.calls, 'request')}, {counted(done.tokens, 'token')}")
    print_ended(done)
    if done.textless:
        click.echo(f"{counted(done.textless, 'document has', 'documents have')} lost their text since they were sampled", err=True)
    if done.cut:
        click.echo(f"{counted(done.cut, 'answer was', 'answers were')} cut off: --max-tokens is too small for this model", err=True)
    elif done.malformed_before + done.malformed + done.empty and not retried:
        click.echo("--retry-malformed repeats requests without a readable answer", err=True)


def print_candidates(conn: psycopg.Connection, study: str, origin: str) -> None:
    """Print how many candidates of an origin a study has, how many are usable, and why the others are not."""
    for one in generated(conn, study):
        if one.origin == origin:
            dropped = ", ".join(
                f"{count:,} {name}"
                for name, count in (
                    ("empty", one.empty),
                    ("malformed", one.malformed),
                    ("failed", one.error),
                    ("duplicates", one.duplicate),
                    ("near-copies", one.copy),
                )
                if count
            )
            click.echo(
                f"so far {one.made:,} of {counted(one.documents, 'document')},"
                f" {one.usable:,} to use{f'; {dropped}' if dropped else ''}"
            )
