"""A vector index may store bits: the signs of the values (sql/vectors/indexed_vector.sql)."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "vector_indexes",
        sa.Column("bits", sa.Boolean(), server_default=sa.false(), nullable=False, comment="true: indexed as bits"),
        schema="stc",
    )


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
