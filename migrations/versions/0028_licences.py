"""Documents have a licence and a data source, as far as their records state them (sql/corpus/keep_facts.sql).

Both columns are nullable without a default, so that no row is written: documents stored before have none until they are loaded
again.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    comment = "licence that the record states, in one spelling: cc-by; NULL: none"
    op.add_column("dblp_facts", sa.Column("licence", sa.Text(collation="C"), comment=comment), schema="public")
    comment = "format of the file that the record comes from, or name of its data set; NULL: unknown"
    op.add_column("dblp_facts", sa.Column("data_source", sa.Text(collation="C"), comment=comment), schema="public")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
