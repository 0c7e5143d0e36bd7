"""Roles: what is hidden lies in partitions of its own; teams and their runs; asking for scores on hidden editions."""

from __future__ import annotations

import psycopg
import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from stcollection.errors import StateError

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

# What was there, aside while it is made anew; it goes with the migration.
_ASIDE = "stc_0008"


def _hidden(of: str) -> sa.Column[bool]:
    return sa.Column("hidden", sa.Boolean(), server_default=sa.false(), nullable=False, comment=f"as its {of} is: the partition")


def upgrade() -> None:
    op.add_column(
        "qrels_editions",
        sa.Column(
            "hidden",
            sa.Boolean(),
            server_default=sa.false(),
            nullable=False,
            comment="from participants and readers; until released",
        ),
    )
    op.add_column(
        "qrels_editions", sa.Column("released", sa.TIMESTAMP(timezone=True), nullable=True, comment="when it was shown to all")
    )
    op.add_column("qrels_editions", sa.Column("released_by", sa.Text(), nullable=True, comment="the role that did"))
    op.add_column(
        "answer_sets",
        sa.Column(
            "hidden",
            sa.Boolean(),
            server_default=sa.false(),
            nullable=False,
            comment="its gold and labels, from participants and readers",
        ),
    )
    op.add_column(
        "answer_queries", sa.Column("hidden", sa.Boolean(), server_default=sa.false(), nullable=False, comment="as its set is")
    )
    op.add_column(
        "st1_runs",
        sa.Column(
            "shared",
            sa.Boolean(),
            server_default=sa.false(),
            nullable=False,
            comment="shown to all teams, as runs without a team are",
        ),
    )
    op.execute("ALTER TABLE qrels_editions DISABLE TRIGGER USER")  # sealed ones too
    op.execute("UPDATE qrels_editions SET hidden = true WHERE split = 'test'")
    op.execute("ALTER TABLE qrels_editions ENABLE TRIGGER USER")
    op.execute("UPDATE answer_sets SET hidden = true WHERE split = 'test'")
    op.execute("UPDATE answer_queries q SET hidden = true FROM answer_sets s WHERE s.id = q.set AND s.hidden")
    op.create_unique_constraint(op.f("qrels_editions_id_hidden_key"), "qrels_editions", ["id", "hidden"])
    op.create_unique_constraint(op.f("answer_sets_id_hidden_key"), "answer_sets", ["id", "hidden"])
    op.create_unique_constraint(op.f("answer_queries_id_hidden_key"), "answer_queries", ["id", "hidden"])
    op.drop_constraint("answer_queries_set_fkey", "answer_queries", type_="foreignkey")
    op.create_foreign_key(
        op.f("answer_queries_set_fkey"),
        "answer_queries",
        "answer_sets",
        ["set", "hidden"],
        ["id", "hidden"],
        ondelete="CASCADE",
        onupdate="CASCADE",
    )
    _part()
    _ask()


def _part() -> None:
    """Make the tables that hold what may be hidden anew, partitioned by it, and take the rows over."""
    tables = ("qrels_judgments", "qrels_preferences", "st1_scores", "query_cuts", "answer_pairs", "answer_gold")
    _drop_views(tables)
    op.execute(f"CREATE SCHEMA {_ASIDE}")
    for table in tables:
        op.execute(f"ALTER TABLE {table} SET SCHEMA {_ASIDE}")
    _create()
    for table in tables:
        op.execute(f"CREATE TABLE {table}_open PARTITION OF {table} FOR VALUES IN (false)")
        op.execute(f"CREATE TABLE {table}_hidden PARTITION OF {table} FOR VALUES IN (true)")
        # EXPLAIN shows anybody what the planner makes of the statistics of the whole table; those of the partitions are enough.
        op.execute(
            f"""
            DO $$
            DECLARE
                one name;
            BEGIN
                FOR one IN SELECT attname FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0 LOOP
                    EXECUTE format('ALTER TABLE ONLY {table} ALTER COLUMN %I SET STATISTICS 0', one);
                END LOOP;
            END $$
            """  # noqa: S608  (names of ours)
        )
        parent = "answer_queries" if table.startswith("answer") else "qrels_editions"
        key = "query" if table.startswith("answer") else "edition"
        rows = op.get_bind().exec_driver_sql(
            "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
            " ORDER BY attnum",
            (f"{_ASIDE}.{table}",),
        )
        columns = ", ".join(row[0] for row in rows)
        op.execute(
            f"INSERT INTO {table} ({columns}, hidden) OVERRIDING SYSTEM VALUE"  # noqa: S608  (names of ours)
            f" SELECT t.*, p.hidden FROM {_ASIDE}.{table} t JOIN {parent} p ON p.id = t.{key}"
        )
    sequence = f"{_ASIDE}.qrels_judgments_id_seq"
    op.execute(f"SELECT setval(pg_get_serial_sequence('qrels_judgments', 'id'), last_value, is_called) FROM {sequence}")  # noqa: S608
    for table in tables:
        op.execute(f"DROP TABLE {_ASIDE}.{table}")
    op.execute(f"DROP SCHEMA {_ASIDE}")


