"""The studies of the collection, each with its revision and the rights on its tables; and rows of studies that are not installed.

Collections up to revision 0044 have the tables of three studies. Later ones get them from the migrations of each study.
"""

from __future__ import annotations

import json

from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE stc.studies (
    study text COLLATE "C" PRIMARY KEY,
    revision text COLLATE "C" NOT NULL,
    rights jsonb NOT NULL
);
CREATE TABLE stc_all.study_rows (
    study text COLLATE "C" REFERENCES stc.studies,
    relation text COLLATE "C",
    place integer,
    columns text[] NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (study, relation, place)
);
"""
OPEN, CLOSED = ("r", "r", "rawd", "stc"), ("", "", "rawd", "stc_all")
#: Studies of earlier collections, each with its first table, and the rights on all.
ADOPTED: dict[str, tuple[str, dict[tuple[str, str, str, str], tuple[str, ...]]]] = {
    "coverage": ("stc.coverages", {OPEN: ("coverages", "coverage_topics")}),
    "synth": (
        "stc_all.synth_studies",
        {CLOSED: ("synth_studies", "synth_passages", "synth_candidates", "synth_subtopics")},
    ),
    "answers": (
        "stc.answer_sets",
        {
            OPEN: (
                "answer_models", "answer_sets", "answer_files", "answer_queries", "answer_documents", "answer_gold", "answer_runs",
                "answer_predictions", "answer_sentences", "answers", "answer_clusters", "answer_pairs", "answer_relations",
            ),
            CLOSED: ("answer_gold", "answer_pairs", "answer_rejects"),
        },
    ),
}  # fmt: skip


def upgrade() -> None:
    op.execute(TABLES)
    for study, (table, by_rights) in ADOPTED.items():
        rights = [
            {"relation": name, "participant": participant, "reader": reader, "organiser": organiser, "schema": schema}
            for (participant, reader, organiser, schema), names in by_rights.items()
            for name in names
        ]
        op.execute(
            f"INSERT INTO stc.studies SELECT '{study}', '0001', '{json.dumps(rights)}' WHERE to_regclass('{table}') IS NOT NULL"
        )


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
