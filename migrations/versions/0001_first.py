"""The first schema: corpus, text, vectors, complexity, topics, runs, qrels."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import VECTOR
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.create_table(
        "corpus_files",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=True),
        sa.Column("bytes", sa.BigInteger(), nullable=True),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), server_default="loading", nullable=False),
        sa.Column("documents", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("duplicates", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("rejects", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("seconds", sa.Double(), server_default=sa.text("0"), nullable=False),
        sa.Column("started", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished", sa.TIMESTAMP(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('loading', 'loaded')", name=op.f("corpus_files_state_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("corpus_files_pkey")),
        comment="The ledger: one row a file loaded into the corpus",
    )
    op.execute(sa.schema.CreateSequence(sa.Sequence("dblp_id_seq", start=2**40)))
    op.create_table(
        "dblp",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False, comment="joins; is docno where that is a number"),
        sa.Column("docno", sa.Text(collation="C"), nullable=False, comment="the name the outside world uses"),
        sa.Column("doc", postgresql.JSONB(astext_type=sa.Text()), nullable=False, comment="the record as it came"),
        sa.Column(
            "stub",
            sa.Boolean(),
            server_default=sa.false(),
            nullable=False,
            comment="ranked or judged but not in the corpus; never retrieved",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("dblp_pkey")),
        sa.UniqueConstraint("docno", name=op.f("dblp_docno_key")),
        comment="The corpus: one JSON document a row",
    )
    op.create_table(
        "qrels_editions",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("edition", sa.Text(collation="C"), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("made", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("qrels_editions_pkey")),
        sa.UniqueConstraint("edition", name=op.f("qrels_editions_edition_key")),
        comment="The editions of the judgments",
    )
    op.create_table(
        "st1_runs",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("run", sa.Text(collation="C"), nullable=False),
        sa.Column("team", sa.Text(), nullable=True),
        sa.Column("tag", sa.Text(), nullable=True),
        sa.Column("manual", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("family", sa.Text(), nullable=True),
        sa.Column("params", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("source", sa.Text(), nullable=True, comment="the file it was imported from"),
        sa.Column("sha256", sa.Text(), nullable=True),
        sa.Column("made", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("st1_runs_pkey")),
        sa.UniqueConstraint("run", name=op.f("st1_runs_run_key")),
        comment="The runs of systems, by name",
    )
    op.create_table(
        "st1_topics",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("topic", sa.Text(collation="C"), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("abstract_url", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("st1_topics_pkey")),
        sa.UniqueConstraint("topic", name=op.f("st1_topics_topic_key")),
        comment="The topics: press articles",
    )
    op.create_table(
        "stc_objects",
        sa.Column("file", sa.Text(), nullable=False, comment="path in sql/"),
        sa.Column("creates", postgresql.ARRAY(sa.Text()), nullable=False, comment="kind and name of each object it creates"),
        sa.Column("fingerprint", sa.Text(), nullable=False, comment="SHA-256 of the file"),
        sa.Column("catalogue", sa.Text(), nullable=False, comment="SHA-256 of the objects as the server holds them: tells drift"),
        sa.PrimaryKeyConstraint("file", name=op.f("stc_objects_pkey")),
        comment="The functions and views of sql/ as they were put into this database",
    )
    op.create_table(
        "text_index",
        sa.Column("single", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("config", postgresql.REGCONFIG(), nullable=False),
        sa.Column("k1", sa.Double(), nullable=False),
        sa.Column("b", sa.Double(), nullable=False),
        sa.Column("documents", sa.BigInteger(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column(
            "stale", sa.Boolean(), server_default=sa.false(), nullable=False, comment="dblp_text was written to after the build"
        ),
        sa.Column("built", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("engine IN ('pg_textsearch', 'portable')", name=op.f("text_index_engine_check")),
        sa.CheckConstraint("single", name=op.f("text_index_single_check")),
        sa.PrimaryKeyConstraint("single", name=op.f("text_index_pkey")),
        comment="What the text indexes were built from: at most one row",
    )
    op.create_table(
        "text_lexemes",
        sa.Column("lexeme", sa.Text(collation="C"), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("occurrences", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("lexeme", name=op.f("text_lexemes_pkey")),
        comment="Document frequencies, for the portable BM25",
    )
    op.create_table(
        "vector_models",
        sa.Column("model", sa.Text(collation="C"), nullable=False, comment="short name"),
        sa.Column("name", sa.Text(), nullable=False, comment="a sentence-transformers name or path"),
        sa.Column("revision", sa.Text(), nullable=True),
        sa.Column("dim", sa.Integer(), nullable=False),
        sa.Column("max_tokens", sa.Integer(), nullable=True),
        sa.Column("relation", sa.Text(), nullable=False, comment="the table of its vectors"),
        sa.Column("added", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("model", name=op.f("vector_models_pkey")),
        comment="The embedding models whose vectors are stored",
    )
    op.create_table(
        "corpus_chunks",
        sa.Column("file", sa.Integer(), nullable=False),
        sa.Column("chunk", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("duplicates", sa.Integer(), nullable=False),
        sa.Column("rejects", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["file"], ["corpus_files.id"], name=op.f("corpus_chunks_file_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("file", "chunk", name=op.f("corpus_chunks_pkey")),
        comment="The chunks of a file that are committed: what a killed load resumes from",
    )
    op.create_table(
        "corpus_rejects",
        sa.Column("file", sa.Integer(), nullable=False),
        sa.Column("line", sa.BigInteger(), nullable=False),
        sa.Column("docno", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=True, comment="its first 1,000 characters"),
        sa.ForeignKeyConstraint(["file"], ["corpus_files.id"], name=op.f("corpus_rejects_file_fkey"), ondelete="CASCADE"),
        comment="Records of a file that could not be stored, by line",
    )
    op.create_index(op.f("corpus_rejects_file_idx"), "corpus_rejects", ["file"], unique=False)
    op.create_table(
        "dblp_text",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("abstract", sa.Text(), nullable=True, comment="NULL: the document has none"),
        sa.Column(
            "content",
            sa.Text(),
            sa.Computed("COALESCE(title, '') || E'\\n' || COALESCE(abstract, '')", persisted=True),
            nullable=True,
            comment="title and abstract: what BM25 reads",
        ),
        sa.Column(
            "tsv",
            postgresql.TSVECTOR(),
            sa.Computed(
                "setweight(to_tsvector('english', COALESCE(title, '')), 'A') || "
                "setweight(to_tsvector('english', COALESCE(abstract, '')), 'B')",
                persisted=True,
            ),
            nullable=True,
            comment="title weight A, abstract weight B",
        ),
        sa.ForeignKeyConstraint(["id"], ["dblp.id"], name=op.f("dblp_text_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("dblp_text_pkey")),
        comment="The text of the documents and its index",
    )
    # Kept in the row where it fits: every ranking reads it, and a look into the TOAST table costs more than the row's length.
    op.execute("ALTER TABLE dblp_text ALTER COLUMN tsv SET STORAGE MAIN")
    op.create_table(
        "dblp_v",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("title_v", VECTOR(dim=384), nullable=True),
        sa.Column("abstract_v", VECTOR(dim=384), nullable=True),
        sa.ForeignKeyConstraint(["id"], ["dblp.id"], name=op.f("dblp_v_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("dblp_v_pkey")),
        comment="Embeddings of title and abstract by the default model, L2-normalised: <#> is minus the cosine",
    )
    op.create_table(
        "query_v",
        sa.Column("model", sa.Text(collation="C"), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("v", VECTOR(), nullable=False),
        sa.ForeignKeyConstraint(["model"], ["vector_models.model"], name=op.f("query_v_model_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("model", "text", name=op.f("query_v_pkey")),
        comment="Embeddings of query texts, remembered by model",
    )
    op.create_table(
        "st1_complexity_metrics",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("nltk_sent", sa.Double(), nullable=True),
        sa.Column("nltk_tok", sa.Double(), nullable=True),
        sa.Column("cmu_tok", sa.Double(), nullable=True),
        sa.Column("cmu_syl", sa.Double(), nullable=True),
        sa.Column("cmu_wrd_per_sent", sa.Double(), nullable=True),
        sa.Column("cmu_syl_per_wrd", sa.Double(), nullable=True),
        sa.Column("cmu_fkgl", sa.Double(), nullable=True),
        sa.Column("read_sent", sa.Double(), nullable=True),
        sa.Column("read_tok", sa.Double(), nullable=True),
        sa.Column("read_syl", sa.Double(), nullable=True),
        sa.Column("read_char", sa.Double(), nullable=True),
        sa.Column("read_wordtypes", sa.Double(), nullable=True),
        sa.Column("read_long_words", sa.Double(), nullable=True),
        sa.Column("read_complex_words", sa.Double(), nullable=True),
        sa.Column("read_char_per_wrd", sa.Double(), nullable=True),
        sa.Column("read_wrd_per_sent", sa.Double(), nullable=True),
        sa.Column("read_syl_per_wrd", sa.Double(), nullable=True),
        sa.Column("read_type_token_ratio", sa.Double(), nullable=True),
        sa.Column("textstat_fkgl", sa.Double(), nullable=True),
        sa.Column("textstat_fre", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["id"], ["dblp.id"], name=op.f("st1_complexity_metrics_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("st1_complexity_metrics_pkey")),
        comment="Readability of the abstracts by NLTK with CMUdict, readability and textstat",
    )
    op.create_table(
        "st1_queries",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("query", sa.Text(collation="C"), nullable=False),
        sa.Column("topic", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=True, comment="NULL: a stub, known only from a run or from judgments"),
        sa.Column("origin", sa.Text(), server_default="human", nullable=False),
        sa.ForeignKeyConstraint(["topic"], ["st1_topics.id"], name=op.f("st1_queries_topic_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("st1_queries_pkey")),
        sa.UniqueConstraint("query", name=op.f("st1_queries_query_key")),
        comment="The queries of the topics",
    )
    op.create_index(op.f("st1_queries_topic_idx"), "st1_queries", ["topic"], unique=False)
    op.create_table(
        "vector_indexes",
        sa.Column("model", sa.Text(collation="C"), nullable=False),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("lists", sa.Integer(), nullable=True),
        sa.Column("probes", sa.Integer(), nullable=True),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.Column("built", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("field IN ('title', 'abstract')", name=op.f("vector_indexes_field_check")),
        sa.ForeignKeyConstraint(["model"], ["vector_models.model"], name=op.f("vector_indexes_model_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("model", "field", name=op.f("vector_indexes_pkey")),
        comment="The vector indexes as they were built, and the probes searches take by default",
    )
    op.create_table(
        "qrels_judgments",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("doc", sa.BigInteger(), nullable=False),
        sa.Column("rel", sa.SmallInteger(), nullable=False, comment="negative: pooled, not judged"),
        sa.Column("origin", sa.Text(), server_default="human", nullable=False),
        sa.Column("annotator", sa.Text(), server_default="", nullable=False),
        sa.Column("source_doc", sa.BigInteger(), nullable=True, comment="of an expansion: the judged document it is near to"),
        sa.Column("similarity", sa.REAL(), nullable=True, comment="of an expansion: cosine of the two titles"),
        sa.Column("judged", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("origin IN ('human', 'llm', 'knn')", name=op.f("qrels_judgments_origin_check")),
        sa.ForeignKeyConstraint(["doc"], ["dblp.id"], name=op.f("qrels_judgments_doc_fkey")),
        sa.ForeignKeyConstraint(["edition"], ["qrels_editions.id"], name=op.f("qrels_judgments_edition_fkey")),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("qrels_judgments_query_fkey")),
        sa.ForeignKeyConstraint(["source_doc"], ["dblp.id"], name=op.f("qrels_judgments_source_doc_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("qrels_judgments_pkey")),
        sa.UniqueConstraint("edition", "query", "doc", "origin", "annotator", name="qrels_judgments_key"),
        comment="The judgments, append-only; the view qrels says what an edition says",
    )
    op.create_table(
        "st1_rankings",
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("doc", sa.BigInteger(), nullable=False),
        sa.Column(
            "rank",
            sa.Integer(),
            nullable=False,
            comment="1 = best, by trec_eval 9's rule (float32, docno descending)",
        ),
        sa.Column("file_rank", sa.Integer(), nullable=True),
        sa.Column("rel_score", sa.Double(), nullable=False),
        sa.Column("comb_score", sa.Double(), nullable=True),
        sa.Column("passage", sa.Text(), nullable=True),
        sa.CheckConstraint("rank >= 1", name=op.f("st1_rankings_rank_check")),
        sa.ForeignKeyConstraint(["doc"], ["dblp.id"], name=op.f("st1_rankings_doc_fkey")),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("st1_rankings_query_fkey")),
        sa.ForeignKeyConstraint(["run"], ["st1_runs.id"], name=op.f("st1_rankings_run_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("query", "doc", "run", name=op.f("st1_rankings_pkey"), postgresql_include=["rank"]),
        sa.UniqueConstraint("run", "query", "rank", name="st1_rankings_run_query_rank_key", postgresql_include=["doc"]),
        comment="The ranked documents of the runs",
    )
    op.create_table(
        "text_lengths",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["id"], ["dblp_text.id"], name=op.f("text_lengths_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("text_lengths_pkey")),
        comment="Document lengths in tokens, for the portable BM25",
    )


def downgrade() -> None:
    for table in (
        "text_lengths",
        "st1_rankings",
        "qrels_judgments",
        "vector_indexes",
        "st1_queries",
        "st1_complexity_metrics",
        "query_v",
        "dblp_v",
        "dblp_text",
        "corpus_rejects",
        "corpus_chunks",
        "vector_models",
        "text_lexemes",
        "text_index",
        "stc_objects",
        "st1_topics",
        "st1_runs",
        "qrels_editions",
        "dblp",
        "corpus_files",
    ):
        op.drop_table(table)
    op.execute(sa.schema.DropSequence(sa.Sequence("dblp_id_seq")))
