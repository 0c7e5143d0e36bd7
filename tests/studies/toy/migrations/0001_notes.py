"""Notes, and notes that only organisers read."""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None

TABLES = """
CREATE TABLE stc.toy_notes (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    query integer REFERENCES stc.st1_queries ON DELETE CASCADE,
    note text NOT NULL
);
CREATE INDEX toy_notes_query_idx ON stc.toy_notes (query);
CREATE TABLE stc_all.toy_secrets (
    note integer PRIMARY KEY REFERENCES stc.toy_notes ON DELETE CASCADE,
    secret text NOT NULL
);
"""


def upgrade() -> None:
    op.execute(TABLES)
