"""Decisions on sheets are kept with the state before them, so that they can be undone after a restart of the page's server."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

_CLASS = (
    r"\u0001-\u001F\u007F-\u00A0\u00AD\u034F\u061C\u115F-\u1160\u1680\u17B4-\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F"
    r"\u205F-\u206F\u2800\u3000\u3164\uD800-\uF8FF\uFDD0-\uFDEF\uFEFF\uFFA0\uFFF0-\uFFFB\uFFFE-\uFFFF"
    r"\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U0010FFFF"
)
_DOCUMENT = ("pool", "query", "doc")


def upgrade() -> None:
    op.create_table(
        "qrels_decisions",
        sa.Column("pool", sa.Integer(), nullable=False, comment="pool: qrels_pools.id"),
        sa.Column("query", sa.Integer(), nullable=False, comment="query: st1_queries.id"),
        sa.Column("doc", sa.BigInteger(), nullable=False, comment="document: dblp.id"),
        sa.Column("annotator", sa.Text(collation="C"), nullable=False, comment="name of the assessor"),
        sa.Column("decision", sa.Text(collation="C"), nullable=False, comment="id that the page or the program chose"),
        sa.Column("role", sa.Text(collation="C"), nullable=False, comment="login that stored it"),
        sa.Column("invited", sa.Boolean(), nullable=False, comment="true: stored for an invited assessor, who has no login"),
        sa.Column("decided", sa.TIMESTAMP(timezone=True), nullable=False, comment="when it was stored"),
        sa.Column("rel", sa.SmallInteger(), nullable=True, comment="grade before it"),
        sa.Column("note", sa.Text(), nullable=True, comment="note before it"),
        sa.Column(
            "undecided",
            sa.Boolean(),
            server_default=sa.false(),
            nullable=False,
            comment="true: before it, the assessor could not decide",
        ),
        sa.Column("changed", sa.TIMESTAMP(timezone=True), nullable=True, comment="time of the earlier decision; NULL: none exists"),
        sa.Column("undone", sa.TIMESTAMP(timezone=True), nullable=True, comment="when it was undone; NULL: it was not"),
        sa.ForeignKeyConstraint(
            _DOCUMENT,
            [f"stc.qrels_pool_documents.{column}" for column in _DOCUMENT],
            name=op.f("qrels_decisions_doc_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("pool", "annotator", "decision", name=op.f("qrels_decisions_pkey")),
        sa.CheckConstraint("length(decision) BETWEEN 1 AND 200", name=op.f("qrels_decisions_decision_check")),
        sa.CheckConstraint(
            sa.text(f"length(annotator) BETWEEN 1 AND 200 AND annotator !~ '^ | $|[{_CLASS}]'"),
            name=op.f("qrels_decisions_annotator_name_check"),
        ),
        comment="Decisions with an id on the sheets of assessors, each with the state before it, which undo restores",
        schema="stc",
    )
    op.create_index(op.f("qrels_decisions_doc_idx"), "qrels_decisions", list(_DOCUMENT), schema="stc")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
