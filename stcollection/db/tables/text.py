"""The tables of text."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg

from stcollection.db.tables.columns import BigInteger, Boolean, Double, Integer, Name, Text, metadata, needed, now

CONTENT = "COALESCE(title, '') || E'\\n' || COALESCE(abstract, '')"
TSV = (
    "setweight(to_tsvector('english', COALESCE(title, '')), 'A') || setweight(to_tsvector('english', COALESCE(abstract, '')), 'B')"
)

dblp_text = sa.Table(
    "dblp_text", metadata,
    sa.Column("id", BigInteger, sa.ForeignKey("dblp.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    sa.Column("title", Text),
    sa.Column("abstract", Text, comment="NULL: the document has none"),
    sa.Column("content", Text, sa.Computed(CONTENT, persisted=True), comment="title and abstract: what BM25 reads"),
    sa.Column("tsv", pg.TSVECTOR, sa.Computed(TSV, persisted=True), comment="title weight A, abstract weight B"),
    comment="The text of the documents and its index",
)  # fmt: skip

text_index = sa.Table(
    "text_index", metadata,
    sa.Column("single", Boolean, primary_key=True, server_default=sa.true()),
    needed("config", pg.REGCONFIG),
    needed("k1", Double),
    needed("b", Double),
    needed("documents", BigInteger),
    needed("tokens", BigInteger),
    needed("engine", Text),
    needed("stale", Boolean, server_default=sa.false(), comment="dblp_text was written to after the build"),
    now("built"),
    sa.Column("server_major", Integer, comment="the PostgreSQL that built it: stemmers differ between major versions"),
    sa.Column("dictionaries", pg.ARRAY(sa.Text()), comment="of the configuration then, with their options"),
    sa.CheckConstraint("single", name="single"),
    sa.CheckConstraint("engine IN ('pg_textsearch', 'portable')", name="engine"),
    comment="What the text indexes were built from: at most one row",
)  # fmt: skip

text_lexemes = sa.Table(
    "text_lexemes", metadata,
    sa.Column("lexeme", Name, primary_key=True),
    needed("documents", Integer),
    needed("occurrences", BigInteger),
    comment="Document frequencies, for the portable BM25",
)  # fmt: skip

text_lengths = sa.Table(
    "text_lengths", metadata,
    sa.Column("id", BigInteger, sa.ForeignKey("dblp_text.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    needed("tokens", Integer),
    comment="Document lengths in tokens, for the portable BM25",
)  # fmt: skip
