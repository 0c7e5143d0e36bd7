"""What 'stc build' has done: the recipe of the collection, and one row per step of it.

Only organisers may read the tables, because steps name hidden editions.
"""

from __future__ import annotations

from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

LOCKS: dict[str, str] = {}

TABLES = """
CREATE TABLE stc_all.build_recipes (
    single boolean PRIMARY KEY DEFAULT true CONSTRAINT build_recipes_single_check CHECK (single),
    path text NOT NULL,
    content text NOT NULL,
    title text,
    built timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE stc_all.build_steps (
    step text COLLATE "C" PRIMARY KEY,
    kind text NOT NULL,
    definition jsonb NOT NULL,
    files jsonb NOT NULL,
    needs jsonb NOT NULL,
    outcome text,
    began timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished timestamptz
);
"""


def upgrade() -> None:
    op.execute(TABLES)


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
