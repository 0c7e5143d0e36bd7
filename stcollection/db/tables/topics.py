"""The tables of topics."""

from __future__ import annotations

import sqlalchemy as sa

from stcollection.db.tables.columns import BigInteger, Integer, Name, Text, identity, metadata, named, needed

st1_topics = sa.Table(
    "st1_topics", metadata,
    identity(),
    needed("topic", Name, unique=True),
    sa.Column("text", Text),
    sa.Column("url", Text),
    sa.Column("abstract_url", Text),
    *named("topic"),
    comment="The topics: press articles",
)  # fmt: skip

st1_queries = sa.Table(
    "st1_queries", metadata,
    identity(),
    needed("query", Name, unique=True),
    sa.Column("topic", Integer, sa.ForeignKey("st1_topics.id"), index=True),
    sa.Column("text", Text, comment="NULL: a stub, known only from a run or from judgments"),
    needed("origin", Text, server_default="human", comment="human, or what made it: t5, gpt-4, …"),
    sa.Column("model", Name, comment="that generated it"),
    sa.Column("prompt", Integer, sa.ForeignKey("llm_prompts.id"), comment="that it was asked for with"),
    sa.Column("source", BigInteger, sa.ForeignKey("dblp.id"), comment="the document it was generated from: its sparse judgment"),
    *named("query", "origin", "model"),
    comment="The queries of the topics",
)  # fmt: skip
