"""The tables of answer verification: queries with their documents, the answers these give, which of them agree, and who says so."""

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
    hidden,
    identity,
    metadata,
    named,
    needed,
    now,
    zero,
)

answer_sets = sa.Table(
    "answer_sets", metadata,
    identity(),
    needed("set", Name, comment="name of the data: sample, …"),
    needed("split", Text, comment="train, dev, test"),
    now("made"),
    needed("hidden", Boolean, server_default=sa.false(), comment="its gold and labels, from participants and readers"),
    sa.UniqueConstraint("id", "hidden"),
    sa.UniqueConstraint("set", "split"),
    sa.CheckConstraint("split IN ('train', 'dev', 'test')", name="split"),
    *named("set"),
    comment="Data sets of answer verification, a row each split",
)  # fmt: skip

answer_files = sa.Table(
    "answer_files", metadata,
    identity(),
    needed("set", Integer, sa.ForeignKey("answer_sets.id", ondelete="CASCADE")),
    needed("kind", Text, comment="documents, pairs, gold, relations, templates"),
    needed("path", Text),
    needed("sha256", Text),
    needed("size", BigInteger, comment="bytes"),
    zero("lines", BigInteger, comment="that are not empty"),
    zero("stored", BigInteger, comment="of these lines, what became a row, or part of one"),
    zero("duplicates", BigInteger, comment="lines that said again what an earlier one had said"),
    zero("contradictory", BigInteger, comment="pairs with two labels, which keep none; queries said twice"),
    zero("unknown", BigInteger, comment="lines that name a query, a document or an address that the documents do not have"),
    zero("rejects", BigInteger, comment="lines that could not be read or stored"),
    zero("seconds", Double),
    now("loaded"),
    sa.UniqueConstraint("set", "kind"),
    sa.CheckConstraint("kind IN ('documents', 'pairs', 'gold', 'relations', 'templates')", name="kind"),
    comment="The ledger: one row a file of a data set",
)  # fmt: skip

answer_rejects = sa.Table(
    "answer_rejects", metadata,
    identity(BigInteger),
    needed("file", Integer, sa.ForeignKey("answer_files.id", ondelete="CASCADE"), index=True),
    needed("line", BigInteger, comment="in the file, from 1"),
    needed("problem", Text, comment="reject, duplicate, contradictory, unknown, escaped"),
    needed("reason", Text, comment="in words, with the value"),
    comment="Lines of the files of data sets that were not stored as they stand, and why",
)  # fmt: skip

answer_queries = sa.Table(
    "answer_queries", metadata,
    identity(),
    needed("set", Integer),
    needed("place", Integer, comment="in the file, from 1"),
    needed("text", Name),
    sa.Column("template", Text, comment="which kind of question it is: what is held out together"),
    needed("hidden", Boolean, server_default=sa.false(), comment="as its set is"),
    sa.ForeignKeyConstraint(["set", "hidden"], ["answer_sets.id", "answer_sets.hidden"], name="answer_queries_set_fkey",
                            ondelete="CASCADE", onupdate="CASCADE"),
    sa.UniqueConstraint("set", "text"),
    sa.UniqueConstraint("id", "hidden"),
    comment="Queries that documents answer",
)  # fmt: skip

answer_documents = sa.Table(
    "answer_documents", metadata,
    identity(BigInteger),
    needed("query", Integer, sa.ForeignKey("answer_queries.id", ondelete="CASCADE")),
    needed("place", Integer, comment="among those of the query, from 1"),
    needed("doc_id", Name, comment="as in the file"),
    needed("url", Name),
    needed("title", Text),
    needed("text", Text),
    sa.UniqueConstraint("query", "doc_id"),
    comment="The web documents of each query",
)  # fmt: skip

