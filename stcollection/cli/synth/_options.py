"""Options of generating synthetic queries."""

from __future__ import annotations

import click

from stcollection.cli.options import together
from stcollection.studies.synth import near_duplicates, subtopics
from stcollection.studies.synth.generate import MANY, PROMPT
from stcollection.studies.synth.study import MIN_SCORE

_NEAR = near_duplicates.DEFAULT

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
    click.option(
        "--top-k", type=click.IntRange(min=0), help="With --t5: number of candidates for the next word; 0 for all.  [default: 10]"
    ),
    click.option("--prefix", metavar="TEXT", help="With --t5: prefix before each passage, if the model was trained with one."),
    click.option("--batch", type=click.IntRange(min=1), help="With --t5: queries per forward pass.  [default: 32, on a GPU 256]"),
    click.option("--limit", type=click.IntRange(min=1), help="With --model: process at most N documents or topics."),
    click.option("--retry-malformed", is_flag=True, help="With --model: repeat requests whose answer contained no query."),
    click.option("--simulated", is_flag=True, help="Mark the published edition as simulated: the model is not real."),
    click.option("--topic", "topics", metavar="TOPIC", multiple=True, help="With --from topics: only this topic. Repeatable."),
    click.option(
        "--near-words",
        "words",
        type=click.FloatRange(0, 1, min_open=True),
        help=f"With --from topics: set aside queries that share this part of their words with another.  [default: {_NEAR.words:g}]",
    ),
    click.option(
        "--near-cosine",
        "cosine",
        type=click.FloatRange(0, 1, min_open=True),
        help=f"With --from topics: set aside queries whose embeddings have this cosine.  [default: {_NEAR.cosine:g}]",
    ),
    click.option("--words-only", is_flag=True, help="With --from topics: compare queries without embeddings."),
)
