"""Sets of queries have a name: an expression that is evaluated when the set is used (sql/topics/query_set.sql)."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_CLASS = (
    r"\u0001-\u001F\u007F-\u00A0\u00AD\u034F\u061C\u115F-\u1160\u1680\u17B4-\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F"
    r"\u205F-\u206F\u2800\u3000\u3164\uD800-\uF8FF\uFDD0-\uFDEF\uFEFF\uFFA0\uFFF0-\uFFFB\uFFFE-\uFFFF"
    r"\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U0010FFFF"
)


def upgrade() -> None:
    op.create_table(
        "query_sets",
        sa.Column("name", sa.Text(collation="C"), nullable=False, comment="name of the set"),
        sa.Column("expression", sa.Text(), nullable=False, comment="its queries, as for query_set; evaluated when used"),
        sa.Column("description", sa.Text(), nullable=True, comment="what the set is for"),
        sa.Column(
            "added", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False, comment="when it was stored"
        ),
        sa.PrimaryKeyConstraint("name", name=op.f("query_sets_pkey")),
        sa.CheckConstraint(
            sa.text(f"length(name) BETWEEN 1 AND 200 AND name !~ '^ | $|[{_CLASS}]'"), name=op.f("query_sets_name_name_check")
        ),
        comment="Named sets of queries",
        schema="stc",
    )


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
