"""The tables of vectors."""

from __future__ import annotations

import sqlalchemy as sa
from pgvector.sqlalchemy import VECTOR
from sqlalchemy.dialects import postgresql as pg

from stcollection.db.tables.columns import BigInteger, Boolean, Integer, Moment, Name, Text, identity, metadata, needed, now

vector_models = sa.Table(
    "vector_models", metadata,
    sa.Column("model", Name, primary_key=True, comment="short name"),
    needed("name", Text, comment="a sentence-transformers name or path"),
    sa.Column("revision", Text),
    needed("dim", Integer),
    sa.Column("max_tokens", Integer),
    needed("relation", Text, comment="the table of its vectors"),
    sa.Column("pooling", Text, comment="how token vectors become one: mean, cls, …; NULL: not known"),
    needed("normalised", Boolean, server_default=sa.true(), comment="stored vectors have length 1"),
    needed("query_prefix", Text, server_default="", comment="what is put before a query"),
    needed("passage_prefix", Text, server_default="", comment="what is put before a document's text"),
    needed("storage", Text, server_default="vector", comment="the type of its vectors: vector, halfvec above 2,000 dimensions"),
    needed(
        "made_by", pg.ARRAY(sa.Text()), server_default=sa.text("'{}'"),
        comment="what computed its vectors: torch fp32, torch bf16, openvino bf16, import …",
    ),
    now("added"),
    sa.CheckConstraint("storage IN ('vector', 'halfvec')", name="storage"),
    # Functions put the name into statements: it is one of ours.
    sa.CheckConstraint(
        "model ~ '^[a-z0-9][a-z0-9_]{0,39}$'"
        " AND relation = CASE model WHEN 'minilm' THEN 'dblp_v' ELSE 'dblp_v_' || model END",
        name="relation",
    ),
    comment="The embedding models whose vectors are stored",
)  # fmt: skip

dblp_v = sa.Table(
    "dblp_v", metadata,
    sa.Column("id", BigInteger, sa.ForeignKey("dblp.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    sa.Column("title_v", VECTOR(384)),
    sa.Column("abstract_v", VECTOR(384)),
    sa.Column("content_v", VECTOR(384), comment="title and abstract as one text"),
    comment="Embeddings of title and abstract by the default model, L2-normalised: <#> is minus the cosine",
)  # fmt: skip

vector_indexes = sa.Table(
    "vector_indexes", metadata,
    sa.Column("model", Name, sa.ForeignKey("vector_models.model", ondelete="CASCADE"), primary_key=True),
    sa.Column("field", Text, primary_key=True),
    needed("kind", Text),
    sa.Column("lists", Integer, comment="of ivfflat"),
    sa.Column("effort", Integer, comment="what searches take by default: probes, ef_search or search_list_size"),
    needed("rows", BigInteger),
    now("built"),
    needed("halfvec", Boolean, server_default=sa.false(), comment="an index in half precision; distances are exact all the same"),
    sa.Column("m", Integer, comment="of hnsw"),
    sa.Column("ef_construction", Integer, comment="of hnsw"),
    sa.Column("recall", sa.REAL(), comment="of the first recall_k at that effort, by the last audit"),
    sa.Column("recall_k", Integer),
    sa.Column("audited", Moment),
    sa.CheckConstraint("field IN ('title', 'abstract', 'content', 'passage')", name="field"),
    sa.CheckConstraint("kind IN ('ivfflat', 'hnsw', 'diskann')", name="kind"),
    comment="The vector indexes as they were built, what searches take by default, and what the last audit found",
)  # fmt: skip

query_v = sa.Table(
    "query_v", metadata,
    sa.Column("model", Name, sa.ForeignKey("vector_models.model", ondelete="CASCADE"), primary_key=True),
    needed("text", Text),
    needed("v", VECTOR()),
    sa.Column("digest", Text, sa.Computed("md5(text)", persisted=True), primary_key=True, comment="texts are long for an index"),
    comment="Embeddings of query texts, remembered by model",
)  # fmt: skip

dblp_passages = sa.Table(
    "dblp_passages", metadata,
    identity(BigInteger),
    needed("doc", BigInteger, sa.ForeignKey("dblp.id", ondelete="CASCADE")),
    needed("position", Integer, comment="from 1, in the order of the abstract"),
    needed("text", Text),
    sa.UniqueConstraint("doc", "position"),
    comment="The passages of the abstracts: sentences or windows of them",
)  # fmt: skip

dblp_p = sa.Table(
    "dblp_p", metadata,
    sa.Column("id", BigInteger, sa.ForeignKey("dblp_passages.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    sa.Column("passage_v", VECTOR(384)),
    comment="Embeddings of the passages by the default model; dblp_p_<model> are those of others",
)  # fmt: skip

stc_settings = sa.Table(
    "stc_settings", metadata,
    sa.Column("name", Name, primary_key=True),
    needed("value", Text),
    comment="Settings of this collection that SQL functions read; only its owner writes them",
)  # fmt: skip
