"""Topic coverage: the topics of the abstracts nearest to a text, and the number of documents in the corpus about each topic.

Data flow in one direction: :mod:`near` (the nearest abstracts and their words); :mod:`lda`, :mod:`itemsets` and :mod:`lattice`
(sets of words that represent topics); :mod:`cover` (all three, with counts over the corpus); :mod:`store` (stored under a name).
"""

from stcollection.plugins import Study, StudyTable

STUDY = Study(
    name="coverage",
    summary="Find the topics of the abstracts near a text, and count the documents of the corpus on each topic.",
    tables=(StudyTable(name="coverages", docs="docs"), StudyTable(name="coverage_topics")),
    commands={"compute": "commands:compute"},
    show={"coverage": "commands:show", "coverages": "commands:list"},
    drop={"coverage": "commands:drop"},
    plot={"coverage": "figure:plot_coverage"},
    python="methods:Coverages",
    page="page.view:VIEW",
    routes="routes:router",
    static={"coverage.js": "text/javascript"},
    docs="howto/search.md",
)
