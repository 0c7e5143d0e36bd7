"""Options of a filter, for all commands that search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import orjson
import psycopg

from stcollection.cli.options import packed, together
from stcollection.errors import BadArgument
from stcollection.retrieval.filters import TypedFilter, interval, known_docnos

filter_options = together(
    click.option("--year", metavar="RANGE", help="Only documents of these years: 2015..2020, 2015.., ..2020 or 2018."),
    click.option("--citations", metavar="RANGE", help="Only documents with this number of citations: 10.. or 1..50."),
    click.option("--venue", multiple=True, help="Only documents of this venue, ignoring case; % matches any text. Repeatable."),
    click.option("--doc-type", multiple=True, metavar="TYPE", help="Only documents of this type, such as Conference. Repeatable."),
    click.option(
        "--data-source", multiple=True, metavar="NAME", help="Only documents from this source, such as openalex. Repeatable."
    ),
    click.option(
        "--readability",
        multiple=True,
        metavar="MEASURE=RANGE",
        help="Only documents with this readability: textstat_fkgl=..12. Repeatable.",
    ),
    click.option(
        "--credibility",
        multiple=True,
        metavar="MEASURE=RANGE",
        help="Only documents with this credibility: citation_percentile=90.., citations_per_year=10.., references=1.. or "
        "age=..5. Repeatable.",
    ),
    click.option("--with-text", metavar="QUERY", help="Only documents that match this boolean query."),
    click.option("--as-of", metavar="YYYY-MM-DD", help="Only documents that were in the collection on this day."),
    click.option("--judged", metavar="EDITION", help="Only documents judged in EDITION; for a run, judged for the query."),
    click.option(
        "--docnos", type=click.Path(path_type=Path, allow_dash=True), help="Only documents named in FILE, one docno per line."
    ),
    click.option(
        "--filter",
        "raw",
        metavar="JSON",
        help="Filter in the JSON syntax of the SQL functions, instead of these options or in addition to them.",
    ),
    packed(TypedFilter, "filtering"),
)


def read_filter(conn: psycopg.Connection, typed: TypedFilter) -> dict[str, Any] | None:
    """Return the filter of the options; None if no option is given.

    :raises BadArgument: an option cannot be read.
    :raises UnknownObject: a document of the list is not in the corpus.
    """
    wanted: dict[str, Any] = {}
    if typed.raw is not None:
        hint = """For example --filter '{"year": [2015, null]}'."""
        try:
            wanted = orjson.loads(typed.raw)
        except orjson.JSONDecodeError as error:
            raise BadArgument(f"--filter {typed.raw[:80]!r} is not JSON: {error}", hint=hint) from error
        if not isinstance(wanted, dict):
            raise BadArgument(f"--filter {typed.raw[:80]!r} is not a JSON object", hint=hint)
    for key, text in typed.ranges():
        wanted[key] = interval(text)
    for option, example, given in (
        ("--readability", "textstat_fkgl=..12", typed.readability),
        ("--credibility", "age=..5", typed.credibility),
    ):
        for one in given:
            measure, equals, text = one.partition("=")
            if not equals:
                raise BadArgument(f"{option} {one!r} has no range", hint=f"For example {option} {example}.")
            wanted[measure] = interval(text)
    wanted |= typed.words()
    if typed.docnos is not None:
        with click.open_file(str(typed.docnos), encoding="utf-8") as lines:
            wanted["docnos"] = known_docnos(conn, lines)
    return wanted or None
