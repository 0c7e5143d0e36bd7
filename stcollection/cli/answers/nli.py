"""The command ``stc answers nli``."""

from __future__ import annotations

import click

from stcollection.cli.options.answers import replace_model_option
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("nli")
@click.argument("model")
@click.option("--name", required=True, metavar="NAME_OR_FOLDER", help="Cross-encoder: a name in the local cache, or a folder.")
@replace_model_option
@click.pass_obj
def command(settings: Settings, model: str, name: str, replace: bool) -> None:
    """Register a cross-encoder for natural language inference as MODEL. Nothing is downloaded.

    Entailment in either direction counts as support, contradiction as opposition. The model's config.json defines its outputs.
    """
    from stcollection.studies.answers.agreement.relate import register

    with connect(settings) as conn:
        done = register(conn, model, name=name, replace=replace)
    click.echo(f"{model}: {done.name}, {done.revision[:19]}, labels {done.labels}")