def _drop_views(tables: tuple[str, ...]) -> None:
    """Drop our views that stand on the tables; the files of sql/ make them anew.

    :raises StateError: one of the user's stands on them.
    """
    bind = op.get_bind()
    rows = bind.exec_driver_sql(
        "WITH RECURSIVE stand (oid, level) AS ("
        " SELECT unnest(%s::text[])::regclass::oid, 0"
        " UNION"
        " SELECT r.ev_class, s.level + 1 FROM stand s JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid"
        " = s.oid"
        "    AND d.classid = 'pg_rewrite'::regclass JOIN pg_rewrite r ON r.oid = d.objid AND r.ev_class <> s.oid)"
        " SELECT s.oid::regclass::text, max(s.level),"
        "        (SELECT o.file FROM stc_objects o WHERE o.creates = ARRAY['view ' || c.relname] AND c.relnamespace ="
        " 'public'::regnamespace)"
        "   FROM stand s JOIN pg_class c ON c.oid = s.oid WHERE s.level > 0 GROUP BY s.oid, c.relname, c.relnamespace ORDER"
        " BY 2 DESC",
        (list(tables),),
    ).fetchall()
    for view, _, file in rows:
        if file is None:
            raise StateError(
                f"{view} is a view of yours on a table that must change",
                hint="Drop it, upgrade, and make it again; nothing was changed.",
            )
    for view, _, file in rows:
        try:
            bind.exec_driver_sql(f"DROP VIEW {view}")
        except sa.exc.DBAPIError as error:
            if isinstance(error.orig, psycopg.errors.DependentObjectsStillExist):
                raise StateError(
                    f"something of yours depends on an object that must change: {error.orig.diag.message_detail}",
                    hint="Drop it, upgrade, and make it again; nothing was changed.",
                ) from error
            raise
        bind.exec_driver_sql("DELETE FROM stc_objects WHERE file = %s", (file,))


def _edition(table: str, **more: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["edition", "hidden"],
        ["qrels_editions.id", "qrels_editions.hidden"],
        name=op.f(f"{table}_edition_fkey"),
        onupdate="CASCADE",
        **more,  # type: ignore[arg-type]
    )


