"""Names that print, and numbers that are finite.

The upgrade adds these checks after its transaction (stcollection/db/online.py), because validating them reads large tables. It
repairs the rows that violate them (stcollection/db/rules.py).
"""

from __future__ import annotations

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing in the transaction."""


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
