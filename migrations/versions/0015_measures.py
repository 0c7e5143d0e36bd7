"""The names of stored values beside them, in place of their places in a list of the code."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Rows stored before have no names: their fingerprint is another one too, so they are computed again when they are needed."""
    op.add_column(
        "judged_runs",
        sa.Column(
            "measures",
            postgresql.ARRAY(sa.Text()),
            server_default="{}",
            nullable=False,
            comment="names of the values in judged_scores.scores, in their order",
        ),
    )
    op.alter_column("judged_runs", "measures", server_default=None)
    op.alter_column("judged_scores", "scores", comment="in the order of judged_runs.measures")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
