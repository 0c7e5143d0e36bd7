"""Synthetic queries: how they were made, step by step, and where each came from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "synth_studies",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("study", sa.Text(collation="C"), nullable=False),
        sa.Column(
            "field",
            sa.Text(),
            server_default="abstract",
            nullable=False,
            comment="what is sampled of a document, and what queries are made from",
        ),
        sa.Column("seed", sa.BigInteger(), nullable=False, comment="of all that is drawn"),
        sa.Column(
            "params",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
            comment="of each step, as it was run last: {step: {…}}",
        ),
        sa.Column("made", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("field IN ('abstract', 'content')", name=op.f("synth_studies_field_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("synth_studies_pkey")),
        sa.UniqueConstraint("study", name=op.f("synth_studies_study_key")),
        comment="Makings of synthetic queries, each from a sample of documents",
    )
    op.create_table(
        "synth_passages",
        sa.Column("study", sa.Integer(), nullable=False),
        sa.Column("doc", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False, comment="in the order they were drawn in, from 1"),
        sa.Column(
            "model", sa.Text(collation="C"), nullable=True, comment="that was asked whether it stands alone as a search result"
        ),
        sa.Column("prompt", sa.Integer(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True, comment="as it came; NULL: not asked, or none came"),
        sa.Column("score", sa.Double(), nullable=True, comment="0 to 100, read from the answer; NULL: malformed"),
        sa.Column("error", sa.Text(), nullable=True, comment="why there is no answer"),
        sa.Column(
            "params",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
            comment="what was asked for; what the answer cost",
        ),
        sa.Column("asked", sa.TIMESTAMP(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["doc"], ["dblp.id"], name=op.f("synth_passages_doc_fkey")),
        sa.ForeignKeyConstraint(["prompt"], ["llm_prompts.id"], name=op.f("synth_passages_prompt_fkey")),
        sa.ForeignKeyConstraint(["study"], ["synth_studies.id"], name=op.f("synth_passages_study_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study", "doc", name=op.f("synth_passages_pkey")),
        sa.UniqueConstraint("study", "place", name=op.f("synth_passages_study_place_key")),
        comment="The sampled documents of a study, and what a language model said of each",
    )
    op.create_table(
        "query_cuts",
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False, comment="unreasonable, few, many"),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("cut", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("reason IN ('unreasonable', 'few', 'many')", name=op.f("query_cuts_reason_check")),
        sa.ForeignKeyConstraint(["edition"], ["qrels_editions.id"], name=op.f("query_cuts_edition_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("query_cuts_query_fkey")),
        sa.PrimaryKeyConstraint("edition", "query", name=op.f("query_cuts_pkey")),
        comment="Queries that the assessors of an edition left out, and why",
    )
    op.create_table(
        "synth_candidates",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("study", sa.Integer(), nullable=False),
        sa.Column("doc", sa.BigInteger(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False, comment="what kind of generator: t5, gpt-4, …; becomes the query's"),
        sa.Column("model", sa.Text(collation="C"), nullable=False),
        sa.Column("prompt", sa.Integer(), nullable=True),
        sa.Column("number", sa.Integer(), nullable=False, comment="of this document and generator, from 1"),
        sa.Column("answer", sa.Text(), nullable=True, comment="as it came; NULL: none came"),
        sa.Column("text", sa.Text(), nullable=True, comment="the query read from it; NULL: malformed or empty"),
        sa.Column(
            "dropped",
            sa.Text(),
            nullable=True,
            comment="why it is no query: empty, malformed, error, duplicate, copy; NULL: it is one",
        ),
        sa.Column("length", sa.Integer(), nullable=True, comment="words of the query"),
        sa.Column(
            "found", sa.Integer(), nullable=True, comment="of these, how many occur in the document, without stopping or stemming"
        ),
        sa.Column("chosen", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("query", sa.Integer(), nullable=True, comment="that it became"),
        sa.Column(
            "params",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
            comment="what was asked for; what the answer cost",
        ),
        sa.Column("made", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["prompt"], ["llm_prompts.id"], name=op.f("synth_candidates_prompt_fkey")),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("synth_candidates_query_fkey"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["study", "doc"], ["synth_passages.study", "synth_passages.doc"], name="synth_candidates_study_fkey", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("synth_candidates_pkey")),
        sa.UniqueConstraint("study", "doc", "origin", "number", name=op.f("synth_candidates_study_doc_origin_number_key")),
        comment="Generated queries, before and after some of them are chosen",
    )
    op.create_index(op.f("synth_candidates_query_idx"), "synth_candidates", ["query"], unique=False)
    op.add_column("st1_queries", sa.Column("model", sa.Text(collation="C"), nullable=True, comment="that generated it"))
    op.add_column("st1_queries", sa.Column("prompt", sa.Integer(), nullable=True, comment="that it was asked for with"))
    op.add_column(
        "st1_queries",
        sa.Column("source", sa.BigInteger(), nullable=True, comment="the document it was generated from: its sparse judgment"),
    )
    op.alter_column(
        "st1_queries",
        "origin",
        comment="human, or what made it: t5, gpt-4, …",
        existing_type=sa.Text(),
        existing_nullable=False,
        existing_server_default=sa.text("'human'"),
    )
    op.create_foreign_key(op.f("st1_queries_source_fkey"), "st1_queries", "dblp", ["source"], ["id"])
    op.create_foreign_key(op.f("st1_queries_prompt_fkey"), "st1_queries", "llm_prompts", ["prompt"], ["id"])


def downgrade() -> None:
    raise NotImplementedError("restore a dump: a downgrade would lose generated queries")
