"""Synthetic queries: sample documents, score how well they stand alone as search results, and generate queries from them."""

from stcollection.plugins import Study, closed

STUDY = Study(
    name="synth",
    summary="Generate synthetic queries: sample documents, score them, generate queries, select some.",
    tables=closed(
        "synth_studies", "synth_passages", "synth_candidates", "synth_subtopics", rows={"synth_passages": "documents of studies"}
    ),
    commands={
        "accept": "commands.review:publish",
        "cut": "commands.selection:cut",
        "generate": "commands.generate",
        "publish": "commands.selection:publish",
        "report": "commands.report:report",
        "review": "commands.review:check",
        "sample": "commands.studies:sample",
        "score": "commands.score",
        "select": "commands.selection:select",
    },
    show={
        "candidates": "commands.studies:candidates",
        "reviews": "commands.review:list",
        "sample-scores": "commands.studies:scores",
        "study": "commands.studies:status",
        "study-match": "commands.selection:match",
    },
    drop={"study": "commands.studies:drop"},
    export={"review": "commands.review:export"},
    plot={"match": "match_figure:plot_match", "queries": "query_figure:plot_queries"},
    load={"review": "commands.review:import"},
    python="methods:Synth",
    sections={"judging": "page.proposals:PANEL", "log": "page.proposals:DEEDS"},
    routes="routes:router",
    docs="howto/synthetic-queries.md",
)
