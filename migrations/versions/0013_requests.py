"""Requests for scores on hidden editions; rights by column."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _requests()


def _requests() -> None:
    """Make the table of copies. A request without a result has no copy to score: it is removed, and not counted."""
    op.execute(
        "UPDATE ask_counts c SET asked = greatest(c.asked - r.pending, 0)"
        "  FROM (SELECT edition, team, count(*) AS pending FROM ask_requests WHERE means IS NULL GROUP BY edition, team) r"
        " WHERE c.edition = r.edition AND c.team = r.team"
    )
    op.execute("DELETE FROM ask_requests WHERE means IS NULL")
    op.drop_index("ask_requests_run_id_idx", "ask_requests")
    op.drop_column("ask_requests", "run_id")
    op.drop_column("ask_requests", "run_version")
    op.add_column(
        "ask_requests",
        sa.Column("digest", sa.LargeBinary(), nullable=True, comment="SHA-256 of the copy; NULL: of a version without copies"),
    )
    op.add_column(
        "ask_requests",
        sa.Column("scored", sa.BigInteger(), nullable=True, comment="the transaction that scored: a later one reads"),
    )
    op.alter_column("ask_requests", "means", comment="rounded; as measures; NULL: not scored yet")
    op.alter_column("ask_requests", "xact", comment="the transaction that asked: a later one scores")
    op.create_table_comment("ask_requests", "Score requests of teams on hidden editions, and their results")
    op.create_table(
        "ask_rankings",
        sa.Column("request", sa.BigInteger(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("docs", postgresql.ARRAY(sa.BigInteger()), nullable=False, comment="dblp.id, best first"),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("ask_rankings_query_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["request"], ["ask_requests.id"], name=op.f("ask_rankings_request_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("request", "query", name=op.f("ask_rankings_pkey")),
        comment="The copies of runs that score requests are about",
    )
    op.create_index(op.f("ask_rankings_query_idx"), "ask_rankings", ["query"], unique=False)


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
