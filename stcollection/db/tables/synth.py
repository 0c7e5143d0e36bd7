"""The tables of analysis: collections of synthetic queries, step by step."""

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
)

synth_studies = sa.Table(
    "synth_studies", metadata,
    identity(),
    needed("study", Name, unique=True),
    needed("field", Text, server_default="abstract", comment="what is sampled of a document, and what queries are made from"),
    needed("seed", BigInteger, comment="of all that is drawn"),
    needed("params", pg.JSONB, server_default=sa.text("'{}'"), comment="of each step, as it was run last: {step: {…}}"),
    now("made"),
    sa.CheckConstraint("field IN ('abstract', 'content')", name="field"),
    *named("study"),
    comment="Makings of synthetic queries, each from a sample of documents",
)  # fmt: skip

synth_passages = sa.Table(
    "synth_passages", metadata,
    needed("study", Integer, sa.ForeignKey("synth_studies.id", ondelete="CASCADE"), primary_key=True),
    needed("doc", BigInteger, sa.ForeignKey("dblp.id"), primary_key=True),
    needed("place", Integer, comment="in the order they were drawn in, from 1"),
    sa.Column("model", Name, comment="that was asked whether it stands alone as a search result"),
    sa.Column("prompt", Integer, sa.ForeignKey("llm_prompts.id")),
    sa.Column("answer", Text, comment="as it came; NULL: not asked, or none came"),
    sa.Column("score", Double, comment="0 to 100, read from the answer; NULL: malformed"),
    sa.Column("error", Text, comment="why there is no answer"),
    needed("params", pg.JSONB, server_default=sa.text("'{}'"), comment="what was asked for; what the answer cost"),
    sa.Column("asked", Moment),
    sa.UniqueConstraint("study", "place"),
    *named("model"),
    *finite("score"),
    comment="The sampled documents of a study, and what a language model said of each",
)  # fmt: skip

synth_candidates = sa.Table(
    "synth_candidates", metadata,
    identity(BigInteger),
    needed("study", Integer),
    needed("doc", BigInteger),
    needed("origin", Text, comment="what kind of generator: t5, gpt-4, …; becomes the query's"),
    needed("model", Name),
    sa.Column("prompt", Integer, sa.ForeignKey("llm_prompts.id")),
    needed("number", Integer, comment="of this document and generator, from 1"),
    sa.Column("answer", Text, comment="as it came; NULL: none came"),
    sa.Column("text", Text, comment="the query read from it; NULL: malformed or empty"),
    sa.Column("dropped", Text, comment="why it is no query: empty, malformed, error, duplicate, copy; NULL: it is one"),
    sa.Column("length", Integer, comment="words of the query"),
    sa.Column("found", Integer, comment="of these, how many occur in the document, without stopping or stemming"),
    needed("chosen", Boolean, server_default=sa.false()),
    sa.Column("query", Integer, sa.ForeignKey("st1_queries.id", ondelete="SET NULL"), index=True, comment="that it became"),
    needed("params", pg.JSONB, server_default=sa.text("'{}'"), comment="what was asked for; what the answer cost"),
    now("made"),
    sa.ForeignKeyConstraint(["study", "doc"], ["synth_passages.study", "synth_passages.doc"], ondelete="CASCADE",
                            name="synth_candidates_study_fkey"),
    sa.UniqueConstraint("study", "doc", "origin", "number"),
    *named("origin", "model"),
    comment="Generated queries, before and after some of them are chosen",
)  # fmt: skip

query_cuts = sa.Table(
    "query_cuts", metadata,
    needed("edition", Integer),
    needed("query", Integer, sa.ForeignKey("st1_queries.id")),
    needed("reason", Text, comment="unreasonable, few, many"),
    sa.Column("note", Text),
    now("cut"),
    hidden(),
    of_edition("query_cuts", ondelete="CASCADE"),
    sa.CheckConstraint("reason IN ('unreasonable', 'few', 'many')", name="reason"),
    sa.PrimaryKeyConstraint("edition", "query", "hidden"),
    comment="Queries that the assessors of an edition left out, and why",
    postgresql_partition_by="LIST (hidden)",
)  # fmt: skip

coverages = sa.Table(
    "coverages", metadata,
    identity(),
    needed("coverage", Name, unique=True, comment="its name; of a stored query the query's, unless it was given one"),
    sa.Column("query", Integer, sa.ForeignKey("st1_queries.id", ondelete="SET NULL"), index=True),
    needed("text", Text, comment="whose topics they are"),
    needed("model", Name, comment="of the vectors that said which abstracts are near"),
    needed("docs", pg.ARRAY(BigInteger), comment="dblp.id of the nearest abstracts, nearest first"),
    needed("params", pg.JSONB, server_default=sa.text("'{}'"), comment="how many documents, topics, words; support, seed"),
    now("made"),
    *named("coverage", "model"),
    comment="Topic coverage of texts: what their nearest abstracts are about, and how much of the corpus is about it",
)  # fmt: skip

coverage_topics = sa.Table(
    "coverage_topics", metadata,
    sa.Column("coverage", Integer, sa.ForeignKey("coverages.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("kind", Text, primary_key=True, comment="lda, itemset, concept"),
    sa.Column("place", Integer, primary_key=True, comment="from 1, as found"),
    needed("words", pg.ARRAY(sa.Text()), comment="that stand for it, the most telling first"),
    sa.Column("weight", Double, comment="lda: share of the words; else share of the abstracts that have them all"),
    needed("count", BigInteger, comment="documents of the whole corpus that hold all the words"),
    sa.CheckConstraint("kind IN ('lda', 'itemset', 'concept')", name="kind"),
    *finite("weight"),
    comment="The topics of a text, and how many documents of the corpus hold their words",
)  # fmt: skip
