"""Topic coverage: what the abstracts near a text are about, and how much of the corpus is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "coverages",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column(
            "coverage",
            sa.Text(collation="C"),
            nullable=False,
            comment="its name; of a stored query the query's, unless it was given one",
        ),
        sa.Column("query", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False, comment="whose topics they are"),
        sa.Column("model", sa.Text(collation="C"), nullable=False, comment="of the vectors that said which abstracts are near"),
        sa.Column(
            "docs", postgresql.ARRAY(sa.BigInteger()), nullable=False, comment="dblp.id of the nearest abstracts, nearest first"
        ),
        sa.Column(
            "params",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
            comment="how many documents, topics, words; support, seed",
        ),
        sa.Column("made", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("coverages_query_fkey"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("coverages_pkey")),
        sa.UniqueConstraint("coverage", name=op.f("coverages_coverage_key")),
        comment="Topic coverage of texts: what their nearest abstracts are about, and how much of the corpus is about it",
    )
    op.create_index(op.f("coverages_query_idx"), "coverages", ["query"], unique=False)
    op.create_table(
        "coverage_topics",
        sa.Column("coverage", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False, comment="lda, itemset, concept"),
        sa.Column("place", sa.Integer(), nullable=False, comment="from 1, as found"),
        sa.Column("words", postgresql.ARRAY(sa.Text()), nullable=False, comment="that stand for it, the most telling first"),
        sa.Column(
            "weight",
            sa.Double(),
            nullable=True,
            comment="lda: share of the words; else share of the abstracts that have them all",
        ),
        sa.Column("count", sa.BigInteger(), nullable=False, comment="documents of the whole corpus that hold all the words"),
        sa.CheckConstraint("kind IN ('lda', 'itemset', 'concept')", name=op.f("coverage_topics_kind_check")),
        sa.ForeignKeyConstraint(["coverage"], ["coverages.id"], name=op.f("coverage_topics_coverage_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("coverage", "kind", "place", name=op.f("coverage_topics_pkey")),
        comment="The topics of a text, and how many documents of the corpus hold their words",
    )


def downgrade() -> None:
    raise NotImplementedError("restore a dump: a downgrade would lose stored coverages")
