"""Queries generated from the articles of topics wait for a person's review; a stored query names its reviewer."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_CLASS = (
    r"\u0001-\u001F\u007F-\u00A0\u00AD\u034F\u061C\u115F-\u1160\u1680\u17B4-\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F"
    r"\u205F-\u206F\u2800\u3000\u3164\uD800-\uF8FF\uFDD0-\uFDEF\uFEFF\uFFA0\uFFF0-\uFFFB\uFFFE-\uFFFF"
    r"\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U0010FFFF"
)


def _is_name(column: str) -> sa.CheckConstraint:
    return sa.CheckConstraint(
        sa.text(f"length({column}) BETWEEN 1 AND 200 AND {column} !~ '^ | $|[{_CLASS}]'"),
        name=op.f(f"synth_subtopics_{column}_name_check"),
    )


def upgrade() -> None:
    op.create_table(
        "synth_subtopics",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False, comment="number of the subtopic"),
        sa.Column("topic", sa.Integer(), nullable=False, comment="topic whose article it was generated from: st1_topics.id"),
        sa.Column("origin", sa.Text(), nullable=False, comment="kind of generator, as gpt-4; becomes st1_queries.origin"),
        sa.Column("model", sa.Text(collation="C"), nullable=False, comment="model that generated it"),
        sa.Column("prompt", sa.Integer(), nullable=False, comment="prompt it was generated with: llm_prompts.id"),
        sa.Column("number", sa.Integer(), nullable=False, comment="position in the answer, from 1"),
        sa.Column("answer", sa.Text(), comment="answer of the model; NULL: no answer was received"),
        sa.Column("text", sa.Text(), comment="query parsed from the answer; NULL: malformed or empty"),
        sa.Column("dropped", sa.Text(), comment="reason it is no query: empty, malformed or error; NULL: it is one"),
        sa.Column("nearest", sa.Text(), comment="text of the nearest stored query or earlier subtopic"),
        sa.Column("nearest_query", sa.Text(), comment="name of that query; NULL: an earlier subtopic"),
        sa.Column("words", sa.Double(), comment="Jaccard similarity of their words, from 0 to 1"),
        sa.Column("cosine", sa.Double(), comment="cosine of their embeddings; NULL: not computed"),
        sa.Column(
            "near", sa.Boolean(), server_default=sa.false(), nullable=False, comment="true: set aside as a near-duplicate of it"
        ),
        sa.Column("verdict", sa.Text(), comment="decision of the reviewer: accepted, off-topic or duplicate; NULL: none yet"),
        sa.Column("reworded", sa.Text(), comment="text that the reviewer wrote instead; NULL: unchanged"),
        sa.Column("note", sa.Text(), comment="note of the reviewer"),
        sa.Column("reviewer", sa.Text(collation="C"), comment="person who reviewed it"),
        sa.Column("reviewed", sa.TIMESTAMP(timezone=True), comment="when the decision was stored"),
        sa.Column("query", sa.Integer(), comment="query it was published as: st1_queries.id"),
        sa.Column(
            "params",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
            comment="parameters of the request, and its cost",
        ),
        sa.Column(
            "made", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False, comment="when it was stored"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("synth_subtopics_pkey")),
        sa.UniqueConstraint("topic", "origin", "number", name=op.f("synth_subtopics_topic_origin_number_key")),
        sa.ForeignKeyConstraint(["topic"], ["st1_topics.id"], name=op.f("synth_subtopics_topic_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["prompt"], ["stc.llm_prompts.id"], name=op.f("synth_subtopics_prompt_fkey")),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("synth_subtopics_query_fkey"), ondelete="SET NULL"),
        sa.CheckConstraint("dropped IN ('empty', 'malformed', 'error')", name=op.f("synth_subtopics_dropped_check")),
        sa.CheckConstraint("verdict IN ('accepted', 'off-topic', 'duplicate')", name=op.f("synth_subtopics_verdict_check")),
        sa.CheckConstraint("(verdict IS NULL) = (reviewer IS NULL)", name=op.f("synth_subtopics_reviewer_check")),
        *(_is_name(column) for column in ("origin", "model", "reviewer")),
        comment="Queries generated from the articles of topics, and their review",
        schema="stc",
    )
    op.create_index(op.f("synth_subtopics_query_idx"), "synth_subtopics", ["query"], schema="stc")
    op.add_column(
        "st1_queries",
        sa.Column("reviewer", sa.Text(), comment="person who reviewed the generated query; NULL: not reviewed"),
    )


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
