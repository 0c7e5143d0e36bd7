"""Commands that add files of judgments, of judgments by subtopic and of preferences to an edition."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import click

from stcollection.cli.declared import Call, command
from stcollection.cli.options.files import FILE
from stcollection.cli.output import unknown
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.qrels.load import ImportedQrels, import_qrels
from stcollection.qrels.preferences import ImportedPreferences, import_preferences
from stcollection.qrels.subtopics import ImportedSubtopics, import_subtopics

Files = Annotated[Sequence[Path], click.argument("files", nargs=-1, required=True, type=FILE)]


@command(import_qrels)
def import_command(call: Call[ImportedQrels], *, files: Files) -> None:
    """Add the judgments in FILE to an edition: TREC's query iter doc grade, Cranfield's or CACM's format, or CSV with a header.

    Each file is stored completely or not at all; plain or compressed; irds:NAME imports the judgments of an ir_datasets
    collection. Judgments that are already stored change nothing; a different grade by the same annotator is an error. Warns if the
    file has changed since its last import. A new edition of --split test is hidden from participants and readers until 'stc qrels
    release'.
    """
    with connect(call.settings) as conn:
        for file in map(Path, files):
            imported = call(conn, path=file, warn=lambda warning: click.echo(f"stc: {warning}", err=True))
            _report(f"{file}: {counted(imported.judgments, 'judgment')} on {counted(imported.queries, 'query')}", imported)
            if imported.gone and imported.earlier:
                stays = counted(imported.gone, "judgment of the earlier file stays", "judgments of the earlier file stay")
                click.echo(f"{stays}: stc drop edition --file {imported.earlier[:12]}")


@command(import_subtopics)
def import_subtopics_command(call: Call[ImportedSubtopics], *, files: Files) -> None:
    """Add the subtopic judgments in FILE to an edition, as in diversity tasks of TREC: query, subtopic, document, grade.

    Measures such as alpha_nDCG@20 are computed from them. Each file is stored completely or not at all; plain or compressed;
    irds:NAME imports those of an ir_datasets collection. Judgments that are already stored change nothing; a different grade is
    an error.
    """
    with connect(call.settings) as conn:
        for file in files:
            imported = call(conn, path=Path(file))
            subtopics = f"{counted(imported.subtopics, 'subtopic')} of {counted(imported.queries, 'query')}"
            _report(f"{file}: {counted(imported.judgments, 'judgment')} on {subtopics}", imported)


@command(import_preferences)
def import_preferences_command(call: Call[ImportedPreferences], *, files: Files) -> None:
    """Add the preferences in FILE to an edition, in the format of trec_eval -R prefs: query, group, subgroup, document, level.

    Each file is stored completely or not at all. Preferences that are already stored change nothing; a different level is an
    error.
    """
    with connect(call.settings) as conn:
        for file in files:
            imported = call(conn, path=file)
            groups = f"{counted(imported.groups, 'group')} on {counted(imported.queries, 'query')}"
            _report(f"{file}: {counted(imported.levels, 'level')} in {groups}", imported)


def _report(contents: str, imported: ImportedQrels | ImportedSubtopics | ImportedPreferences) -> None:
    phrases = [f"{contents}, {imported.added:,} added"]
    phrases += [f"{imported.unchanged:,} stored already"] if imported.unchanged else []
    phrases += [f"{counted(imported.duplicates, 'duplicate')} dropped"] if imported.duplicates else []
    click.echo("; ".join([*phrases, *unknown(imported)]))
