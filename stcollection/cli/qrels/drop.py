"""The command ``stc qrels drop``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import any_edition_argument
from stcollection.cli.options.removal import confirm_options
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.removal import check_choice
from stcollection.db.settings import Settings
from stcollection.qrels.removal import QrelsRemoval, remove_edition, remove_file


@click.command("drop")
@any_edition_argument
@click.option(
    "--file",
    metavar="NAME",
    help="Remove only the judgments of this file: its path, its name, or the beginning of its SHA-256 ('stc qrels files').",
)
@click.option("--even-sealed", is_flag=True, help="Also remove a sealed edition, which others may rely on.")
@confirm_options
@click.pass_obj
def command(settings: Settings, edition: str | None, file: str | None, even_sealed: bool, yes: bool, dry_run: bool) -> None:
    """Remove an EDITION with all its judgments, or the judgments imported from a file.

    The command prints what will be removed and prompts for confirmation. Single files of a sealed edition cannot be removed.
    """
    check_choice(edition or file, hint="Name an edition, or a file (--file).")
    with connect(settings) as conn:
        if file is not None:
            found = remove_file(conn, file, edition=edition, dry_run=True)
        else:
            found = remove_edition(conn, edition or "", even_sealed=even_sealed, dry_run=True)
    click.echo(_preview(found))
    if dry_run:
        return
    if not yes:
        click.confirm("Remove them?", abort=True)
    with connect(settings) as conn:
        if file is not None:
            done = remove_file(conn, file, edition=edition)
        else:
            done = remove_edition(conn, edition or "", even_sealed=even_sealed)
    click.echo(_done(done))


def _preview(found: QrelsRemoval) -> str:
    what = f"the edition {found.edition!r}" if found.path is None else f"{found.path} of the edition {found.edition!r}"
    counts = {
        "judgments": found.judgments,
        "preferences": found.preferences,
        "subtopic judgments": found.subtopic_judgments,
        "imported scores": found.scores,
        "answers of language models": found.answers,
    }
    told = [f"{what}: {', '.join(f'{count:,} {name}' for name, count in counts.items() if count or name == 'judgments')}"]
    if found.shared:
        told.append(
            f"{counted(found.shared, 'more judgment stays', 'more judgments stay')}: another file of the edition has them too"
        )
    if found.path is not None and found.edition_dropped:
        told.append("the edition contains nothing else, so it is removed too")
    return "; ".join(told)


def _done(done: QrelsRemoval) -> str:
    if done.path is None:
        return f"removed the edition {done.edition!r}: {counted(done.judgments, 'judgment')}"
    also = " and the edition" if done.edition_dropped else ""
    return f"removed {counted(done.judgments, 'judgment')} of the edition {done.edition!r}{also}"
