"""Stored scores carry the fingerprint of their code; runs record what made them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Stored scores without a fingerprint cannot be trusted. They are derived, and judge_runs computes them again.
    op.execute("TRUNCATE judged_runs, judged_queries, judged_rankings, judged_scores")
    op.add_column(
        "judged_runs",
        sa.Column("code", sa.Text(), nullable=False, comment="fingerprint of the code that computed them: score_code"),
    )
    op.add_column(
        "judged_queries",
        sa.Column("code", sa.Text(), nullable=False, comment="fingerprint of the code that computed it: score_code"),
    )


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
