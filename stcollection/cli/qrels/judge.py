"""The command ``stc judge``."""

from __future__ import annotations

import sys

import click

from stcollection.cli.options.queries import set_option
from stcollection.cli.qrels._session import DecisionLines, Terminal, TerminalSession, termios
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.pools import read_scale, set_scale


@click.command("judge")
@click.argument("pool")
@click.option("--annotator", required=True, help="Name of the annotator.")
@click.option("--grades", metavar="SCALE", help="Scale of the grades, such as 0-3 or 0=no,1=yes.  [default: the pool's]")
@set_option("Judge only the queries of a set")
@click.pass_obj
def command(settings: Settings, pool: str, annotator: str, grades: str | None, queries: str) -> None:
    """Judge the documents of a POOL one by one, with single keys; ? lists the keys. Runs, ranks and scores are not shown.

    Each decision is stored at once. The next call continues where this one stopped; skipped documents come back at the end. A
    second terminal of the same annotator gets other documents. If the input is not a terminal, it is read line by line: 2, s, n a
    note.
    """
    with connect(settings, autocommit=True) as conn:
        if grades is not None:
            set_scale(conn, pool, read_scale(grades))
        sheet = AssessorSheet(conn, pool, annotator, queries)
        interactive = sys.stdin.isatty() and termios is not None
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
        TerminalSession(sheet, Terminal() if interactive else DecisionLines(), interactive=interactive).run()
