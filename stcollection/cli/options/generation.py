"""Options of generating synthetic queries."""

from __future__ import annotations

import click

from stcollection.cli.options import together
from stcollection.studies.synth.generate import MANY, PROMPT
from stcollection.studies.synth.study import MIN_SCORE

generation_options = together(
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
    click.option("--prompt", metavar="NAME|FILE", help=f"With --model: name of a prompt, or a prompt file.  [default: {PROMPT}]"),
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
    click.option("--limit", type=click.IntRange(min=1), help="With --model: process at most N documents."),
    click.option("--retry-malformed", is_flag=True, help="With --model: repeat requests whose answer contained no query."),
    click.option("--simulated", is_flag=True, help="Mark the published edition as simulated: the model is not real."),
)
