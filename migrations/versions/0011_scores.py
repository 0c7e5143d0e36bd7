"""Stored scores carry the fingerprint of their code; runs record what made them."""

from __future__ import annotations

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Stored scores without a fingerprint cannot be trusted. They are derived, and judge_runs computes them again.
    op.execute("TRUNCATE judged_runs, judged_queries, judged_rankings, judged_scores")
    for table in ("judged_runs", "judged_queries"):
        op.execute(f"-- squawk-ignore adding-required-field\nALTER TABLE {table} ADD COLUMN code text NOT NULL")  # it is empty now
    op.execute("COMMENT ON COLUMN judged_runs.code IS 'fingerprint of the code that computed them: score_code'")
    op.execute("COMMENT ON COLUMN judged_queries.code IS 'fingerprint of the code that computed it: score_code'")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
