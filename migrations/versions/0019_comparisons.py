"""Assessors can compare two documents instead of grading each, and see labels of a language model if a pool shows them."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_CLASS = (
    r"\u0001-\u001F\u007F-\u00A0\u00AD\u034F\u061C\u115F-\u1160\u1680\u17B4-\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F"
    r"\u205F-\u206F\u2800\u3000\u3164\uD800-\uF8FF\uFDD0-\uFDEF\uFEFF\uFFA0\uFFF0-\uFFFB\uFFFE-\uFFFF"
    r"\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U0010FFFF"
)
_DOCUMENT = ("pool", "query", "doc")
ASSESSMENTS: tuple[sa.Column[Any], ...] = (
    sa.Column(
        "label", sa.SmallInteger(), nullable=True, comment="grade by a language model that the assessor was shown; NULL: none"
    ),
    sa.Column(
        "label_seen",
        sa.Boolean(),
        server_default=sa.false(),
        nullable=False,
        comment="true: the assessor could see the label before giving the stored grade",
    ),
)


def upgrade() -> None:
    for column in ASSESSMENTS:
        op.add_column("qrels_assessments", column, schema="stc")
    op.create_table(
        "qrels_comparisons",
        sa.Column("pool", sa.Integer(), nullable=False, comment="pool: qrels_pools.id"),
        sa.Column("query", sa.Integer(), nullable=False, comment="query: st1_queries.id"),
        sa.Column("annotator", sa.Text(collation="C"), nullable=False, comment="name of the assessor"),
        sa.Column("number", sa.Integer(), nullable=False, comment="number of the comparison, per pool, query and assessor"),
        sa.Column("left_doc", sa.BigInteger(), nullable=False, comment="document shown on the left: dblp.id"),
        sa.Column("right_doc", sa.BigInteger(), nullable=False, comment="document shown on the right: dblp.id"),
        sa.Column(
            "choice",
            sa.Text(),
            nullable=False,
            comment="left or right: that document is better; equal; neither: both not relevant; undecided: cannot decide",
        ),
        sa.Column(
            "seconds",
            sa.REAL(),
            nullable=True,
            comment="seconds from showing the pair to the decision, at most 600; NULL: not measured",
        ),
        sa.Column(
            "decision",
            sa.Text(),
            nullable=True,
            comment="id of the decision on the page, so that sending it twice stores it once",
        ),
        sa.Column(
            "decided", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False, comment="when it was decided"
        ),
        sa.Column(
            "submitted",
            sa.TIMESTAMP(timezone=True),
            nullable=True,
            comment="when the order of the query became preferences of an edition; NULL: a draft",
        ),
        *(
            sa.ForeignKeyConstraint(
                ["pool", "query", f"{side}_doc"],
                [f"stc.qrels_pool_documents.{column}" for column in _DOCUMENT],
                name=f"qrels_comparisons_{side}_doc_fkey",
                ondelete="CASCADE",
            )
            for side in ("left", "right")
        ),
        sa.PrimaryKeyConstraint("pool", "query", "annotator", "number", name=op.f("qrels_comparisons_pkey")),
        sa.CheckConstraint("left_doc <> right_doc", name=op.f("qrels_comparisons_docs_check")),
        sa.CheckConstraint(
            "choice IN ('left', 'right', 'equal', 'neither', 'undecided')", name=op.f("qrels_comparisons_choice_check")
        ),
        sa.CheckConstraint("seconds BETWEEN 0 AND 600", name=op.f("qrels_comparisons_seconds_check")),
        sa.CheckConstraint(
            sa.text(f"length(annotator) BETWEEN 1 AND 200 AND annotator !~ '^ | $|[{_CLASS}]'"),
            name=op.f("qrels_comparisons_annotator_name_check"),
        ),
        comment="Comparisons of two documents by assessors, from which an order of each query's documents follows",
        schema="stc",
    )
    # The second key of a pair: it is stored once, whichever document is on the left.
    op.execute(
        "CREATE UNIQUE INDEX qrels_comparisons_pair_idx ON stc.qrels_comparisons"
        " (pool, query, annotator, least(left_doc, right_doc), greatest(left_doc, right_doc))"
    )
    for side in ("left", "right"):
        op.create_index(
            op.f(f"qrels_comparisons_{side}_doc_idx"), "qrels_comparisons", ["pool", "query", f"{side}_doc"], schema="stc"
        )


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
