"""Metadata of runs are JSON objects of limited depth; code of others that belongs to a role with rights is reported.

The upgrade adds the checks after its transaction (stcollection/db/online.py), and reports the code (stcollection/db/upgrade.py).
"""

from __future__ import annotations

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing changes in the transaction."""


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