answer_sentences = sa.Table(
    "answer_sentences", metadata,
    sa.Column("document", BigInteger, sa.ForeignKey("answer_documents.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("place", Integer, primary_key=True, comment="from 1; 0 is the title"),
    needed("text", Text),
    needed("terms", pg.TSVECTOR, comment="pairs of characters of Chinese, words of others: answer_terms"),
    sa.Index(None, "terms", postgresql_using="gin"),
    comment="The sentences of the documents, indexed: what answers are extracted from",
)  # fmt: skip

answers = sa.Table(
    "answers", metadata,
    identity(BigInteger),
    needed("query", Integer, sa.ForeignKey("answer_queries.id", ondelete="CASCADE")),
    sa.Column("document", BigInteger, sa.ForeignKey("answer_documents.id", ondelete="CASCADE"), index=True,
              comment="NULL: the documents have none of this address; it teaches, and does not vote"),
    needed("source", Name, server_default="given", comment="given, or the name of an extraction"),
    needed("url", Name),
    needed("text", Text),
    sa.Column("digest", sa.Uuid, sa.Computed("md5(text)::uuid", persisted=True), nullable=False),
    sa.Column("score", Double, comment="of the window it was extracted as"),
    sa.Column("first", Integer, comment="sentence it begins with"),
    sa.Column("last", Integer, comment="sentence it ends with"),
    sa.UniqueConstraint("query", "source", "url", "digest"),
    *named("source"),
    *finite("score"),
    comment="Answers: what a document says to its query, given or extracted",
)  # fmt: skip

answer_pairs = sa.Table(
    "answer_pairs", metadata,
    needed("a", BigInteger, sa.ForeignKey("answers.id", ondelete="CASCADE")),
    needed("b", BigInteger, sa.ForeignKey("answers.id", ondelete="CASCADE"), index=True),
    needed("query", Integer, index=True),
    sa.Column("label", sa.SmallInteger(), comment="1: they support each other; 0: neutral or opposed; NULL: both were said"),
    sa.Column("relation", Text, comment="support, neutral, oppose: where a file tells; entailment is support"),
    hidden("set"),
    sa.ForeignKeyConstraint(["query", "hidden"], ["answer_queries.id", "answer_queries.hidden"], name="answer_pairs_query_fkey",
                            ondelete="CASCADE", onupdate="CASCADE"),
    sa.CheckConstraint("a < b", name="order"),
    sa.CheckConstraint("label IN (0, 1)", name="label"),
    sa.CheckConstraint("relation IN ('support', 'neutral', 'oppose')", name="relation"),
    sa.PrimaryKeyConstraint("a", "b", "hidden"),
    comment="Labelled pairs of answers, each once: the relation has no direction",
    postgresql_partition_by="LIST (hidden)",
)  # fmt: skip

answer_gold = sa.Table(
    "answer_gold", metadata,
    needed("document", BigInteger, sa.ForeignKey("answer_documents.id", ondelete="CASCADE")),
    needed("query", Integer, index=True),
    hidden("set"),
    sa.ForeignKeyConstraint(["query", "hidden"], ["answer_queries.id", "answer_queries.hidden"], name="answer_gold_query_fkey",
                            ondelete="CASCADE", onupdate="CASCADE"),
    sa.PrimaryKeyConstraint("document", "hidden"),
    comment="The documents behind the most endorsed answer of each query, as the data says",
    postgresql_partition_by="LIST (hidden)",
)  # fmt: skip

answer_models = sa.Table(
    "answer_models", metadata,
    identity(),
    needed("model", Name, unique=True),
    needed("kind", Text, comment="classifier: trained here; crossencoder: a model of natural language inference"),
    needed("params", pg.JSONB, server_default=sa.text("'{}'"), comment="features, threshold, versions, what it was trained on"),
    sa.Column("fingerprint", Text, comment="SHA-256 of the labelled pairs it was trained on"),
    sa.Column("content", pg.BYTEA, comment="the trained classifier, as skops writes it: no code is run by reading it"),
    now("made"),
    sa.CheckConstraint("kind IN ('classifier', 'crossencoder')", name="kind"),
    *named("model"),
    comment="Models that tell whether two answers agree",
)  # fmt: skip

answer_relations = sa.Table(
    "answer_relations", metadata,
    sa.Column("model", Integer, sa.ForeignKey("answer_models.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("a", BigInteger, sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True, index=True),
    sa.Column("b", BigInteger, sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True, index=True),
    needed("support", sa.REAL, comment="probability that they support each other"),
    needed("oppose", sa.REAL, comment="probability that they contradict each other; the rest is neutral"),
    sa.CheckConstraint("a < b", name="order"),
    *finite("support", "oppose", kind="real"),
    comment="What a model says of pairs of answers",
)  # fmt: skip

answer_runs = sa.Table(
    "answer_runs", metadata,
    identity(),
    needed("run", Name, unique=True),
    needed("set", Integer, sa.ForeignKey("answer_sets.id", ondelete="CASCADE"), index=True),
    needed("method", Text, comment="tfidf, embedding, length, all; components, average, correlation, expected; imported"),
    needed("params", pg.JSONB, server_default=sa.text("'{}'"), comment="threshold, model, source of the answers"),
    now("made"),
    *named("run"),
    comment="Runs of methods over a split: which documents they return for each query",
)  # fmt: skip

answer_clusters = sa.Table(
    "answer_clusters", metadata,
    sa.Column("run", Integer, sa.ForeignKey("answer_runs.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("answer", BigInteger, sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True, index=True),
    needed("query", Integer, sa.ForeignKey("answer_queries.id", ondelete="CASCADE"), index=True),
    needed("cluster", Integer, comment="of the query, the most endorsed is 1"),
    comment="How a run groups the answers of each query",
)  # fmt: skip

answer_predictions = sa.Table(
    "answer_predictions", metadata,
    sa.Column("run", Integer, sa.ForeignKey("answer_runs.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("document", BigInteger, sa.ForeignKey("answer_documents.id", ondelete="CASCADE"), primary_key=True, index=True),
    needed("query", Integer, sa.ForeignKey("answer_queries.id", ondelete="CASCADE"), index=True),
    sa.Column("probability", sa.REAL, comment="that it stands behind the most endorsed answer; NULL: the method does not tell"),
    *finite("probability", kind="real"),
    comment="The documents that a run returns for each query; none: it abstains",
)  # fmt: skip
