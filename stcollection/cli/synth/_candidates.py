"""Print the candidates of a study."""

from __future__ import annotations

import click
import psycopg

from stcollection.counts import counted
from stcollection.studies.synth.study import generated


def print_candidates(conn: psycopg.Connection, study: str, origin: str) -> None:
    """Print how many candidates of an origin a study has, how many are usable, and why the others are not."""
    for one in generated(conn, study):
        if one.origin == origin:
            dropped = ", ".join(
                f"{count:,} {name}"
                for name, count in (
                    ("empty", one.empty),
                    ("malformed", one.malformed),
                    ("failed", one.error),
                    ("duplicates", one.duplicate),
                    ("near-copies", one.copy),
                )
                if count
            )
            click.echo(
                f"so far {one.made:,} of {counted(one.documents, 'document')},"
                f" {one.usable:,} to use{f'; {dropped}' if dropped else ''}"
            )
