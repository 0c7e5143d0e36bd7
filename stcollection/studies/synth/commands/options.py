"""Options of generating synthetic queries."""

from __future__ import annotations

from typing import Any

import click

from stcollection.cli.options import together
from stcollection.studies.synth import near_duplicates, subtopics
from stcollection.studies.synth.generate import MANY, PROMPT
from stcollection.studies.synth.study import MIN_SCORE

_NEAR = near_duplicates.DEFAULT
_THRESHOLDS = {"words": float, "cosine": float}


def _nearness(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> near_duplicates.Nearness | None:
    given: dict[str, Any] = {}
    for value in values:
        name, _equals, number = value.partition("=")
        try:
            given |= {"words_only": True} if value == "cosine=none" else {name: _THRESHOLDS[name](number)}
        except (KeyError, ValueError):
            raise click.BadParameter(f"{value!r} is not words=NUMBER, cosine=NUMBER or cosine=none") from None
    return near_duplicates.Nearness(**given) if given else None


generation_options = together(
    click.option(
        "--from",
        "basis",
        type=click.Choice(("documents", "topics")),
        default="documents",
        show_default=True,
        help="Generate from the documents of STUDY, or from the articles of topics.",
    ),
    click.option(
        "--as",
        "origin",
        metavar="ORIGIN",
        help="Origin of the queries, such as t5 or gpt-4.  [default: t5 with --t5, else required]",
    ),
    click.option(
        "--per-document",
        "many",
        type=click.IntRange(min=1),
        help=f"With --t5: number of queries per document.  [default: {MANY}]",
    ),
    click.option(
        "--prompt",
        metavar="NAME|FILE",
        help=f"With --model: name of a prompt, or a prompt file.  [default: {PROMPT}; {subtopics.PROMPT} for topics]",
    ),
    click.option(
        "--min-score", type=click.FloatRange(0, 100), help=f"Use only documents with at least this score.  [default: {MIN_SCORE:g}]"
    ),
    click.option("--unscored", is_flag=True, help="Use all documents of the study, whatever their score."),
    click.option(
        "--seed", type=int, help="Seed: with --t5 of the sampling; with --model sent with the request.  [default: the study's]"
    ),
    click.option(
        "--temperature", type=click.FloatRange(min=0), help="Temperature of the model.  [default: 1 with --t5, 0 with --model]"
    ),
    click.option("--limit", type=click.IntRange(min=1), help="With --model: process at most N documents or topics."),
    click.option("--retry-malformed", is_flag=True, help="With --model: repeat requests whose answer contained no query."),
    click.option("--simulated", is_flag=True, help="Mark the published edition as simulated: the model is not real."),
    click.option("--topic", "topics", metavar="TOPIC", multiple=True, help="With --from topics: only this topic. Repeatable."),
    click.option(
        "--near",
        "nearness",
        multiple=True,
        metavar="NAME=NUMBER",
        callback=_nearness,
        help="With --from topics: set aside queries that share this part of their words with another, or whose embeddings have "
        f"this cosine; cosine=none compares words only. Repeatable.  [default: words={_NEAR.words:g}, cosine={_NEAR.cosine:g}]",
    ),
)
