"""Files can be snapshots of a collection that grows: documents have the dates of the first and last snapshot that contain them.

The columns are nullable without a default, so that no row is written.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    comment = "date of the first snapshot that contains the document; NULL: not from a snapshot"
    op.add_column("dblp_facts", sa.Column("first_date", sa.Date(), comment=comment), schema="public")
    comment = "date of the last snapshot that contains the document; NULL: not from a snapshot"
    op.add_column("dblp_facts", sa.Column("last_date", sa.Date(), comment=comment), schema="public")
    op.create_table(
        "corpus_snapshots",
        sa.Column("day", sa.Date(), nullable=False, comment="date of the snapshot"),
        sa.Column("file", sa.Integer(), nullable=False, comment="file that is part of the snapshot: corpus_files.id"),
        sa.ForeignKeyConstraint(["file"], ["stc.corpus_files.id"], name=op.f("corpus_snapshots_file_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("day", "file", name=op.f("corpus_snapshots_pkey")),
        comment="Files that are snapshots of the collection at a date",
        schema="stc",
    )
    op.create_index(op.f("corpus_snapshots_file_idx"), "corpus_snapshots", ["file"], schema="stc")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
