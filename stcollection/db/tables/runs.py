"""The tables of runs."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg

from stcollection.db.tables.columns import (
    BigInteger,
    Boolean,
    Double,
    Integer,
    Name,
    Text,
    finite,
    identity,
    metadata,
    named,
    needed,
    now,
    sized,
    zero,
)

st1_runs = sa.Table(
    "st1_runs", metadata,
    identity(),
    needed("run", Name, unique=True),
    sa.Column("team", Text),
    sa.Column("tag", Text),
    needed("manual", Boolean, server_default=sa.false()),
    sa.Column("family", Text),
    needed("params", pg.JSONB, server_default=sa.text("'{}'")),
    sa.Column("source", Text, comment="the file it was imported from"),
    sa.Column("sha256", Text),
    now("made"),
    sa.Column("metadata", pg.JSONB, comment="how it was made, as ir_metadata describes it"),
    zero("version", BigInteger, comment="counts the changes of what it ranks"),
    needed("shared", Boolean, server_default=sa.false(), comment="shown to all teams, as runs without a team are"),
    *named("run", "team", "tag", "family"),
    *sized("params", "source", "sha256", "metadata"),
    comment="The runs of systems, by name",
)  # fmt: skip

st1_rankings = sa.Table(
    "st1_rankings", metadata,
    needed("run", Integer, sa.ForeignKey("st1_runs.id", ondelete="CASCADE")),
    needed("query", Integer, sa.ForeignKey("st1_queries.id")),
    needed("doc", BigInteger, sa.ForeignKey("dblp.id")),
    needed("rank", Integer, comment="1 = best, by trec_eval 9's rule (float32, docno descending)"),
    sa.Column("file_rank", Integer),
    needed("rel_score", Double),
    sa.Column("comb_score", Double),
    sa.Column("passage", Text),
    sa.CheckConstraint("rank >= 1", name="rank"),
    sa.PrimaryKeyConstraint("query", "doc", "run", postgresql_include=["rank"]),
    sa.UniqueConstraint("run", "query", "rank", name="st1_rankings_run_query_rank_key", postgresql_include=["doc"]),
    *finite("rel_score", "comb_score"),
    *sized("passage"),
    comment="The ranked documents of the runs",
)  # fmt: skip

run_receipts = sa.Table(
    "run_receipts", metadata,
    identity(),
    needed("file", Text),
    needed("sha256", Text),
    sa.Column("team", Text),
    sa.Column("run", Name, comment="the run it became, NULL if it was rejected"),
    needed("accepted", Boolean),
    needed("reasons", pg.JSONB, server_default=sa.text("'[]'"), comment="[{line, what, note}]: line 0 is the file as a whole"),
    now("received"),
    *named("run"),
    comment="The intake of a track: what was received, and why it was accepted or rejected",
)  # fmt: skip
