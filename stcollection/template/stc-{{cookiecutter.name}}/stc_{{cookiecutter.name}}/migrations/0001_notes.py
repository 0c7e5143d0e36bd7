"""The table of notes."""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None

TABLES = """
CREATE TABLE stc.{{cookiecutter.name}}_notes (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    query integer NOT NULL REFERENCES stc.st1_queries ON DELETE CASCADE,
    note text NOT NULL CHECK (note ~ '\\S'),
    made timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX {{cookiecutter.name}}_notes_query_idx ON stc.{{cookiecutter.name}}_notes (query);
"""


def upgrade() -> None:
    op.execute(TABLES)
