"""Searches for a run are stored query by query until the run is complete, so that an interrupted command continues."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_CLASS = (
    r"\u0001-\u001F\u007F-\u00A0\u00AD\u034F\u061C\u115F-\u1160\u1680\u17B4-\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F"
    r"\u205F-\u206F\u2800\u3000\u3164\uD800-\uF8FF\uFDD0-\uFDEF\uFEFF\uFFA0\uFFF0-\uFFFB\uFFFE-\uFFFF"
    r"\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U0010FFFF"
)


def upgrade() -> None:
    """No foreign key names a query or a document: unfinished work must not keep anybody from removing them."""
    op.create_table(
        "unfinished_runs",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False, comment="number of the unfinished run"),
        sa.Column("run", sa.Text(collation="C"), nullable=False, comment="name that the run will have"),
        sa.Column("maker", sa.Text(collation="C"), nullable=False, comment="role that makes it; nobody else continues it"),
        sa.Column("params", postgresql.JSONB(), nullable=False, comment="system, depth, filter and model"),
        sa.Column("state", postgresql.JSONB(), nullable=False, comment="what its results depend on (run_state)"),
        sa.Column("queries", sa.Integer(), nullable=False, comment="number of queries to search"),
        sa.Column(
            "begun", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False, comment="when it was begun"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("unfinished_runs_pkey")),
        sa.UniqueConstraint("maker", "run", name=op.f("unfinished_runs_maker_run_key")),
        sa.CheckConstraint(
            sa.text(f"length(run) BETWEEN 1 AND 200 AND run !~ '^ | $|[{_CLASS}]'"), name=op.f("unfinished_runs_run_name_check")
        ),
        comment="Runs whose queries have not all been searched",
        schema="stc",
    )
    op.create_table(
        "unfinished_rankings",
        sa.Column("unfinished", sa.Integer(), nullable=False, comment="unfinished run: unfinished_runs.id"),
        sa.Column("query", sa.Integer(), nullable=False, comment="query: st1_queries.id"),
        sa.Column("docs", postgresql.ARRAY(sa.BigInteger()), nullable=False, comment="documents by rank: dblp.id"),
        sa.Column("scores", postgresql.ARRAY(sa.Double()), nullable=False, comment="their scores"),
        sa.Column(
            "searched",
            sa.TIMESTAMP(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
            comment="when the query was searched",
        ),
        sa.ForeignKeyConstraint(
            ["unfinished"], ["stc.unfinished_runs.id"], name=op.f("unfinished_rankings_unfinished_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("unfinished", "query", name=op.f("unfinished_rankings_pkey")),
        sa.CheckConstraint("cardinality(docs) = cardinality(scores)", name=op.f("unfinished_rankings_scores_check")),
        comment="Rankings of an unfinished run, one row per searched query",
        schema="stc",
    )


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
