"""Answer verification: find the answer that the documents of a query agree on.

Each query has web documents, documents contain answers, and answers support or contradict each other. Answers that agree are
grouped; the group backed by the most documents is endorsed, and its documents are returned.
"""

from stcollection.plugins import Study, StudyTable, closed

_OPEN = (
    "answer_models", "answer_sets", "answer_files", "answer_queries", "answer_documents", "answer_gold", "answer_runs",
    "answer_predictions", "answer_sentences", "answers", "answer_clusters", "answer_pairs", "answer_relations",
)  # fmt: skip

STUDY = Study(
    name="answers",
    summary="Verify answers: group the answers in documents by agreement, and return the documents of the most supported group.",
    tables=(*(StudyTable(name=name) for name in _OPEN), *closed("answer_gold", "answer_pairs", "answer_rejects")),
    closed_views=("answer_ledger",),
    commands={
        **{name: f"commands.methods:{name}" for name in ("baseline", "cluster", "extract")},
        **{name: f"commands.models:{name}" for name in ("check", "nli", "relate")},
        **{name: f"commands.runs:{name}" for name in ("explain", "graph")},
        **{name: f"commands.scores:{name}" for name in ("leaderboard", "score")},
        **{name: f"commands.training:{name}" for name in ("finetune", "study", "train")},
        "unload": "commands.sets:unload",
    },
    show={
        "answer-files": "commands.sets:files",
        "answer-models": "commands.models:models",
        "answer-rejects": "commands.sets:rejects",
        "answer-runs": "commands.runs:runs",
        "answers": "commands.sets:status",
        "extracted": "commands.methods:extracted",
    },
    drop={"answer-model": "commands.models:drop_model", "answer-run": "commands.runs:drop_run", "answers": "commands.sets:drop"},
    export={"answers": "commands.runs:export"},
    load={"answers": "commands.sets:load", "answer-run": "commands.runs:import"},
    python="methods:Answers",
    sections={"collection": "page.section:SECTION"},
    routes="routes:router",
    own_runs=True,
    docs="howto/verify-answers.md",
)
