"""The tables of qrels."""

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
    finite,
    hidden,
    identity,
    metadata,
    named,
    needed,
    now,
    of_edition,
    zero,
)

qrels_editions = sa.Table(
    "qrels_editions", metadata,
    identity(),
    needed("edition", Name, unique=True),
    sa.Column("description", Text),
    now("made"),
    sa.Column("split", Text, comment="train or test; NULL is neither"),
    sa.Column("year", Integer, comment="of the track"),
    sa.Column("scale", pg.JSONB, comment="how the grades of its sources became the stored ones: {theirs: ours}; NULL as they were"),
    sa.Column("sealed", Moment, comment="from then on nothing can be added; NULL is open"),
    sa.Column("fingerprint", Text, comment="SHA-256 of what it said when it was sealed"),
    zero("version", BigInteger, comment="counts the changes of its judgments"),
    needed("hidden", Boolean, server_default=sa.false(), comment="from participants and readers; until released"),
    sa.Column("released", Moment, comment="when it was shown to all"),
    sa.Column("released_by", Text, comment="the role that did"),
    needed(
        "simulated", Boolean, server_default=sa.false(),
        comment="some of its judgments were made up; simulated_note says so wherever they are shown",
    ),
    sa.UniqueConstraint("id", "hidden"),
    sa.CheckConstraint("split IN ('train', 'test')", name="split"),
    *named("edition"),
    comment="The editions of the judgments",
)  # fmt: skip

qrels_files = sa.Table(
    "qrels_files", metadata,
    identity(),
    needed("edition", Integer, sa.ForeignKey("qrels_editions.id", ondelete="CASCADE"), index=True),
    needed("path", Text),
    sa.Column("sha256", Text),
    needed("judgments", BigInteger),
    needed("added", BigInteger),
    now("imported"),
    comment="The ledger: one row a file of judgments taken into an edition",
)  # fmt: skip

qrels_judgments = sa.Table(
    "qrels_judgments", metadata,
    sa.Column("id", BigInteger, sa.Identity(always=True), nullable=False),
    needed("edition", Integer),
    needed("query", Integer, sa.ForeignKey("st1_queries.id")),
    needed("doc", BigInteger, sa.ForeignKey("dblp.id")),
    needed("rel", sa.SmallInteger(), comment="negative: pooled, not judged"),
    needed("origin", Text, server_default="human"),
    needed("annotator", Text, server_default=""),
    sa.Column("source_doc", BigInteger, sa.ForeignKey("dblp.id"), comment="of an expansion: the judged document it is near to"),
    sa.Column("similarity", sa.REAL(), comment="of an expansion: cosine of the two titles"),
    now("judged"),
    sa.Column("note", Text, comment="of the annotator"),
    hidden(),
    of_edition("qrels_judgments"),
    sa.CheckConstraint("origin IN ('human', 'llm', 'knn')", name="origin"),
    sa.PrimaryKeyConstraint("id", "hidden"),
    sa.UniqueConstraint("edition", "query", "doc", "origin", "annotator", "hidden", name="qrels_judgments_key"),
    *named("annotator", empty=True),
    *finite("similarity", kind="real"),
    comment="The judgments, append-only; the view qrels says what an edition says",
    postgresql_partition_by="LIST (hidden)",
)  # fmt: skip

qrels_preferences = sa.Table(
    "qrels_preferences", metadata,
    needed("edition", Integer),
    needed("query", Integer, sa.ForeignKey("st1_queries.id")),
    needed("annotator", Name, comment="the judgment group"),
    needed("subgroup", Name, comment="documents are compared within one"),
    needed("doc", BigInteger, sa.ForeignKey("dblp.id")),
    needed("rel", Double, comment="a document with a larger one is preferred"),
    hidden(),
    of_edition("qrels_preferences", ondelete="CASCADE"),
    sa.PrimaryKeyConstraint("edition", "query", "annotator", "subgroup", "doc", "hidden"),
    *named("annotator", "subgroup", empty=True),
    *finite("rel"),
    comment="Preferences between documents, as trec_eval's prefs files hold them",
    postgresql_partition_by="LIST (hidden)",
)  # fmt: skip

qrels_pools = sa.Table(
    "qrels_pools", metadata,
    identity(),
    needed("pool", Name, unique=True),
    needed("method", Text, comment="depth, teams, strata or effect"),
    needed("params", pg.JSONB, server_default=sa.text("'{}'"), comment="runs, depth, seed, …"),
    now("made"),
    *named("pool"),
    comment="Pools: documents chosen to be judged",
)  # fmt: skip

