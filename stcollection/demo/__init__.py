"""The demo collection: written for this project, in the formats of the real ones.

216 invented computer-science abstracts (``demo.dblp.v12.json``), 12 topics with 24 queries, and judgments in a train edition
(topics D01–D08) and a test edition (D09–D12). The file has flaws that real files have: gaps in the inverted abstracts, HTML
entities, a U+0000, a duplicate record, a record without a title. The ``second`` files contain a simulated second annotator's
grades for a part of the judgments.

``demo.annotations.csv`` contains grades of complexity and credibility of 72 documents, by three annotators each, of six in three
groups. The authors simulated them from the readability and the citations of each abstract, an offset per group, and noise. Do not
report them as measured.

The test edition also has sixteen queries in the style of generated ones, each written from one abstract: S01–S08 (``t5``) are
short and clumsy and use words of the abstract; S09–S16 (``gpt-4``) are fluent questions. No language model generated them: the
authors wrote them, and graded the top ten documents of the demo's five systems. They are for trying the commands, not for
reporting.
"""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "data"
RECIPE, SYNTHETIC_RECIPE = DATA / "demo.toml", DATA / "demo.synthetic.toml"
CORPUS = DATA / "demo.dblp.v12.json"
QUERIES = DATA / "demo.queries.csv"
ANNOTATIONS = DATA / "demo.annotations.csv"
VECTORS = DATA / "demo.vectors.npz"
EDITIONS = ("train", "test")


def qrels(edition: str, *, second: bool = False) -> Path:
    """Return the file with the judgments of an edition, by the first or the second annotator."""
    return DATA / f"demo.{edition}{'.second' if second else ''}.qrels"
