"""The time and energy of each part of an unfinished run are kept, so that a continued run has those of all its parts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Participants only insert into this table, so the resources are in the row of a query and not in unfinished_runs."""
    comment = "resources of the program up to this query that no earlier row has; NULL: none"
    op.add_column("unfinished_rankings", sa.Column("spent", postgresql.JSONB(), comment=comment), schema="stc")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
