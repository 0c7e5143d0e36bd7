"""The names that the publications print: three tables move to the schema stc, and views with the printed columns take their names.

Functions find the tables of stc first (stcollection/db/objects.py), so they do not change. Views of others depend on the tables by
oid, so they keep reading the same columns.
"""

from __future__ import annotations

from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

# The views of the same names are created by sql/topics, sql/runs and sql/complexity.
TABLES = ("st1_queries", "st1_rankings", "st1_complexity_metrics")
LOCKS = dict.fromkeys(TABLES, "ACCESS EXCLUSIVE")


def upgrade() -> None:
    for table in TABLES:
        op.execute(f"-- squawk-ignore ban-set-schema\nALTER TABLE public.{table} SET SCHEMA stc")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
