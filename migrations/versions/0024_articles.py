"""A topic may store the press article it comes from: title, full text, source and date."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("st1_topics", sa.Column("title", sa.Text(), comment="title of the article"))
    op.add_column("st1_topics", sa.Column("article", sa.Text(), comment="full text of the article; NULL: see text"))
    op.add_column("st1_topics", sa.Column("source", sa.Text(), comment="newspaper or website that published the article"))
    op.add_column("st1_topics", sa.Column("published", sa.Date(), comment="date of the article"))


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