def _create() -> None:
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
        sa.Column("note", sa.Text(), nullable=True, comment="of the annotator"),
        _hidden("edition"),
        sa.CheckConstraint("origin IN ('human', 'llm', 'knn')", name=op.f("qrels_judgments_origin_check")),
        sa.ForeignKeyConstraint(["doc"], ["dblp.id"], name=op.f("qrels_judgments_doc_fkey")),
        _edition("qrels_judgments"),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("qrels_judgments_query_fkey")),
        sa.ForeignKeyConstraint(["source_doc"], ["dblp.id"], name=op.f("qrels_judgments_source_doc_fkey")),
        sa.PrimaryKeyConstraint("id", "hidden", name=op.f("qrels_judgments_pkey")),
        sa.UniqueConstraint("edition", "query", "doc", "origin", "annotator", "hidden", name="qrels_judgments_key"),
        comment="The judgments, append-only; the view qrels says what an edition says",
        postgresql_partition_by="LIST (hidden)",
    )
    op.create_table(
        "qrels_preferences",
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("annotator", sa.Text(collation="C"), nullable=False, comment="the judgment group"),
        sa.Column("subgroup", sa.Text(collation="C"), nullable=False, comment="documents are compared within one"),
        sa.Column("doc", sa.BigInteger(), nullable=False),
        sa.Column("rel", sa.Double(), nullable=False, comment="a document with a larger one is preferred"),
        _hidden("edition"),
        sa.ForeignKeyConstraint(["doc"], ["dblp.id"], name=op.f("qrels_preferences_doc_fkey")),
        _edition("qrels_preferences", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("qrels_preferences_query_fkey")),
        sa.PrimaryKeyConstraint("edition", "query", "annotator", "subgroup", "doc", "hidden", name=op.f("qrels_preferences_pkey")),
        comment="Preferences between documents, as trec_eval's prefs files hold them",
        postgresql_partition_by="LIST (hidden)",
    )
    op.create_table(
        "st1_scores",
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("measure", sa.Text(collation="C"), nullable=False, comment="by trec_eval's name"),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True, comment="the file they came in"),
        _hidden("edition"),
        _edition("st1_scores", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("st1_scores_query_fkey")),
        sa.ForeignKeyConstraint(["run"], ["st1_runs.id"], name=op.f("st1_scores_run_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("edition", "measure", "run", "query", "hidden", name=op.f("st1_scores_pkey")),
        comment="Scores computed by others, as trec_eval prints them: of systems whose runs are not here",
        postgresql_partition_by="LIST (hidden)",
    )
    op.create_index(op.f("st1_scores_run_idx"), "st1_scores", ["run"])
    op.create_table(
        "query_cuts",
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False, comment="unreasonable, few, many"),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("cut", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        _hidden("edition"),
        sa.CheckConstraint("reason IN ('unreasonable', 'few', 'many')", name=op.f("query_cuts_reason_check")),
        _edition("query_cuts", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("query_cuts_query_fkey")),
        sa.PrimaryKeyConstraint("edition", "query", "hidden", name=op.f("query_cuts_pkey")),
        comment="Queries that the assessors of an edition left out, and why",
        postgresql_partition_by="LIST (hidden)",
    )
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
        _hidden("set"),
        sa.CheckConstraint("relation IN ('support', 'neutral', 'oppose')", name=op.f("answer_pairs_relation_check")),
        sa.CheckConstraint("a < b", name=op.f("answer_pairs_order_check")),
        sa.CheckConstraint("label IN (0, 1)", name=op.f("answer_pairs_label_check")),
        sa.ForeignKeyConstraint(["a"], ["answers.id"], name=op.f("answer_pairs_a_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["b"], ["answers.id"], name=op.f("answer_pairs_b_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["query", "hidden"],
            ["answer_queries.id", "answer_queries.hidden"],
            name=op.f("answer_pairs_query_fkey"),
            ondelete="CASCADE",
            onupdate="CASCADE",
        ),
        sa.PrimaryKeyConstraint("a", "b", "hidden", name=op.f("answer_pairs_pkey")),
        comment="Labelled pairs of answers, each once: the relation has no direction",
        postgresql_partition_by="LIST (hidden)",
    )
    op.create_index(op.f("answer_pairs_b_idx"), "answer_pairs", ["b"], unique=False)
    op.create_index(op.f("answer_pairs_query_idx"), "answer_pairs", ["query"], unique=False)
    op.create_table(
        "answer_gold",
        sa.Column("document", sa.BigInteger(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        _hidden("set"),
        sa.ForeignKeyConstraint(["document"], ["answer_documents.id"], name=op.f("answer_gold_document_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["query", "hidden"],
            ["answer_queries.id", "answer_queries.hidden"],
            name=op.f("answer_gold_query_fkey"),
            ondelete="CASCADE",
            onupdate="CASCADE",
        ),
        sa.PrimaryKeyConstraint("document", "hidden", name=op.f("answer_gold_pkey")),
        comment="The documents behind the most endorsed answer of each query, as the data says",
        postgresql_partition_by="LIST (hidden)",
    )
    op.create_index(op.f("answer_gold_query_idx"), "answer_gold", ["query"], unique=False)


def _ask() -> None:
    op.create_table(
        "stc_members",
        sa.Column("member", sa.Text(collation="C"), nullable=False, comment="the role that logs in"),
        sa.Column("team", sa.Text(collation="C"), nullable=False, comment="whose runs are its own"),
        sa.Column("added", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("btrim(team) <> ''", name=op.f("stc_members_team_check")),
        sa.PrimaryKeyConstraint("member", name=op.f("stc_members_pkey")),
        comment="The participants and their teams",
    )
    op.create_table(
        "ask_allowances",
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("asks", sa.Integer(), nullable=False, comment="how often a team may ask"),
        sa.Column("measures", postgresql.ARRAY(sa.Text()), nullable=False, comment="whose means it is told"),
        sa.Column("allowed", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("asks >= 0", name=op.f("ask_allowances_asks_check")),
        sa.ForeignKeyConstraint(["edition"], ["qrels_editions.id"], name=op.f("ask_allowances_edition_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("edition", name=op.f("ask_allowances_pkey")),
        comment="Hidden editions on which teams may ask for the mean scores of their runs",
    )
    op.create_table(
        "ask_counts",
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("team", sa.Text(collation="C"), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=False, comment="how often it has"),
        sa.ForeignKeyConstraint(["edition"], ["qrels_editions.id"], name=op.f("ask_counts_edition_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("edition", "team", name=op.f("ask_counts_pkey")),
        comment="How often each team has asked on each hidden edition",
    )
    op.create_table(
        "ask_requests",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("team", sa.Text(collation="C"), nullable=False),
        sa.Column("member", sa.Text(collation="C"), nullable=False, comment="who asked"),
        sa.Column("run", sa.Text(collation="C"), nullable=False, comment="its name then"),
        sa.Column("run_id", sa.Integer(), nullable=True, comment="NULL: it is gone"),
        sa.Column("run_version", sa.BigInteger(), nullable=False, comment="of what it ranked then"),
        sa.Column("edition_version", sa.BigInteger(), nullable=False),
        sa.Column("measures", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("means", postgresql.ARRAY(sa.Double()), nullable=True, comment="rounded; as measures; NULL: not told yet"),
        sa.Column("xact", sa.BigInteger(), nullable=False, comment="the transaction that asked: a later one is told"),
        sa.Column("asked", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["edition"], ["qrels_editions.id"], name=op.f("ask_requests_edition_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["run_id"], ["st1_runs.id"], name=op.f("ask_requests_run_id_fkey"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("ask_requests_pkey")),
        comment="What teams asked on hidden editions, and what they are told",
    )
    op.create_index(op.f("ask_requests_edition_team_idx"), "ask_requests", ["edition", "team"], unique=False)
    op.create_index(op.f("ask_requests_run_id_idx"), "ask_requests", ["run_id"], unique=False)


def downgrade() -> None:
    raise NotImplementedError("restore a dump: a downgrade would show what is hidden")
