"""Stored scores carry the fingerprint of their code; runs record what made them."""

from __future__ import annotations

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
