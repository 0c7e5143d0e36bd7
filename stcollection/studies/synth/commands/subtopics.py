"""``stc synth generate --from topics``: request queries for the articles of topics, and set near-duplicates aside."""

from __future__ import annotations

from dataclasses import dataclass

import click

from stcollection.cli.options.endpoints import AskedModel
from stcollection.cli.output import ProgressBar
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.synth import subtopics
from stcollection.studies.synth.ask import AskOptions
from stcollection.studies.synth.commands.client import exit_if_interrupted, print_outcome
from stcollection.studies.synth.near_duplicates import DEFAULT, Nearness, mark


@dataclass(frozen=True, kw_only=True)
class TopicOptions:
    """Topics to generate queries for, and the thresholds of near-duplicates; None for the default ones."""

    topics: tuple[str, ...]
    nearness: Nearness | None


def generate_subtopics(settings: Settings, asked: AskedModel, origin: str, articles: TopicOptions, options: AskOptions) -> None:
    asker = asked.asker(subtopics.find_prompt(asked.prompt or subtopics.PROMPT))
    with connect(settings, autocommit=True) as conn:
        with ProgressBar("generate", unit="topics") as bar:
            done = subtopics.subtopics(
                conn, asker=asker, origin=origin, topics=articles.topics or None, options=options, progress=bar
            )
        print_outcome(
            done,
            f"{origin}: {counted(done.documents, 'topic')} with an article, {done.before:,} answered before",
            "with queries",
            retried=options.retry_malformed,
        )
        if done.without_article:
            click.echo(f"topics without an article: {done.without_article:,}; 'stc load --as articles' loads articles", err=True)
        aside = mark(conn, articles.nearness or DEFAULT)
        waiting = len(subtopics.subtopic_list(conn, state="waiting"))
    click.echo(f"queries stored: {done.queries:,}; near-duplicates set aside: {aside:,}; waiting for a review: {waiting:,}")
    exit_if_interrupted(done)
