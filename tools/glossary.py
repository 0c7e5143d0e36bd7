"""Write docs/reference/glossary.md: every concept, its name, and where it is in tables, SQL and commands.

python -m tools.glossary            write it
python -m tools.glossary --check    fail if it is not current
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from stcollection.cells import markdown_cell

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "glossary.md"


@dataclass(frozen=True)
class Concept:
    """A concept under its only name.

    :param about: its definition, one or two sentences. :param avoid: words that must not be used instead.
    :param tables: tables and views that store it. :param commands: groups or commands of ``stc``.
    """

    name: str
    about: str
    avoid: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


CONCEPTS = (
    Concept(
        "agreement", "How often two or more assessors give the same grade, corrected for chance.", (), (), ("qrels agreement",)
    ),
    Concept(
        "annotation",
        "A grade of readability or credibility that a person gave a text.",
        (),
        ("annotations",),
        ("complexity annotations",),
    ),
    Concept(
        "answer",
        "A passage that a system returns for a query; it is verified against the other answers.",
        (),
        ("answers",),
        ("answers",),
    ),
    Concept("assessor", "A person who judges documents for a query.", ("judger",), (), ("qrels judge",)),
    Concept("baseline", "The run that others are compared with.", (), (), ("compare", "analysis compare")),
    Concept("collection", "One PostgreSQL database with a corpus, topics, runs and qrels.", (), (), ("db",)),
    Concept("corpus", "All documents of the collection.", (), ("dblp", "documents"), ("corpus",)),
    Concept(
        "credibility",
        "The rank of a document's citations among those of the same year and field, from 0 to 1.",
        (),
        ("credibility",),
        ("complexity credibility",),
    ),
    Concept("cutoff", "Evaluation depth: the ranks that a measure reads, as 10 in nDCG@10.", (), (), ("evaluation score",)),
    Concept(
        "depth",
        "Retrieval or pooling depth: how many documents a search returns or a run gives a pool.",
        (),
        (),
        ("retrieval run", "qrels pool"),
    ),
    Concept(
        "document",
        "The item that is retrieved and judged. `docno` is its name in files, `doc` its number in tables.",
        (),
        ("documents", "dblp_text"),
        ("corpus",),
    ),
    Concept(
        "dump",
        "A file with a whole collection, made by `stc db dump` and read by `stc db restore`.",
        ("hand-over", "handover"),
        (),
        ("db dump", "db restore"),
    ),
    Concept(
        "edition",
        "One named version of the qrels, as `train` or `test`. Every judgment belongs to one.",
        (),
        ("qrels_editions",),
        ("qrels editions",),
    ),
    Concept("embedding", "The vector that a model gives a text.", ("vec",), ("dblp_v", "dblp_p", "query_v"), ("vectors embed",)),
    Concept("expansion", "Judgments added for neighbours of relevant documents.", (), (), ("qrels expand", "analysis expansion")),
    Concept("field", "The part of a document that is embedded: title, abstract or both.", (), (), ("vectors embed",)),
    Concept("filter", "A condition on documents that a search or run obeys, as `year 2015..2020`.", (), (), ("retrieval search",)),
    Concept("fusion", "One ranking made of several, by reciprocal ranks or by scores.", (), (), ("retrieval fuse",)),
    Concept(
        "grade",
        "The value of a judgment: 0 is not relevant, higher is more relevant. The column is `rel`.",
        (),
        (),
        ("qrels judge",),
    ),
    Concept(
        "hidden edition",
        "An edition that participants and readers cannot see until it is released.",
        (),
        ("qrels_editions",),
        ("qrels hide", "qrels release"),
    ),
    Concept(
        "index",
        "A structure that makes searches fast: of text (GIN, BM25) or of vectors (ivfflat, hnsw, diskann).",
        (),
        (),
        ("text index", "vectors index"),
    ),
    Concept(
        "judgment",
        "One grade for one document and one query in one edition, with its origin.",
        ("judgement",),
        ("qrels_judgments", "judgments"),
        ("qrels",),
    ),
    Concept("leaderboard", "The mean of each measure for each run, best first.", (), (), ("evaluation leaderboard",)),
    Concept(
        "ledger",
        "The list of files that were loaded, with their checksums and what they brought.",
        (),
        ("corpus_files",),
        ("corpus files", "topics files", "qrels files"),
    ),
    Concept(
        "measure",
        "A function of a ranking and judgments, as nDCG@10 or AP.",
        ("metric",),
        ("st1_scores", "scores"),
        ("evaluation measures",),
    ),
    Concept(
        "model",
        "A program that makes embeddings, or a language model that judges.",
        (),
        ("vector_models",),
        ("vectors models", "qrels llm"),
    ),
    Concept(
        "organiser",
        "A person who runs a track: loads the corpus, makes pools, collects judgments, publishes editions.",
        (),
        (),
        ("db user",),
    ),
    Concept(
        "origin",
        "The source of a judgment or a query: people, a language model, a neighbour, a generator.",
        (),
        ("judgments", "queries"),
        ("topics origins",),
    ),
    Concept("participant", "A person or group that submits runs to a track, as a member of a team.", (), (), ("runs receive",)),
    Concept("passage", "A part of an abstract that has its own embedding.", (), ("dblp_passages",), ("vectors passages",)),
    Concept(
        "pool",
        "Documents to judge, selected from the top of several runs.",
        (),
        ("qrels_pools", "qrels_pool_documents"),
        ("qrels pool",),
    ),
    Concept(
        "preference",
        "A judgment of which of two documents is better for a query.",
        (),
        ("qrels_preferences",),
        ("qrels import-preferences",),
    ),
    Concept("qrels", "The judgments of an edition, as a set.", (), ("judgments",), ("qrels",)),
    Concept(
        "query",
        "The text that is issued for a topic. A topic can have several queries.",
        (),
        ("st1_queries", "queries"),
        ("topics",),
    ),
    Concept(
        "rank", "The position of a document in a ranking; 1 is the best.", (), ("st1_rankings", "rankings"), ("retrieval search",)
    ),
    Concept(
        "readability",
        "How easy a text is to read, by 20 measures of its words and sentences.",
        (),
        ("st1_complexity_metrics", "document_measures"),
        ("complexity",),
    ),
    Concept("receipt", "The number a participant gets for a run that was handed in.", (), ("run_receipts",), ("runs receipts",)),
    Concept(
        "reject",
        "A record of a corpus file that could not be read; the load goes on without it.",
        (),
        ("corpus_rejects",),
        ("corpus rejects",),
    ),
    Concept(
        "run",
        "The rankings of one system for a set of queries, under the name of the run (its tag in TREC files).",
        (),
        ("st1_runs", "runs", "st1_rankings"),
        ("runs",),
    ),
    Concept(
        "score",
        "The number by which a system ranks a document; larger is better.",
        (),
        ("st1_rankings", "rankings"),
        ("retrieval search",),
    ),
    Concept(
        "sealed edition",
        "An edition that can no longer change; `stc qrels verify` checks it.",
        (),
        ("qrels_editions",),
        ("qrels seal", "qrels verify"),
    ),
    Concept("sheet", "An assessor's part of a pool as a file.", (), (), ("qrels pool export",)),
    Concept(
        "stub",
        "A document or query that a run or judgment names but that has no text. Searches never return it.",
        (),
        ("dblp", "st1_queries"),
        ("corpus remove",),
    ),
    Concept(
        "subtopic",
        "An aspect of a query, for which documents are judged; in `stc synth`, a query that a model generated from an article.",
        ("intent",),
        ("qrels_subtopics", "synth_subtopics"),
        ("qrels import-subtopics", "synth review"),
    ),
    Concept(
        "synthetic query", "A query that a model generated from a document.", (), ("synth_candidates", "synth_studies"), ("synth",)
    ),
    Concept("system", "A method with its parameters; it makes runs.", (), ("st1_runs",), ("retrieval run",)),
    Concept("team", "The participants who submit runs together.", (), ("st1_runs",), ("runs receive",)),
    Concept("topic", "An information need; in SimpleText a press article.", (), ("st1_topics",), ("topics",)),
    Concept(
        "value",
        "The number that a measure gives a run for one query, or their mean.",
        (),
        ("st1_scores", "scores"),
        ("evaluation score",),
    ),
)
HEAD = """\
# Glossary

Written by `tools/glossary.py`.

Each concept has one name: in commands, options, tables, columns, messages and pages.

| name | meaning | tables and views | commands |
|---|---|---|---|
"""


def page() -> str:
    """The text of the page."""
    lines = []
    for concept in CONCEPTS:
        tables = ", ".join(f"`{name}`" for name in concept.tables)
        commands = ", ".join(f"`stc {name}`" for name in concept.commands)
        lines.append(f"| {' | '.join(str(markdown_cell(cell)) for cell in (concept.name, concept.about, tables, commands))} |")
    return HEAD + "\n".join(lines) + "\n"


def main() -> int:
    """Write the page, or compare it."""
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.read_text(encoding="utf-8") == page() else 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
