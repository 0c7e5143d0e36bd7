"""The command ``stc text configure``."""

from __future__ import annotations

import click

from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.text.configure import configure


@click.command("configure")
@click.argument("name")
@click.option("--base", default="english", show_default=True, help="The configuration to build on: its stemmer and stop words.")
@click.option("--thesaurus", metavar="FILE", help="Lines 'some words : other words'; 'computing' comes with stcollection.")
@click.option("--synonyms", metavar="FILE", help="Lines 'word synonym'.")
@click.option("--stop", metavar="FILE", help="Stop words, one a line, in place of those of the base.")
@click.option("--replace", is_flag=True, help="Put it in the place of the one that has the name.")
@click.pass_obj
def command(
    settings: Settings, name: str, base: str, thesaurus: str | None, synonyms: str | None, stop: str | None, replace: bool
) -> None:
    """Make a text search configuration of your own; 'stc text index --config NAME' uses it for texts and queries."""
    with connect(settings, autocommit=True) as conn:
        made = configure(conn, settings, name=name, base=base, thesaurus=thesaurus, synonyms=synonyms, stop=stop, replace=replace)
    what = [f"{made.entries:,} entries"] if made.entries else []
    what += [f"{made.stop:,} stop words"] if made.stop is not None else []
    click.echo(f"made the configuration {name}: {', '.join(what)}")
    if made.kept:
        click.echo(f"the text index goes on with the one before, now {made.kept}")
    click.echo(f"stc text index --config {name} puts it to use")
