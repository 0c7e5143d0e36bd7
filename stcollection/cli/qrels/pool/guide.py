"""The command ``stc qrels pool guide``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.files import FILE
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.io.files import read_text
from stcollection.qrels.guidelines import set_guidelines


@click.command("guide")
@click.argument("name")
@click.argument("file", type=FILE)
@click.pass_obj
def command(settings: Settings, name: str, file: Path) -> None:
    """Store the guidelines of the pool NAME from a text FILE. Assessors read them beside each document.

    The text is shown without formatting. An empty file restores the default text.
    """
    text = read_text(file)
    with connect(settings) as conn:
        set_guidelines(conn, name, text)
    click.echo(f"{name}: guidelines of {counted(len(text.split()), 'word')}")
