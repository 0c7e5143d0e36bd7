"""The command ``stc export run``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import click

from stcollection.cli.declared import Call
from stcollection.cli.declared import command as declared_command
from stcollection.cli.options.files import export_option
from stcollection.cli.options.formats import FormatName
from stcollection.cli.options.licences import licence_option
from stcollection.cli.output import output
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.runs.export import Exported, export_run
from stcollection.runs.made import metadata_of
from stcollection.runs.metadata import as_header, dump
from stcollection.runs.names import stem

_FORMAT = click.option("--format", "layout", type=FormatName("runs", written=True), help="Format to write.")


@declared_command(export_run)
def command(
    call: Call[Exported],
    *,
    layout: Annotated[str | None, _FORMAT] = None,
    licences: Annotated[Sequence[str], licence_option("Write passages only of documents with these licences")],
    with_metadata: Literal["file", "header"] | None = None,
    out: Annotated[Path | None, export_option],
) -> None:
    """Export the run NAME. Importing the file, or scoring it with trec_eval, gives the same ranks.

    The format is simpletext for a file named .json, else trec. A SimpleText file is a valid submission. Scores are in [0, 1], in
    the same order and without new ties. The passage is the sentence of the abstract with the most query words. comb_score is
    rel_score if the run has none. simpletext-2022 is tab-separated, has no scores, and at most 100 documents per topic; rankings
    are cut to fit.

    :param with_metadata: Also write the run's metadata (ir_metadata): to a YAML file next to --out, or as comments in the header of
        a TREC file, which pytrec_eval and older versions of trec_eval cannot read.
    """
    layout = layout or ("simpletext" if out is not None and ".json" in out.suffixes[-2:] else "trec")
    _check(with_metadata, layout, out)
    call.given |= {"layout": layout, "licences": licences}
    with connect(call.settings) as conn, output(out) as file:
        metadata = metadata_of(conn, call.given["run"]) if with_metadata else {}
        if with_metadata == "header":
            file.write(as_header(metadata).encode())
        done = call(conn, out=file)
    if with_metadata == "file" and out is not None:
        beside = out.with_name(f"{stem(out)}.yml")
        with output(beside) as file:
            file.write(dump(metadata).encode())
        aside(f"{beside}: metadata")
    if done.without_passage:
        why = "no text in the collection, or another licence" if licences else "no text in the collection"
        aside(f"{counted(done.without_passage, 'document has', 'documents have')} {why}; their passage is empty")
    if done.cut:
        aside(f"{counted(done.cut, 'document')} left out: the format allows 100 per topic")
    if out is not None:
        click.echo(f"{out}: {counted(done.ranked, 'document')} ranked for {counted(done.queries, 'query')}")


def _check(with_metadata: str | None, layout: str, out: Path | None) -> None:
    if with_metadata == "header" and layout != "trec":
        raise click.UsageError("only TREC files have comments; use --with-metadata file")
    if with_metadata == "file" and out is None:
        raise click.UsageError("--with-metadata file writes a second file, so it needs --out")
