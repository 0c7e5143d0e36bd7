"""The ledger of files records what each file brought, so that a file can be removed and compared with its next version.

Rows that refer to documents and queries are found by an index: without one, PostgreSQL reads the whole table for each document
that is deleted. The upgrade builds these indexes after its transaction (stcollection/db/online.py).
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

# A file of a corpus is a row: the table is small.
STATES = (
    "-- squawk-ignore ban-drop-constraint\nALTER TABLE stc.corpus_files DROP CONSTRAINT corpus_files_state_check",
    "-- squawk-ignore constraint-missing-not-valid\nALTER TABLE stc.corpus_files ADD CONSTRAINT corpus_files_state_check"
    " CHECK (state IN ('loading', 'loaded', 'incomplete'))",
)


def upgrade() -> None:
    """Files of before keep NULL: which documents and judgments they brought is unknown."""
    op.add_column(
        "corpus_chunks",
        sa.Column(
            "docs",
            postgresql.ARRAY(sa.BigInteger()),
            nullable=True,
            comment="documents of the chunk in the corpus: dblp.id; NULL: stored by an earlier version, which did not record them",
        ),
        schema="stc",
    )
    op.add_column(
        "corpus_chunks",
        sa.Column(
            "incomplete",
            sa.Boolean(),
            server_default=sa.false(),
            nullable=False,
            comment="true: documents of the chunk were removed; the next load of the file stores them again",
        ),
        schema="stc",
    )
    for statement in STATES:
        op.execute(statement)
    op.alter_column(
        "corpus_files",
        "state",
        comment="loading: in progress or interrupted; loaded: complete; incomplete: some of its documents were removed",
        schema="stc",
    )
    op.add_column(
        "qrels_files",
        sa.Column(
            "rows",
            postgresql.ARRAY(sa.BigInteger()),
            nullable=True,
            comment="judgments of the file: qrels_judgments.id; NULL: not recorded, as by earlier versions",
        ),
        schema="stc",
    )
    op.create_table(
        "topic_files",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False, comment="number of the file"),
        sa.Column("path", sa.Text(), nullable=False, comment="path of the loaded file"),
        sa.Column("sha256", sa.Text(), nullable=True, comment="SHA-256 of the file, in hexadecimal"),
        sa.Column("format", sa.Text(), nullable=False, comment="name of the file format"),
        sa.Column("queries", postgresql.ARRAY(sa.Integer()), nullable=False, comment="queries of the file: st1_queries.id"),
        sa.Column("topics", postgresql.ARRAY(sa.Integer()), nullable=False, comment="topics of the file: st1_topics.id"),
        sa.Column(
            "loaded",
            sa.TIMESTAMP(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="when the file was last loaded",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("topic_files_pkey")),
        comment="Files of topics and queries, one row per file",
        schema="stc",
    )


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
