"""Judgments and evaluation: sealed editions, pools, assessors' sheets, answers of language models, receipts, scores of others."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "llm_prompts",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("name", sa.Text(collation="C"), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False, comment="of the template"),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("added", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("llm_prompts_pkey")),
        sa.UniqueConstraint("sha256", name=op.f("llm_prompts_sha256_key")),
        comment="Prompt templates that language models were asked with",
    )
    op.create_table(
        "qrels_pools",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("pool", sa.Text(collation="C"), nullable=False),
        sa.Column("method", sa.Text(), nullable=False, comment="depth, teams, strata or effect"),
        sa.Column(
            "params",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
            comment="runs, depth, seed, …",
        ),
        sa.Column("made", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("qrels_pools_pkey")),
        sa.UniqueConstraint("pool", name=op.f("qrels_pools_pool_key")),
        comment="Pools: documents chosen to be judged",
    )
    op.create_table(
        "run_receipts",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), nullable=True),
        sa.Column("run", sa.Text(collation="C"), nullable=True, comment="the run it became, NULL if it was rejected"),
        sa.Column("accepted", sa.Boolean(), nullable=False),
        sa.Column(
            "reasons",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'"),
            nullable=False,
            comment="[{line, what, note}]: line 0 is the file as a whole",
        ),
        sa.Column("received", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("run_receipts_pkey")),
        comment="The intake of a track: what was received, and why it was accepted or rejected",
    )
    op.create_table(
        "qrels_files",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=True),
        sa.Column("judgments", sa.BigInteger(), nullable=False),
        sa.Column("added", sa.BigInteger(), nullable=False),
        sa.Column("imported", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["edition"], ["qrels_editions.id"], name=op.f("qrels_files_edition_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("qrels_files_pkey")),
        comment="The ledger: one row a file of judgments taken into an edition",
    )
    op.create_index(op.f("qrels_files_edition_idx"), "qrels_files", ["edition"], unique=False)
    op.create_table(
        "llm_judges",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("model", sa.Text(collation="C"), nullable=False),
        sa.Column("prompt", sa.Integer(), nullable=False),
        sa.Column(
            "annotator",
            sa.Text(collation="C"),
            nullable=False,
            comment="of its judgments: the model; of its second prompt in the edition and on, the prompt too",
        ),
        sa.Column("begun", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["edition"], ["qrels_editions.id"], name=op.f("llm_judges_edition_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["prompt"], ["llm_prompts.id"], name=op.f("llm_judges_prompt_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("llm_judges_pkey")),
        sa.UniqueConstraint("edition", "annotator", name=op.f("llm_judges_edition_annotator_key")),
        sa.UniqueConstraint("edition", "model", "prompt", name=op.f("llm_judges_edition_model_prompt_key")),
        comment="Language models that judge editions, each with a prompt",
    )
    op.create_table(
        "llm_answers",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("judge", sa.Integer(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("doc", sa.BigInteger(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True, comment="as it came; NULL: none came"),
        sa.Column("rel", sa.SmallInteger(), nullable=True, comment="the grade read from it; NULL: malformed"),
        sa.Column("error", sa.Text(), nullable=True, comment="why there is no answer"),
        sa.Column("finish", sa.Text(), nullable=True, comment="why the model ended, as the endpoint says: stop, length, …"),
        sa.Column(
            "params",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
            comment="what was asked for: temperature, seed, …; endpoint, served model",
        ),
        sa.Column("prompt_tokens", sa.Integer(), nullable=True),
        sa.Column("completion_tokens", sa.Integer(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False, comment="of the last attempt"),
        sa.Column("asked", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["doc"], ["dblp.id"], name=op.f("llm_answers_doc_fkey")),
        sa.ForeignKeyConstraint(["judge"], ["llm_judges.id"], name=op.f("llm_answers_judge_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("llm_answers_query_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("llm_answers_pkey")),
        comment="What language models answered when asked to judge",
    )
    op.create_index(op.f("llm_answers_judge_query_doc_idx"), "llm_answers", ["judge", "query", "doc"], unique=False)
    op.create_index(
        "llm_answers_judged_key",
        "llm_answers",
        ["judge", "query", "doc"],
        unique=True,
        postgresql_where=sa.text("rel IS NOT NULL"),
    )
    op.create_table(
        "qrels_pool_documents",
        sa.Column("pool", sa.Integer(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("doc", sa.BigInteger(), nullable=False),
        sa.Column(
            "position", sa.Integer(), nullable=False, comment="the order in which the documents of a query are shown, by seed"
        ),
        sa.Column("runs", sa.Integer(), nullable=False, comment="of the chosen ones, how many contributed it"),
        sa.Column("teams", sa.Integer(), nullable=False, comment="of how many teams they are"),
        sa.Column("best_rank", sa.Integer(), nullable=False, comment="in any chosen run"),
        sa.Column("stratum", sa.Text(), nullable=True, comment="of ranks, as 1-10"),
        sa.Column(
            "weight",
            sa.Double(),
            nullable=True,
            comment="inverse of the probability with which it was drawn; or its expected effect",
        ),
        sa.ForeignKeyConstraint(["doc"], ["dblp.id"], name=op.f("qrels_pool_documents_doc_fkey")),
        sa.ForeignKeyConstraint(["pool"], ["qrels_pools.id"], name=op.f("qrels_pool_documents_pool_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("qrels_pool_documents_query_fkey")),
        sa.PrimaryKeyConstraint("pool", "query", "doc", name=op.f("qrels_pool_documents_pkey")),
        sa.UniqueConstraint("pool", "query", "position", name=op.f("qrels_pool_documents_pool_query_position_key")),
        comment="The documents of the pools",
    )
    op.create_table(
        "qrels_preferences",
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("annotator", sa.Text(collation="C"), nullable=False, comment="the judgment group"),
        sa.Column("subgroup", sa.Text(collation="C"), nullable=False, comment="documents are compared within one"),
        sa.Column("doc", sa.BigInteger(), nullable=False),
        sa.Column("rel", sa.Double(), nullable=False, comment="a document with a larger one is preferred"),
        sa.ForeignKeyConstraint(["doc"], ["dblp.id"], name=op.f("qrels_preferences_doc_fkey")),
        sa.ForeignKeyConstraint(
            ["edition"], ["qrels_editions.id"], name=op.f("qrels_preferences_edition_fkey"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("qrels_preferences_query_fkey")),
        sa.PrimaryKeyConstraint("edition", "query", "annotator", "subgroup", "doc", name=op.f("qrels_preferences_pkey")),
        comment="Preferences between documents, as trec_eval's prefs files hold them",
    )
    op.create_table(
        "st1_scores",
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("measure", sa.Text(collation="C"), nullable=False, comment="by trec_eval's name"),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True, comment="the file they came in"),
        sa.ForeignKeyConstraint(["edition"], ["qrels_editions.id"], name=op.f("st1_scores_edition_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("st1_scores_query_fkey")),
        sa.ForeignKeyConstraint(["run"], ["st1_runs.id"], name=op.f("st1_scores_run_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("edition", "measure", "run", "query", name=op.f("st1_scores_pkey")),
        comment="Scores computed by others, as trec_eval prints them: of systems whose runs are not here",
    )
    op.create_index(op.f("st1_scores_run_idx"), "st1_scores", ["run"])
    op.create_table(
        "qrels_assessments",
        sa.Column("pool", sa.Integer(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("doc", sa.BigInteger(), nullable=False),
        sa.Column("annotator", sa.Text(collation="C"), nullable=False),
        sa.Column("rel", sa.SmallInteger(), nullable=True, comment="NULL: skipped"),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("changed", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("submitted", sa.TIMESTAMP(timezone=True), nullable=True, comment="when it became a judgment; NULL is a draft"),
        sa.ForeignKeyConstraint(
            ["pool", "query", "doc"],
            ["qrels_pool_documents.pool", "qrels_pool_documents.query", "qrels_pool_documents.doc"],
            name="qrels_assessments_pool_fkey",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("pool", "query", "doc", "annotator", name=op.f("qrels_assessments_pkey")),
        comment="The assessors' sheets: grades that can be taken back until they are submitted to an edition",
    )
    op.create_table(
        "judged_runs",
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column(
            "edition_version",
            sa.BigInteger(),
            nullable=False,
            comment="of what it was made; judged_rankings hold while it is the edition's",
        ),
        sa.Column("run_version", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["edition"], ["qrels_editions.id"], name=op.f("judged_runs_edition_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["run"], ["st1_runs.id"], name=op.f("judged_runs_run_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("edition", "run", name=op.f("judged_runs_pkey")),
        comment="Derived: the runs whose judged documents are stored, and from which versions they were made",
    )
    op.create_table(
        "judged_queries",
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("edition_version", sa.BigInteger(), nullable=False, comment="of what it was made"),
        sa.Column(
            "rels", postgresql.ARRAY(sa.SmallInteger()), nullable=False, comment="the grades of its judged documents, best first"
        ),
        sa.ForeignKeyConstraint(["edition"], ["qrels_editions.id"], name=op.f("judged_queries_edition_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("judged_queries_query_fkey")),
        sa.PrimaryKeyConstraint("edition", "query", name=op.f("judged_queries_pkey")),
        comment="Derived: the grades an edition gives for each query",
    )
    op.create_table(
        "judged_rankings",
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("retrieved", sa.Integer(), nullable=False, comment="documents the run has for the query, 0 for none"),
        sa.Column(
            "relevant",
            postgresql.ARRAY(sa.Integer()),
            nullable=False,
            comment="ranks of documents of a grade of 1 or more, ascending",
        ),
        sa.Column("grades", postgresql.ARRAY(sa.SmallInteger()), nullable=False, comment="the grade at each of these ranks"),
        sa.Column("irrelevant", postgresql.ARRAY(sa.Integer()), nullable=False, comment="ranks of documents of grade 0, ascending"),
        sa.Column(
            "pooled", postgresql.ARRAY(sa.Integer()), nullable=False, comment="ranks of documents of a negative grade, ascending"
        ),
        sa.ForeignKeyConstraint(
            ["edition", "run"], ["judged_runs.edition", "judged_runs.run"], name="judged_rankings_run_fkey", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("edition", "run", "query", name=op.f("judged_rankings_pkey")),
        comment="Derived: where a run ranks judged documents, what every measure is computed from",
    )
    op.create_table(
        "judged_scores",
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column(
            "scores", postgresql.ARRAY(sa.Double()), nullable=False, comment="in the order of the SQL function stored_measures"
        ),
        sa.ForeignKeyConstraint(
            ["edition", "run"], ["judged_runs.edition", "judged_runs.run"], name="judged_scores_run_fkey", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("edition", "run", "query", name=op.f("judged_scores_pkey")),
        comment="Derived: values of the measures that are asked for most",
    )
    op.add_column("qrels_editions", sa.Column("split", sa.Text(), nullable=True, comment="train or test; NULL is neither"))
    op.add_column("qrels_editions", sa.Column("year", sa.Integer(), nullable=True, comment="of the track"))
    op.add_column(
        "qrels_editions",
        sa.Column(
            "scale",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=True,
            comment="how the grades of its sources became the stored ones: {theirs: ours}; NULL as they were",
        ),
    )
    op.add_column(
        "qrels_editions",
        sa.Column("sealed", sa.TIMESTAMP(timezone=True), nullable=True, comment="from then on nothing can be added; NULL is open"),
    )
    op.add_column(
        "qrels_editions", sa.Column("fingerprint", sa.Text(), nullable=True, comment="SHA-256 of what it said when it was sealed")
    )
    op.add_column(
        "qrels_editions",
        sa.Column(
            "version", sa.BigInteger(), server_default=sa.text("0"), nullable=False, comment="counts the changes of its judgments"
        ),
    )
    op.add_column("qrels_judgments", sa.Column("note", sa.Text(), nullable=True, comment="of the annotator"))
    op.add_column(
        "st1_runs",
        sa.Column(
            "metadata",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=True,
            comment="how it was made, as ir_metadata describes it",
        ),
    )
    op.add_column(
        "st1_runs",
        sa.Column(
            "version", sa.BigInteger(), server_default=sa.text("0"), nullable=False, comment="counts the changes of what it ranks"
        ),
    )
    op.create_check_constraint(op.f("qrels_editions_split_check"), "qrels_editions", "split IN ('train', 'test')")


def downgrade() -> None:
    raise NotImplementedError("restore a dump: a downgrade would lose assessments and answers")
