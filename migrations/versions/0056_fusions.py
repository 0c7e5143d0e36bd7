"""Systems that fuse others with tuned weights: own_systems keeps the weights, and what they were tuned on."""

from __future__ import annotations

from alembic import op

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None

OBJECT = """jsonb_typeof(fusion) = 'object' AND NOT jsonb_path_exists(fusion, 'strict $.**{33}')
 AND NOT jsonb_path_exists(fusion, 'strict $.**{0 to 32} ? (@ > 1.7976931348623157e308 || @ < -1.7976931348623157e308)')"""

# The new column is NULL in all rows, so none is written.
LOCKS = {"own_systems": "ACCESS EXCLUSIVE"}


def upgrade() -> None:
    op.execute(
        "-- squawk-ignore constraint-missing-not-valid\nALTER TABLE stc.own_systems ADD COLUMN fusion jsonb"
        f" CONSTRAINT own_systems_fusion_object_check CHECK ({OBJECT})"
        " CONSTRAINT own_systems_fusion_size_check CHECK (octet_length(fusion::text) <= 10000)"
    )


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
