"""Judgments of documents by subtopic, for measures of diversity; partitioned by hidden like the other judgments."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_CLASS = (
    r"\u0001-\u001F\u007F-\u00A0\u00AD\u034F\u061C\u115F-\u1160\u1680\u17B4-\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F"
    r"\u205F-\u206F\u2800\u3000\u3164\uD800-\uF8FF\uFDD0-\uFDEF\uFEFF\uFFA0\uFFF0-\uFFFB\uFFFE-\uFFFF"
    r"\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U0010FFFF"
)


def upgrade() -> None:
    op.create_table(
        "qrels_subtopics",
        sa.Column("edition", sa.Integer(), nullable=False, comment="edition: qrels_editions.id"),
        sa.Column("query", sa.Integer(), nullable=False, comment="query: st1_queries.id"),
        sa.Column("subtopic", sa.Text(collation="C"), nullable=False, comment="name of the subtopic, such as 1"),
        sa.Column("doc", sa.BigInteger(), nullable=False, comment="document: dblp.id"),
        sa.Column("rel", sa.SmallInteger(), nullable=False, comment="grade of the document for the subtopic"),
        sa.Column(
            "hidden",
            sa.Boolean(),
            server_default=sa.false(),
            nullable=False,
            comment="true: hidden from participants and readers, as the edition is; the partition key",
        ),
        sa.ForeignKeyConstraint(["doc"], ["dblp.id"], name=op.f("qrels_subtopics_doc_fkey")),
        sa.ForeignKeyConstraint(
            ["edition", "hidden"],
            ["qrels_editions.id", "qrels_editions.hidden"],
            name=op.f("qrels_subtopics_edition_fkey"),
            ondelete="CASCADE",
            onupdate="CASCADE",
        ),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("qrels_subtopics_query_fkey")),
        sa.PrimaryKeyConstraint("edition", "query", "subtopic", "doc", "hidden", name=op.f("qrels_subtopics_pkey")),
        sa.CheckConstraint(
            sa.text(f"length(subtopic) BETWEEN 1 AND 200 AND subtopic !~ '^ | $|[{_CLASS}]'"),
            name=op.f("qrels_subtopics_subtopic_name_check"),
        ),
        comment="Judgments of documents by subtopic of a query, as in the qrels of diversity tasks",
        postgresql_partition_by="LIST (hidden)",
        schema="public",
    )
    for partition, value in (("open", "false"), ("hidden", "true")):
        op.execute(f"CREATE TABLE stc.qrels_subtopics_{partition} PARTITION OF public.qrels_subtopics FOR VALUES IN ({value})")
    # EXPLAIN shows every role what the planner derives from statistics of the whole table; those of the partitions are enough.
    for column in ("edition", "query", "subtopic", "doc", "rel", "hidden"):
        op.execute(f"ALTER TABLE ONLY public.qrels_subtopics ALTER COLUMN {column} SET STATISTICS 0")
    for column in ("doc", "query"):
        op.create_index(op.f(f"qrels_subtopics_{column}_idx"), "qrels_subtopics", [column], schema="public")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
