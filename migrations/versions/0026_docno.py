"""A document inserted without docno gets one from its record (sql/corpus/complete_documents.sql).

A default cannot read other columns, and a trigger for each row would make COPY insert rows one by one. So the default is a mark,
which a trigger for each statement replaces.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.alter_column("dblp", "docno", server_default=sa.text("'without docno: ' || gen_random_uuid()"), schema="public")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
