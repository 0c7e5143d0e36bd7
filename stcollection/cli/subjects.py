"""The words after ``show``, ``drop``, ``export``, ``serve`` and ``plot``, with the function that runs for each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from stcollection import plugins

#: A group is a dictionary; its text has the key "". A command is ``module:name``, which is the function ``name_command`` of
#: ``stcollection.cli.module``, or ``module``, which is its function ``command``. After ``=`` is a function that draws a figure, and
#: after ``@`` a module of a study.
Entry: TypeAlias = str | Mapping[str, "Entry"]

SHOW: dict[str, Entry] = {
    **plugins.entries("show"),
    "": "List what the collection contains, and what commands accept.",
    "annotations": "complexity.annotations.files:status",
    "citations": "complexity.credibility:citations",
    "collections": "db.collections:list",
    "complexity": "complexity.credibility:status",
    "corpus": "corpus.tables:status",
    "corpus-files": "corpus.tables:files",
    "correlations": "complexity.correlations:correlations",
    "edition-files": "qrels.sources:files",
    "editions": "qrels.editions:editions",
    "formats": "formats",
    "licences": "corpus.tables:licences",
    "llm": "qrels.llm.reports:status",
    "llm-answers": "qrels.llm.reports:answers",
    "measures": "evaluation.summaries:measures",
    "models": "vectors.stored:models",
    "pairs": "qrels.pool.sheets:pairs",
    "pool-reviews": "qrels.pool.reviews:list",
    "pools": "listings:pools",
    "receipts": "runs.receiving:receipts",
    "rejects": "corpus.tables:rejects",
    "runs": "runs.stored:list",
    "sets": "topics.listing:sets",
    "snapshots": "listings:snapshots",
    "studies": "studies:list",
    "systems": "retrieval.systems:list",
    "text": "text.indexes:status",
    "topic-files": "topics.listing:files",
    "topics": "listings:topics",
    "users": "db.users:list",
    "vectors": "vectors.stored:status",
}
DROP: dict[str, Entry] = {
    **plugins.entries("drop"),
    "": "Remove something from the collection. 'stc db drop' removes a whole collection.",
    "documents": "corpus.documents:remove",
    "edition": "qrels.sources:drop",
    "measure": "evaluation.own:drop",
    "pool": "qrels.pool.pools:drop",
    "queries": "topics.loading:remove",
    "runs": "runs.stored:drop",
    "set": "topics.listing:unset",
    "system": "retrieval.systems:drop",
    "user": "db.users:drop",
    "vectors": "vectors.stored:drop",
}
EXPORT: dict[str, Entry] = {
    **plugins.entries("export"),
    "": "Write a part of the collection to files. 'stc db dump' writes all of it.",
    "annotations": "complexity.annotations.files:export",
    "bundle": "bundle.archives:export",
    "corpus": "corpus.documents:export",
    "pool": "qrels.pool.sheets:export",
    "qrels": "qrels.making:export",
    "run": "runs.export",
    "vectors": "vectors.stored:export",
}
SERVE: dict[str, Entry] = {
    "": "Run a server until Ctrl-C: the web page, embeddings, or tools for assistants.",
    "assistants": "mcp",
    "embeddings": "serve",
    "page": "explore",
}
_FIGURES = (
    "bias", "depth", "differences", "distribution", "grades", "history", "labels", "measures", "ranks", "readable", "slopes",
    "snapshots", "systems", "variation", "years",
)  # fmt: skip
#: The function that draws each figure; :mod:`stcollection.cli.options.figures` makes commands of them.
PLOT: dict[str, Entry] = {
    **plugins.entries("plot"),
    "": "Draw a figure as SVG, PNG or PDF; the suffix of --out selects the format. Equal data give equal files.",
    **{name: f"=figures:{name}" for name in _FIGURES},
    "annotations": "=figures:grades_given",
    "correlations": "=figures:correlation",
    "growth": "=figures:curves",
    "reliability": "=figures:scatter",
}
