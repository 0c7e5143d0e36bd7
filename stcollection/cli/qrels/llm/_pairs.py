"""``stc judge --llm --pairs``: a language model compares documents of a pool."""

from __future__ import annotations

import click

from stcollection.cli.options.endpoints import AskedModel, print_ended
from stcollection.cli.output import ProgressBar
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.llm.template import find_template
from stcollection.qrels.llm.judge import Wanted
from stcollection.qrels.llm.pairs import PROMPTS, SLOTS, ComparisonCounts, compare_all, questions, waiting

_PROMPT = "pairs"


def compare_pairs(
    settings: Settings, edition: str, asked: AskedModel, wanted: Wanted, *, prompt: str | None, article: int, dry_run: bool
) -> ComparisonCounts | None:
    """Compare the documents of a pool, or show the first pair. :returns: None if it was only shown."""
    if wanted.pool is None or wanted != Wanted(pool=wanted.pool, queries=wanted.queries):
        raise click.UsageError("--pairs compares the documents of a pool: give --pool, and of the selections only --queries.")
    template = find_template(prompt or _PROMPT, slots=SLOTS, folder=PROMPTS, needed=("query", *SLOTS[3::2]))
    with connect(settings, autocommit=True) as conn:
        if dry_run:
            pairs = waiting(conn, wanted.pool, asked.model or "", wanted.queries)
            for message in questions(conn, pairs[:1], template, article=article)[0].messages if pairs else ():
                click.echo(f"{message['role']}:\n{message['content']}\n")
            most = sum(pair.remaining for pair in pairs)
            click.echo(f"{counted(len(pairs), 'query')}: at most {counted(most, 'comparison')}, two requests each")
            return None
        with ProgressBar("compare", unit="pairs") as bar:
            done = compare_all(
                conn,
                pool=wanted.pool,
                edition=edition,
                asker=asked.asker(template),
                queries=wanted.queries,
                article=article,
                progress=bar,
            )
    counts = f"{counted(done.compared, 'comparison')}, {done.equal:,} equal ({done.contradicting:,} because the order decided)"
    used = f"{counted(done.calls, 'request')}, {counted(done.tokens, 'token')}"
    click.echo(f"{done.annotator} in {wanted.pool}: {counts}, {done.undecided:,} undecided; {used}")
    if done.submitted is not None:
        click.echo(f"{edition}: {counted(done.submitted.added, 'preference level')} added, {done.submitted.unchanged:,} unchanged")
    if done.failed:
        click.echo(f"{counted(done.failed, 'request')} failed, the last one: {done.last_error}", err=True)
    print_ended(done)
    return done
