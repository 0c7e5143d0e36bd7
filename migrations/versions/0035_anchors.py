"""A document of each shard, by which a search asks the shard's vector index (sql/vectors/knn_on_shards.sql)."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The column is NULL until the index is built again in a distributed collection."""
    comment = "an id of each shard of an index, by which a search asks it; NULL: one server"
    op.add_column("vector_indexes", sa.Column("anchors", postgresql.ARRAY(sa.BigInteger()), comment=comment), schema="stc")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
