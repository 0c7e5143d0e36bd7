"""Retrieval at full strength: facts for filters, models side by side, index kinds, passages, settings."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import VECTOR

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

# The facts of the documents that are there already; from now on a trigger keeps them (sql/corpus/keep_facts.sql).
_FACTS = r"""
INSERT INTO dblp_facts (id, year, n_citation, doc_type, venue)
SELECT id, substring(doc ->> 'year' FROM '^\d{1,4}$')::integer, substring(doc ->> 'n_citation' FROM '^\d{1,9}$')::integer,
       nullif(doc ->> 'doc_type', ''), left(nullif(coalesce(doc #>> '{venue,raw}',
           CASE WHEN jsonb_typeof(doc -> 'venue') = 'string' THEN doc ->> 'venue' END), ''), 500)
  FROM dblp WHERE NOT stub
"""


def upgrade() -> None:
    op.create_table(
        "dblp_facts",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("year", sa.Integer(), nullable=True),
        sa.Column("n_citation", sa.Integer(), nullable=True),
        sa.Column("doc_type", sa.Text(), nullable=True),
        sa.Column("venue", sa.Text(collation="C"), nullable=True),
        sa.ForeignKeyConstraint(["id"], ["dblp.id"], name=op.f("dblp_facts_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("dblp_facts_pkey")),
        comment="What filters read of each document, kept by a trigger on dblp; stubs have no row",
    )
    driver: Any = op.get_bind().connection.driver_connection  # untouched: SQLAlchemy would read colons and per cents
    driver.execute(_FACTS)
    op.create_index(op.f("dblp_facts_year_idx"), "dblp_facts", ["year"])
    op.create_index(op.f("dblp_facts_n_citation_idx"), "dblp_facts", ["n_citation"])
    op.create_index("dblp_facts_lower_idx", "dblp_facts", [sa.text("lower(venue)")])

    op.add_column(
        "vector_models", sa.Column("pooling", sa.Text(), comment="how token vectors become one: mean, cls, …; NULL: not known")
    )
    op.add_column(
        "vector_models",
        sa.Column("normalised", sa.Boolean(), server_default=sa.true(), nullable=False, comment="stored vectors have length 1"),
    )
    op.add_column(
        "vector_models",
        sa.Column("query_prefix", sa.Text(), server_default="", nullable=False, comment="what is put before a query"),
    )
    op.add_column(
        "vector_models",
        sa.Column("passage_prefix", sa.Text(), server_default="", nullable=False, comment="what is put before a document's text"),
    )
    op.add_column(
        "vector_models",
        sa.Column(
            "storage",
            sa.Text(),
            server_default="vector",
            nullable=False,
            comment="the type of its vectors: vector, halfvec above 2,000 dimensions",
        ),
    )
    op.add_column(
        "vector_models",
        sa.Column(
            "made_by",
            sa.ARRAY(sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
            comment="what computed its vectors: torch fp32, torch bf16, openvino bf16, import …",
        ),
    )
    op.create_check_constraint(op.f("vector_models_storage_check"), "vector_models", "storage IN ('vector', 'halfvec')")

    # Each model has a table of its own: all get the third field.
    relations = op.get_bind().execute(sa.text("SELECT relation, dim FROM vector_models WHERE relation <> 'dblp_v'")).fetchall()
    for relation, dim in [("dblp_v", 384), *relations]:
        op.add_column(relation, sa.Column("content_v", VECTOR(dim), comment="title and abstract as one text"))

    op.drop_constraint("query_v_pkey", "query_v")
    op.add_column(
        "query_v",
        sa.Column(
            "digest",
            sa.Text(),
            sa.Computed("md5(text)", persisted=True),
            nullable=False,
            comment="texts are long for an index",
        ),
    )
    op.create_primary_key("query_v_pkey", "query_v", ["model", "digest"])

    op.alter_column(
        "vector_indexes",
        "probes",
        new_column_name="effort",
        comment="what searches take by default: probes, ef_search or search_list_size",
    )
    op.alter_column("vector_indexes", "lists", comment="of ivfflat")
    op.add_column(
        "vector_indexes",
        sa.Column(
            "halfvec",
            sa.Boolean(),
            server_default=sa.false(),
            nullable=False,
            comment="an index in half precision; distances are exact all the same",
        ),
    )
    op.add_column("vector_indexes", sa.Column("m", sa.Integer(), comment="of hnsw"))
    op.add_column("vector_indexes", sa.Column("ef_construction", sa.Integer(), comment="of hnsw"))
    op.add_column(
        "vector_indexes", sa.Column("recall", sa.REAL(), comment="of the first recall_k at that effort, by the last audit")
    )
    op.add_column("vector_indexes", sa.Column("recall_k", sa.Integer()))
    op.add_column("vector_indexes", sa.Column("audited", sa.TIMESTAMP(timezone=True)))
    op.drop_constraint("vector_indexes_field_check", "vector_indexes")
    op.create_check_constraint(
        op.f("vector_indexes_field_check"), "vector_indexes", "field IN ('title', 'abstract', 'content', 'passage')"
    )
    op.create_check_constraint(op.f("vector_indexes_kind_check"), "vector_indexes", "kind IN ('ivfflat', 'hnsw', 'diskann')")
    op.create_table_comment(
        "vector_indexes",
        "The vector indexes as they were built, what searches take by default, and what the last audit found",
        existing_comment="The vector indexes as they were built, and the probes searches take by default",
    )

    op.create_table(
        "dblp_passages",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("doc", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False, comment="from 1, in the order of the abstract"),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["doc"], ["dblp.id"], name=op.f("dblp_passages_doc_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("dblp_passages_pkey")),
        sa.UniqueConstraint("doc", "position", name=op.f("dblp_passages_doc_position_key")),
        comment="The passages of the abstracts: sentences or windows of them",
    )
    op.create_table(
        "dblp_p",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("passage_v", VECTOR(384), nullable=True),
        sa.ForeignKeyConstraint(["id"], ["dblp_passages.id"], name=op.f("dblp_p_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("dblp_p_pkey")),
        comment="Embeddings of the passages by the default model; dblp_p_<model> are those of others",
    )
    op.create_table(
        "stc_settings",
        sa.Column("name", sa.Text(collation="C"), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("stc_settings_pkey")),
        comment="Settings of this collection that SQL functions read; only its owner writes them",
    )
    # A row of a ranking that names it: what fuse takes. A type holds no data, but cannot be replaced as functions can.
    op.execute("CREATE TYPE ranked AS (ranking text, doc bigint, score double precision, rank integer)")
    op.execute("COMMENT ON TYPE ranked IS 'A row of a named ranking, for fuse'")


def downgrade() -> None:
    raise NotImplementedError("restore a dump: a downgrade would lose vectors")
