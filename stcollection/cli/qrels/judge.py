"""The command ``stc qrels judge``."""

from __future__ import annotations

import sys

import click

from stcollection.cli.qrels._sitting import DecisionLines, Terminal, TerminalSession, termios
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.pools import read_scale, set_scale


@click.command("judge")
@click.argument("pool")
@click.option("--annotator", required=True, help="Who judges.")
@click.option("--grades", metavar="SCALE", help="Another scale, as 0-3 or 0=no,1=yes.  [default: that of the pool]")
@click.pass_obj
def command(settings: Settings, pool: str, annotator: str, grades: str | None) -> None:
    """Judge the documents of a POOL one by one, blind, with single keys; ? tells them.

    Each decision is stored at once. The next call goes on where this one stopped; what was skipped comes back at the end. A second
    terminal of the same annotator gets other documents. Where the input is no terminal it is read line by line: 2, s, n a note.
    """
    with connect(settings, autocommit=True) as conn:
        if grades is not None:
            set_scale(conn, pool, read_scale(grades))
        sheet = AssessorSheet(conn, pool, annotator)
        interactive = sys.stdin.isatty() and termios is not None
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
        TerminalSession(sheet, Terminal() if interactive else DecisionLines(), interactive=interactive).run()
