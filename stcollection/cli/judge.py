"""The command ``stc judge``."""

from __future__ import annotations

import click

from stcollection.cli.merged import Typed, merged


@merged(
    click.Option(["--llm"], is_flag=True, help="Judge with the language model that --model names."),
    person=("qrels.judge", "judging a pool yourself"),
    llm=("qrels.llm.judge", "--llm"),
)
def command(typed: Typed) -> str:
    """Judge the documents of a POOL at the terminal, or with a language model.

    \b
      stc judge POOL --annotator ann          show the documents one by one
      stc judge --llm --model M --pool POOL   request grades from a language model

    Judgments by language models have the origin llm; their answers are stored unchanged.
    """
    return "llm" if typed.has("--llm", "--model", "--prompt") else "person"
