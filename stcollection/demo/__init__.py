"""The demo collection: written for this project, in the layout of the real ones.

216 invented computer-science abstracts (``demo.dblp.v12.json``, with flaws that real files have: holes in the inverted abstracts,
HTML entities, a U+0000, a record twice, one without a title), 12 topics with 24 queries, and judgments in a train edition (topics
D01–D08) and a test edition (D09–D12). The ``second`` files hold a simulated second annotator's grades of an overlap.
``demo.annotations.csv`` holds grades of complexity and credibility of 72 documents, three annotators each, of six in three groups:
they are simulated by the authors, from how hard each abstract reads and how often it is cited, a shift a group, and noise. Do not
report them as measured.
"""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "data"
CORPUS = DATA / "demo.dblp.v12.json"
QUERIES = DATA / "demo.queries.csv"
ANNOTATIONS = DATA / "demo.annotations.csv"
EDITIONS = ("train", "test")


def qrels(edition: str, *, second: bool = False) -> Path:
    """The judgments of an edition, of the first or the second annotator."""
    return DATA / f"demo.{edition}{'.second' if second else ''}.qrels"
