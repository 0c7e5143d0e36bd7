"""Documents that are left out for a query, as those that the query was taken from.

They are an array of dblp.id on the query, which needs no index and no key: a document that is gone cannot be ranked either.
"""

from __future__ import annotations

from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None

# The new column has a constant default, so no row is written.
LOCKS = {"st1_queries": "ACCESS EXCLUSIVE"}


def upgrade() -> None:
    op.execute("ALTER TABLE stc.st1_queries ADD COLUMN excluded bigint[] NOT NULL DEFAULT '{}'")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
