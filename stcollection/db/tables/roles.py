"""The tables of roles: teams, and what they may ask of hidden editions."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg

from stcollection.db.tables.columns import BigInteger, Double, Integer, Name, Text, identity, metadata, named, needed, now

stc_members = sa.Table(
    "stc_members", metadata,
    sa.Column("member", Name, primary_key=True, comment="the role that logs in"),
    needed("team", Name, comment="whose runs are its own"),
    now("added"),
    sa.CheckConstraint("btrim(team) <> ''", name="team"),
    *named("team"),
    comment="The participants and their teams",
)  # fmt: skip

ask_allowances = sa.Table(
    "ask_allowances", metadata,
    sa.Column("edition", Integer, sa.ForeignKey("qrels_editions.id", ondelete="CASCADE"), primary_key=True),
    needed("asks", Integer, comment="how often a team may ask"),
    needed("measures", pg.ARRAY(Text), comment="whose means it is told"),
    now("allowed"),
    sa.CheckConstraint("asks >= 0", name="asks"),
    comment="Hidden editions on which teams may ask for the mean scores of their runs",
)  # fmt: skip

ask_counts = sa.Table(
    "ask_counts", metadata,
    sa.Column("edition", Integer, sa.ForeignKey("qrels_editions.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("team", Name, primary_key=True),
    needed("asked", Integer, comment="how often it has"),
    comment="How often each team has asked on each hidden edition",
)  # fmt: skip

ask_requests = sa.Table(
    "ask_requests", metadata,
    identity(BigInteger),
    needed("edition", Integer, sa.ForeignKey("qrels_editions.id", ondelete="CASCADE")),
    needed("team", Name),
    needed("member", Name, comment="who asked"),
    needed("run", Name, comment="its name then"),
    needed("edition_version", BigInteger),
    needed("measures", pg.ARRAY(Text)),
    sa.Column("means", pg.ARRAY(Double), comment="rounded; as measures; NULL: not scored yet"),
    needed("xact", BigInteger, comment="the transaction that asked: a later one scores"),
    now("asked"),
    sa.Column("digest", sa.LargeBinary(), comment="SHA-256 of the copy; NULL: of a version without copies"),
    sa.Column("scored", BigInteger, comment="the transaction that scored: a later one reads"),
    sa.Index(None, "edition", "team"),
    comment="Score requests of teams on hidden editions, and their results",
)  # fmt: skip

ask_rankings = sa.Table(
    "ask_rankings", metadata,
    sa.Column("request", BigInteger, sa.ForeignKey("ask_requests.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("query", Integer, sa.ForeignKey("st1_queries.id", ondelete="CASCADE"), primary_key=True),
    needed("docs", pg.ARRAY(BigInteger), comment="dblp.id, best first"),
    sa.Index(None, "query"),
    comment="The copies of runs that score requests are about",
)  # fmt: skip
