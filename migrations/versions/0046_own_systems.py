"""Retrieval systems that users add: the name of a system and of its function."""

from __future__ import annotations

from alembic import op

from stcollection.names import PATTERN

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None

LOCKS = {"removals": "ACCESS EXCLUSIVE"}

TABLE = """
CREATE TABLE stc.own_systems (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    system text COLLATE "C" NOT NULL
        CONSTRAINT own_systems_system_pattern_check CHECK (system ~ '^[A-Za-z][A-Za-z0-9_.-]{0,39}$'),
    maker text COLLATE "C",
    function text NOT NULL CONSTRAINT own_systems_function_size_check CHECK (octet_length(function) <= 10000),
    title text CONSTRAINT own_systems_title_name_check CHECK (length(title) BETWEEN 1 AND 200 AND title !~ '<unprintable>'),
    added timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT own_systems_system_key UNIQUE NULLS NOT DISTINCT (system, maker)
)
"""


def upgrade() -> None:
    op.execute(TABLE.replace("<unprintable>", PATTERN))
    # The table is empty outside transactions.
    op.execute("-- squawk-ignore ban-drop-constraint\nALTER TABLE stc.removals DROP CONSTRAINT removals_kind_check")
    op.execute(
        "-- squawk-ignore constraint-missing-not-valid\nALTER TABLE stc.removals ADD CONSTRAINT removals_kind_check"
        " CHECK (kind IN ('run', 'unfinished', 'edition', 'file', 'system'))"
    )


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
