"""The command ``stc load``."""

from __future__ import annotations

import click

from stcollection import plugins
from stcollection.cli.merged import Typed, merged

_ROLES = {
    **plugins.entries("load"),
    "corpus": "corpus.load",
    "topics": "topics.loading:load",
    "articles": "topics.loading:articles",
    "origins": "topics.loading:origins",
    "excluded": "topics.loading:excluded",
    "qrels": "qrels.imports:import",
    "subtopics": "qrels.imports:import_subtopics",
    "preferences": "qrels.imports:import_preferences",
    "pool": "qrels.pool.sheets:import",
    "runs": "runs.import_",
    "families": "runs.stored:families",
    "scores": "evaluation.import_",
    "measures": "evaluation.own:load",
    "vectors": "vectors.import_:import",
    "annotations": "complexity.annotations.files:load",
    "bundle": "bundle.archives:open",
}


@merged(
    click.Option(["--as", "role"], type=click.Choice([*_ROLES]), metavar="ROLE", help="Load files of one role, with its options."),
    dataset=("dataset", "a data set"),
    **{role: (place, f"--as {role}") for role, place in _ROLES.items()},
)
def command(typed: Typed) -> str:
    """Load a data set, or files of one role. A data set has documents, topics and judgments, in files, folders or irds:NAME.

    \b
      stc load FOLDER                a data set: BEIR, SMART, TREC, SimpleText, CSV, TSV, JSON lines, Parquet
      stc load --as corpus FILE      documents; also topics, articles, origins, excluded
      stc load --as qrels FILE       judgments; also subtopics, preferences, and pool for graded sheets
      stc load --as runs FILE        runs; also families of runs, scores that others computed, measures
      stc load --as vectors FILE     embeddings
      stc load --as bundle FILE      a collection, from an archive made by 'stc bundle make'
      stc load --as annotations      grades of readability; also answers, answer-run, review

    'stc load --as ROLE --help' lists the options of a role. Files of a data set are recognised by content. The command prints how
    it interprets each file, and why it skips a file of a folder. It stops if a file may contain documents or queries, or if a file
    that you name is ambiguous. A file of judgments that cannot be stored does not stop the others. The command creates the
    collection if needed. Runs are listed but not loaded.
    """
    return str(typed.options.get("--as") or "dataset")
