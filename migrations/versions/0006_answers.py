"""Answer verification: queries, their documents and answers, which of them agree, models and runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "answer_models",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("model", sa.Text(collation="C"), nullable=False),
        sa.Column(
            "kind",
            sa.Text(),
            nullable=False,
            comment="classifier: trained here; crossencoder: a model of natural language inference",
        ),
        sa.Column(
            "params",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
            comment="features, threshold, versions, what it was trained on",
        ),
        sa.Column("fingerprint", sa.Text(), nullable=True, comment="SHA-256 of the labelled pairs it was trained on"),
        sa.Column(
            "content",
            postgresql.BYTEA(),
            nullable=True,
            comment="the trained classifier, as skops writes it: no code is run by reading it",
        ),
        sa.Column("made", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("kind IN ('classifier', 'crossencoder')", name=op.f("answer_models_kind_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("answer_models_pkey")),
        sa.UniqueConstraint("model", name=op.f("answer_models_model_key")),
        comment="Models that tell whether two answers agree",
    )
    op.create_table(
        "answer_sets",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("set", sa.Text(collation="C"), nullable=False, comment="name of the data: sample, …"),
        sa.Column("split", sa.Text(), nullable=False, comment="train, dev, test"),
        sa.Column("made", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("split IN ('train', 'dev', 'test')", name=op.f("answer_sets_split_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("answer_sets_pkey")),
        sa.UniqueConstraint("set", "split", name=op.f("answer_sets_set_split_key")),
        comment="Data sets of answer verification, a row each split",
    )
    op.create_table(
        "answer_files",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("set", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False, comment="documents, pairs, gold, relations, templates"),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False, comment="bytes"),
        sa.Column("lines", sa.BigInteger(), server_default=sa.text("0"), nullable=False, comment="that are not empty"),
        sa.Column(
            "stored",
            sa.BigInteger(),
            server_default=sa.text("0"),
            nullable=False,
            comment="of these lines, what became a row, or part of one",
        ),
        sa.Column(
            "duplicates",
            sa.BigInteger(),
            server_default=sa.text("0"),
            nullable=False,
            comment="lines that said again what an earlier one had said",
        ),
        sa.Column(
            "contradictory",
            sa.BigInteger(),
            server_default=sa.text("0"),
            nullable=False,
            comment="pairs with two labels, which keep none; queries said twice",
        ),
        sa.Column(
            "unknown",
            sa.BigInteger(),
            server_default=sa.text("0"),
            nullable=False,
            comment="lines that name a query, a document or an address that the documents do not have",
        ),
        sa.Column(
            "rejects",
            sa.BigInteger(),
            server_default=sa.text("0"),
            nullable=False,
            comment="lines that could not be read or stored",
        ),
        sa.Column("seconds", sa.Double(), server_default=sa.text("0"), nullable=False),
        sa.Column("loaded", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "kind IN ('documents', 'pairs', 'gold', 'relations', 'templates')", name=op.f("answer_files_kind_check")
        ),
        sa.ForeignKeyConstraint(["set"], ["answer_sets.id"], name=op.f("answer_files_set_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("answer_files_pkey")),
        sa.UniqueConstraint("set", "kind", name=op.f("answer_files_set_kind_key")),
        comment="The ledger: one row a file of a data set",
    )
    op.create_table(
        "answer_queries",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("set", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False, comment="in the file, from 1"),
        sa.Column("text", sa.Text(collation="C"), nullable=False),
        sa.Column("template", sa.Text(), nullable=True, comment="which kind of question it is: what is held out together"),
        sa.ForeignKeyConstraint(["set"], ["answer_sets.id"], name=op.f("answer_queries_set_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("answer_queries_pkey")),
        sa.UniqueConstraint("set", "text", name=op.f("answer_queries_set_text_key")),
        comment="Queries that documents answer",
    )
    op.create_table(
        "answer_runs",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("run", sa.Text(collation="C"), nullable=False),
        sa.Column("set", sa.Integer(), nullable=False),
        sa.Column(
            "method",
            sa.Text(),
            nullable=False,
            comment="tfidf, embedding, length, all; components, average, correlation, expected; imported",
        ),
        sa.Column(
            "params",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
            comment="threshold, model, source of the answers",
        ),
        sa.Column("made", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["set"], ["answer_sets.id"], name=op.f("answer_runs_set_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("answer_runs_pkey")),
        sa.UniqueConstraint("run", name=op.f("answer_runs_run_key")),
        comment="Runs of methods over a split: which documents they return for each query",
    )
    op.create_index(op.f("answer_runs_set_idx"), "answer_runs", ["set"], unique=False)
    op.create_table(
        "answer_documents",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False, comment="among those of the query, from 1"),
        sa.Column("doc_id", sa.Text(collation="C"), nullable=False, comment="as in the file"),
        sa.Column("url", sa.Text(collation="C"), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["query"], ["answer_queries.id"], name=op.f("answer_documents_query_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("answer_documents_pkey")),
        sa.UniqueConstraint("query", "doc_id", name=op.f("answer_documents_query_doc_id_key")),
        comment="The web documents of each query",
    )
    op.create_table(
        "answer_rejects",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("file", sa.Integer(), nullable=False),
        sa.Column("line", sa.BigInteger(), nullable=False, comment="in the file, from 1"),
        sa.Column("problem", sa.Text(), nullable=False, comment="reject, duplicate, contradictory, unknown, escaped"),
        sa.Column("reason", sa.Text(), nullable=False, comment="in words, with the value"),
        sa.ForeignKeyConstraint(["file"], ["answer_files.id"], name=op.f("answer_rejects_file_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("answer_rejects_pkey")),
        comment="Lines of the files of data sets that were not stored as they stand, and why",
    )
    op.create_index(op.f("answer_rejects_file_idx"), "answer_rejects", ["file"], unique=False)
    op.create_table(
        "answer_gold",
        sa.Column("document", sa.BigInteger(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["document"], ["answer_documents.id"], name=op.f("answer_gold_document_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["query"], ["answer_queries.id"], name=op.f("answer_gold_query_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("document", name=op.f("answer_gold_pkey")),
        comment="The documents behind the most endorsed answer of each query, as the data says",
    )
    op.create_index(op.f("answer_gold_query_idx"), "answer_gold", ["query"], unique=False)
    op.create_table(
        "answer_predictions",
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("document", sa.BigInteger(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column(
            "probability",
            sa.REAL(),
            nullable=True,
            comment="that it stands behind the most endorsed answer; NULL: the method does not tell",
        ),
        sa.ForeignKeyConstraint(
            ["document"], ["answer_documents.id"], name=op.f("answer_predictions_document_fkey"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["query"], ["answer_queries.id"], name=op.f("answer_predictions_query_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["run"], ["answer_runs.id"], name=op.f("answer_predictions_run_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run", "document", name=op.f("answer_predictions_pkey")),
        comment="The documents that a run returns for each query; none: it abstains",
    )
    op.create_index(op.f("answer_predictions_document_idx"), "answer_predictions", ["document"], unique=False)
    op.create_index(op.f("answer_predictions_query_idx"), "answer_predictions", ["query"], unique=False)
    op.create_table(
        "answer_sentences",
        sa.Column("document", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False, comment="from 1; 0 is the title"),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column(
            "terms", postgresql.TSVECTOR(), nullable=False, comment="pairs of characters of Chinese, words of others: answer_terms"
        ),
        sa.ForeignKeyConstraint(
            ["document"], ["answer_documents.id"], name=op.f("answer_sentences_document_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document", "place", name=op.f("answer_sentences_pkey")),
        comment="The sentences of the documents, indexed: what answers are extracted from",
    )
    op.create_index(op.f("answer_sentences_terms_idx"), "answer_sentences", ["terms"], unique=False, postgresql_using="gin")
    op.create_table(
        "answers",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column(
            "document",
            sa.BigInteger(),
            nullable=True,
            comment="NULL: the documents have none of this address; it teaches, and does not vote",
        ),
        sa.Column(
            "source", sa.Text(collation="C"), server_default="given", nullable=False, comment="given, or the name of an extraction"
        ),
        sa.Column("url", sa.Text(collation="C"), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("digest", sa.Uuid(), sa.Computed("md5(text)::uuid", persisted=True), nullable=False),
        sa.Column("score", sa.Double(), nullable=True, comment="of the window it was extracted as"),
        sa.Column("first", sa.Integer(), nullable=True, comment="sentence it begins with"),
        sa.Column("last", sa.Integer(), nullable=True, comment="sentence it ends with"),
        sa.ForeignKeyConstraint(["document"], ["answer_documents.id"], name=op.f("answers_document_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["query"], ["answer_queries.id"], name=op.f("answers_query_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("answers_pkey")),
        sa.UniqueConstraint("query", "source", "url", "digest", name=op.f("answers_query_source_url_digest_key")),
        comment="Answers: what a document says to its query, given or extracted",
    )
    op.create_index(op.f("answers_document_idx"), "answers", ["document"], unique=False)
    op.create_table(
        "answer_clusters",
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("answer", sa.BigInteger(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("cluster", sa.Integer(), nullable=False, comment="of the query, the most endorsed is 1"),
        sa.ForeignKeyConstraint(["answer"], ["answers.id"], name=op.f("answer_clusters_answer_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["query"], ["answer_queries.id"], name=op.f("answer_clusters_query_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["run"], ["answer_runs.id"], name=op.f("answer_clusters_run_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run", "answer", name=op.f("answer_clusters_pkey")),
        comment="How a run groups the answers of each query",
    )
    op.create_index(op.f("answer_clusters_answer_idx"), "answer_clusters", ["answer"], unique=False)
    op.create_index(op.f("answer_clusters_query_idx"), "answer_clusters", ["query"], unique=False)
    op.create_table(
        "answer_pairs",
        sa.Column("a", sa.BigInteger(), nullable=False),
        sa.Column("b", sa.BigInteger(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column(
            "label",
            sa.SmallInteger(),
            nullable=True,
            comment="1: they support each other; 0: neutral or opposed; NULL: both were said",
        ),
        sa.Column(
            "relation", sa.Text(), nullable=True, comment="support, neutral, oppose: where a file tells; entailment is support"
        ),
        sa.CheckConstraint("relation IN ('support', 'neutral', 'oppose')", name=op.f("answer_pairs_relation_check")),
        sa.CheckConstraint("a < b", name=op.f("answer_pairs_order_check")),
        sa.CheckConstraint("label IN (0, 1)", name=op.f("answer_pairs_label_check")),
        sa.ForeignKeyConstraint(["a"], ["answers.id"], name=op.f("answer_pairs_a_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["b"], ["answers.id"], name=op.f("answer_pairs_b_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["query"], ["answer_queries.id"], name=op.f("answer_pairs_query_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("a", "b", name=op.f("answer_pairs_pkey")),
        comment="Labelled pairs of answers, each once: the relation has no direction",
    )
    op.create_index(op.f("answer_pairs_b_idx"), "answer_pairs", ["b"], unique=False)
    op.create_index(op.f("answer_pairs_query_idx"), "answer_pairs", ["query"], unique=False)
    op.create_table(
        "answer_relations",
        sa.Column("model", sa.Integer(), nullable=False),
        sa.Column("a", sa.BigInteger(), nullable=False),
        sa.Column("b", sa.BigInteger(), nullable=False),
        sa.Column("support", sa.REAL(), nullable=False, comment="probability that they support each other"),
        sa.Column("oppose", sa.REAL(), nullable=False, comment="probability that they contradict each other; the rest is neutral"),
        sa.CheckConstraint("a < b", name=op.f("answer_relations_order_check")),
        sa.ForeignKeyConstraint(["a"], ["answers.id"], name=op.f("answer_relations_a_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["b"], ["answers.id"], name=op.f("answer_relations_b_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["model"], ["answer_models.id"], name=op.f("answer_relations_model_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("model", "a", "b", name=op.f("answer_relations_pkey")),
        comment="What a model says of pairs of answers",
    )
    op.create_index(op.f("answer_relations_a_idx"), "answer_relations", ["a"], unique=False)
    op.create_index(op.f("answer_relations_b_idx"), "answer_relations", ["b"], unique=False)


def downgrade() -> None:
    raise NotImplementedError("restore a dump: a downgrade would lose answers and what was said of them")