qrels_pool_documents = sa.Table(
    "qrels_pool_documents", metadata,
    needed("pool", Integer, sa.ForeignKey("qrels_pools.id", ondelete="CASCADE")),
    needed("query", Integer, sa.ForeignKey("st1_queries.id")),
    needed("doc", BigInteger, sa.ForeignKey("dblp.id")),
    needed("position", Integer, comment="the order in which the documents of a query are shown, by seed"),
    needed("runs", Integer, comment="of the chosen ones, how many contributed it"),
    needed("teams", Integer, comment="of how many teams they are"),
    needed("best_rank", Integer, comment="in any chosen run"),
    sa.Column("stratum", Text, comment="of ranks, as 1-10"),
    sa.Column("weight", Double, comment="inverse of the probability with which it was drawn; or its expected effect"),
    sa.PrimaryKeyConstraint("pool", "query", "doc"),
    sa.UniqueConstraint("pool", "query", "position"),
    *finite("weight"),
    comment="The documents of the pools",
)  # fmt: skip

qrels_assessments = sa.Table(
    "qrels_assessments", metadata,
    needed("pool", Integer),
    needed("query", Integer),
    needed("doc", BigInteger),
    needed("annotator", Name),
    sa.Column("rel", sa.SmallInteger(), comment="NULL: skipped"),
    sa.Column("note", Text),
    now("changed"),
    sa.Column("submitted", Moment, comment="when it became a judgment; NULL is a draft"),
    sa.PrimaryKeyConstraint("pool", "query", "doc", "annotator"),
    sa.ForeignKeyConstraint(
        ["pool", "query", "doc"],
        ["qrels_pool_documents.pool", "qrels_pool_documents.query", "qrels_pool_documents.doc"],
        name="qrels_assessments_pool_fkey", ondelete="CASCADE",
    ),
    *named("annotator"),
    comment="The assessors' sheets: grades that can be taken back until they are submitted to an edition",
)  # fmt: skip

llm_prompts = sa.Table(
    "llm_prompts", metadata,
    identity(),
    needed("name", Name),
    needed("sha256", Text, unique=True, comment="of the template"),
    needed("template", Text),
    now("added"),
    *named("name"),
    comment="Prompt templates that language models were asked with",
)  # fmt: skip

llm_judges = sa.Table(
    "llm_judges", metadata,
    identity(),
    needed("edition", Integer, sa.ForeignKey("qrels_editions.id", ondelete="CASCADE")),
    needed("model", Name),
    needed("prompt", Integer, sa.ForeignKey("llm_prompts.id")),
    needed("annotator", Name, comment="of its judgments: the model; of its second prompt in the edition and on, the prompt too"),
    now("begun"),
    needed("simulated", Boolean, server_default=sa.false(), comment="a program that stands in for the model"),
    sa.UniqueConstraint("edition", "model", "prompt"),
    sa.UniqueConstraint("edition", "annotator"),
    *named("model", "annotator"),
    comment="Language models that judge editions, each with a prompt",
)  # fmt: skip

llm_answers = sa.Table(
    "llm_answers", metadata,
    identity(BigInteger),
    needed("judge", Integer, sa.ForeignKey("llm_judges.id", ondelete="CASCADE")),
    needed("query", Integer, sa.ForeignKey("st1_queries.id")),
    needed("doc", BigInteger, sa.ForeignKey("dblp.id")),
    sa.Column("answer", Text, comment="as it came; NULL: none came"),
    sa.Column("rel", sa.SmallInteger(), comment="the grade read from it; NULL: malformed"),
    sa.Column("error", Text, comment="why there is no answer"),
    sa.Column("finish", Text, comment="why the model ended, as the endpoint says: stop, length, …"),
    needed(
        "params", pg.JSONB, server_default=sa.text("'{}'"),
        comment="what was asked for: temperature, seed, …; endpoint, served model",
    ),
    sa.Column("prompt_tokens", Integer),
    sa.Column("completion_tokens", Integer),
    needed("attempts", Integer),
    needed("seconds", Double, comment="of the last attempt"),
    now("asked"),
    sa.Index(None, "judge", "query", "doc"),
    sa.Index("llm_answers_judged_key", "judge", "query", "doc", unique=True, postgresql_where=sa.text("rel IS NOT NULL")),
    comment="What language models answered when asked to judge",
)  # fmt: skip
