"""Measures that organisers add: a row with the parts of a measure in sql/evaluation/measures.toml."""

from __future__ import annotations

from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

LOCKS: dict[str, str] = {}

TABLE = """
CREATE TABLE stc.own_measures (
    kind text COLLATE "C" PRIMARY KEY,
    place integer GENERATED ALWAYS AS IDENTITY,
    ir text COLLATE "C" NOT NULL,
    cutoff boolean NOT NULL,
    defaults double precision[],
    parameters jsonb,
    mean text NOT NULL,
    range numrange NOT NULL,
    definition text NOT NULL,
    documents text,
    gain text,
    value text NOT NULL,
    source text,
    added timestamptz NOT NULL DEFAULT now()
)
"""


def upgrade() -> None:
    op.execute(TABLE)


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
