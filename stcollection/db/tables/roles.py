"""The tables of roles: teams, and what they may ask of hidden editions."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg

from stcollection.db.tables.columns import BigInteger, Double, Integer, Name, Text, identity, metadata, needed, now

stc_members = sa.Table(
    "stc_members", metadata,
    sa.Column("member", Name, primary_key=True, comment="the role that logs in"),
    needed("team", Name, comment="whose runs are its own"),
    now("added"),
    sa.CheckConstraint("btrim(team) <> ''", name="team"),
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
    sa.Column("run_id", Integer, sa.ForeignKey("st1_runs.id", ondelete="SET NULL"), index=True, comment="NULL: it is gone"),
    needed("run_version", BigInteger, comment="of what it ranked then"),
    needed("edition_version", BigInteger),
    needed("measures", pg.ARRAY(Text)),
    sa.Column("means", pg.ARRAY(Double), comment="rounded; as measures; NULL: not told yet"),
    needed("xact", BigInteger, comment="the transaction that asked: a later one is told"),
    now("asked"),
    sa.Index(None, "edition", "team"),
    comment="What teams asked on hidden editions, and what they are told",
)  # fmt: skip
