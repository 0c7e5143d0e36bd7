"""The tables of corpus."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg

from stcollection.db.tables.columns import (
    BigInteger,
    Boolean,
    Double,
    Integer,
    Moment,
    Name,
    Text,
    identity,
    metadata,
    needed,
    now,
    zero,
)

corpus_files = sa.Table(
    "corpus_files", metadata,
    identity(),
    needed("path", Text),
    sa.Column("sha256", Text),
    sa.Column("bytes", BigInteger),
    needed("format", Text),
    needed("state", Text, server_default="loading"),
    zero("documents", BigInteger),
    zero("duplicates", BigInteger),
    zero("rejects", BigInteger),
    zero("seconds", Double),
    now("started"),
    sa.Column("finished", Moment),
    sa.CheckConstraint("state IN ('loading', 'loaded')", name="state"),
    comment="The ledger: one row a file loaded into the corpus",
)  # fmt: skip

corpus_chunks = sa.Table(
    "corpus_chunks", metadata,
    sa.Column("file", Integer, sa.ForeignKey("corpus_files.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("chunk", Integer, primary_key=True, autoincrement=False),
    needed("documents", Integer),
    needed("duplicates", Integer),
    needed("rejects", Integer),
    comment="The chunks of a file that are committed: what a killed load resumes from",
)  # fmt: skip

corpus_rejects = sa.Table(
    "corpus_rejects", metadata,
    needed("file", Integer, sa.ForeignKey("corpus_files.id", ondelete="CASCADE"), index=True),
    needed("line", BigInteger),
    sa.Column("docno", Text),
    needed("reason", Text),
    sa.Column("record", Text, comment="its first 1,000 characters"),
    comment="Records of a file that could not be stored, by line",
)  # fmt: skip

dblp_id_seq = sa.Sequence("dblp_id_seq", start=2**40, metadata=metadata)

dblp = sa.Table(
    "dblp", metadata,
    sa.Column("id", BigInteger, primary_key=True, autoincrement=False, comment="joins; is docno where that is a number"),
    needed("docno", Name, unique=True, comment="the name the outside world uses"),
    needed("doc", pg.JSONB, comment="the record as it came"),
    needed("stub", Boolean, server_default=sa.false(), comment="ranked or judged but not in the corpus; never retrieved"),
    comment="The corpus: one JSON document a row",
)  # fmt: skip

dblp_facts = sa.Table(
    "dblp_facts", metadata,
    sa.Column("id", BigInteger, sa.ForeignKey("dblp.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    sa.Column("year", Integer, index=True),
    sa.Column("n_citation", Integer, index=True),
    sa.Column("n_reference", Integer, index=True, comment="references it lists"),
    sa.Column("doc_type", Text),
    sa.Column("venue", Name),
    sa.Index("dblp_facts_lower_idx", sa.text("lower(venue)")),
    comment="What filters read of each document, kept by a trigger on dblp; stubs have no row",
)  # fmt: skip
