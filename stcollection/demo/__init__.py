"""The demo collection: written for this project, in the layout of the real ones.

216 invented computer-science abstracts (``demo.dblp.v12.json``, with flaws that real files have: holes in the inverted abstracts,
HTML entities, a U+0000, a record twice, one without a title), 12 topics with 24 queries, and judgments in a train edition (topics
D01–D08) and a test edition (D09–D12). The ``second`` files hold a simulated second annotator's grades of an overlap.
``demo.annotations.csv`` holds grades of complexity and credibility of 72 documents, three annotators each, of six in three groups:
they are simulated by the authors, from how hard each abstract reads and how often it is cited, a shift a group, and noise. Do not
report them as measured.

Sixteen queries in the manner of generated ones, each made from one abstract, go with the test edition: S01–S08 (``t5``) are short
and clumsy, in words of the abstract; S09–S16 (``gpt-4``) are fluent questions. No language model made them: the authors wrote
them, and graded what the five systems of the demo have among their first ten. They are there to try the commands on, not to
report.
"""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "data"
CORPUS = DATA / "demo.dblp.v12.json"
QUERIES = DATA / "demo.queries.csv"
ANNOTATIONS = DATA / "demo.annotations.csv"
EDITIONS = ("train", "test")
SYNTHETIC, ORIGINS = DATA / "demo.synthetic.tsv", DATA / "demo.synthetic.origins.tsv"
STUDY, SPARSE = "study", "sparse"  # editions: the test queries and the synthetic ones together; each synthetic query's source alone


def qrels(edition: str, *, second: bool = False) -> Path:
    """The judgments of an edition, of the first or the second annotator."""
    return DATA / f"demo.{edition}{'.second' if second else ''}.qrels"


def study_qrels() -> tuple[Path, Path]:
    """The judgments of the edition STUDY: of the test queries, and of the synthetic ones."""
    return qrels("test"), DATA / "demo.synthetic.qrels"


def sparse_qrels() -> Path:
    """The one judgment of each synthetic query: the document it was made from."""
    return DATA / "demo.sparse.qrels"
