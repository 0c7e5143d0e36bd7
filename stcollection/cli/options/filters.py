"""Options of a filter, for all commands that search."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options import packed, together
from stcollection.retrieval.filters import TypedFilter
from stcollection.retrieval.filters import read_filter as read_filter

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
