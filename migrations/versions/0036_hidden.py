"""Rows of hidden editions and data sets move to the schema stc_all, which only organisers may use.

The names that everybody knows (public.qrels_judgments, stc.answer_gold …) are now the partitions with visible rows. The partitioned
tables with all rows have the same names in stc_all. Functions search stc_all first; PostgreSQL skips it for roles without USAGE.
qrels_editions is not partitioned, because its names are unique: public.qrels_editions is a copy of the visible rows.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import context, op
from sqlalchemy.dialects import postgresql

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

PUBLIC = ("qrels_judgments", "qrels_preferences", "qrels_subtopics", "st1_scores")
INTERNAL = ("query_cuts", "answer_pairs", "answer_gold")
# Members have no right on these tables. PostgreSQL plans a statement before it checks rights, and reads the ends of an index for
# the plan; it checks the right on the schema before.
CLOSED = (
    "qrels_pools", "qrels_pool_documents", "qrels_assessments", "qrels_comparisons", "qrels_decisions", "llm_prompts", "llm_judges",
    "llm_answers", "run_receipts", "annotators", "annotations", "synth_studies", "synth_passages", "synth_candidates",
    "synth_subtopics", "answer_rejects", "judged_runs", "judged_queries", "judged_rankings", "judged_scores", "ask_rankings",
    "stc_settings",
)  # fmt: skip
# Tables of studies, which a new collection does not have yet.
OF_STUDIES = {
    "answer_gold", "answer_pairs", "answer_rejects", "synth_candidates", "synth_passages", "synth_studies", "synth_subtopics",
}  # fmt: skip
VIEWS_OF_CLOSED = ("annotation_overview", "annotation_sheets", "answer_ledger", "pool_overview")
RENAMED = """
UPDATE public.stc_objects SET creates = ARRAY[replace(creates[1], 'view stc.', 'view stc_all.')],
       signatures = ARRAY[replace(signatures[1], 'view stc.', 'view stc_all.')], fingerprint = ''
 WHERE creates[1] = ANY ('{<VIEWS>}')
"""

# Dropping a table locks those it refers to; creating a foreign key locks them too.
LOCKS = {
    **dict.fromkeys((*PUBLIC, *INTERNAL, *CLOSED, "qrels_editions", "qrels_files"), "ACCESS EXCLUSIVE"),
    "stc_objects": "ROW EXCLUSIVE",
}
LOCKS_VIEWS = True

# Our views stay, and read the visible rows from now on. Views of others are left alone: those of organisers read all rows, those
# of members nothing.
VIEWS = """
DO $$
DECLARE
    path CONSTANT text := current_setting('search_path');
    messages CONSTANT text := current_setting('client_min_messages');
    before CONSTANT text[] := ARRAY(SELECT format('CREATE OR REPLACE VIEW %I.%I WITH (%s) AS %s',
                                                  c.relnamespace::regnamespace, c.relname,
                                                  array_to_string(c.reloptions, ', '), pg_get_viewdef(c.oid))
                                      FROM pg_class c
                                     WHERE c.oid IN (SELECT r.ev_class FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
                                                      WHERE d.classid = 'pg_rewrite'::regclass
                                                        AND d.refclassid = 'pg_class'::regclass
                                                        AND d.refobjid = ANY ('<TABLES>'::regclass[]))
                                       AND EXISTS (SELECT FROM public.stc_objects o
                                                    WHERE format('view %s.%s', c.relnamespace::regnamespace, c.relname)
                                                          = ANY (o.creates)));
    statement text;
    one record;
BEGIN
    FOR one IN
        SELECT DISTINCT c.oid::regclass AS named, c.relowner::regrole AS owner
          FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid JOIN pg_class c ON c.oid = r.ev_class
         WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass
           AND d.refobjid = ANY ('<TABLES>'::regclass[])
           AND NOT EXISTS (SELECT FROM public.stc_objects o
                            WHERE format('view %s.%s', c.relnamespace::regnamespace, c.relname) = ANY (o.creates))
    LOOP
        RAISE WARNING 'the view % of % reads tables that only organisers may read from now on; create it again', one.named,
                      one.owner;
    END LOOP;
<MOVES>
    -- Citus warns that the workers get no view that reads tables of the coordinator.
    PERFORM set_config('search_path', 'stc, public, pg_temp', true), set_config('client_min_messages', 'error', true);
    FOREACH statement IN ARRAY before LOOP
        EXECUTE statement;
    END LOOP;
    PERFORM set_config('search_path', path, true), set_config('client_min_messages', messages, true);
END $$
"""

# The indexes of visible rows, named as those that a collection of this version gets.
INDEXES = """
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT i.indexrelid::regclass AS named, replace(x.relname, c.relname || '_open_', c.relname || '_') AS name
          FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_class c ON c.oid = i.indrelid
         WHERE starts_with(x.relname, c.relname || '_open_') AND c.relispartition
           AND c.relnamespace IN ('public'::regnamespace, 'stc'::regnamespace)
    LOOP
        EXECUTE format('ALTER INDEX %s RENAME TO %I', one.named, one.name);
    END LOOP;
END $$
"""

# On several servers, these keys are only recorded ('stc db undistribute' creates them from there); others are recorded again.
RECORDED_KEYS = """
DO $$
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NULL THEN
        RETURN;
    END IF;
    UPDATE public.stc_catalogue s SET name = regexp_replace(s.name, ' on (\\w+)$', ' on stc_all.\\1')
     WHERE s.kind = 'constraint' AND s.definition LIKE 'FOREIGN KEY%' AND s.name ~ ' on (<TABLES>)(_hidden)?$';
    UPDATE public.stc_catalogue s SET name = regexp_replace(s.name, '_open$', '')
     WHERE s.kind = 'constraint' AND s.definition LIKE 'FOREIGN KEY%' AND s.name ~ ' on (<TABLES>)_open$';
END $$
"""


def _moves(table: str, schema: str) -> str:
    return f"""
    ALTER TABLE {schema}.{table} SET SCHEMA stc_all;
    ALTER TABLE stc_all.{table} DISABLE ROW LEVEL SECURITY;
    DROP POLICY IF EXISTS see_open ON stc_all.{table};
    DROP POLICY IF EXISTS organise ON stc_all.{table};
    ALTER TABLE stc.{table}_hidden SET SCHEMA stc_all;
    ALTER TABLE stc.{table}_open SET SCHEMA {schema};
    ALTER TABLE {schema}.{table}_open RENAME TO {table};"""


def upgrade() -> None:
    op.execute("CREATE SCHEMA stc_all")
    absent = OF_STUDIES if context.config.attributes.get("fresh") else set()
    tables = [(table, "public") for table in PUBLIC] + [(table, "stc") for table in INTERNAL if table not in absent]
    _requests()
    for table in (table for table in CLOSED if table not in absent):
        op.execute(f"-- squawk-ignore ban-set-schema\nALTER TABLE stc.{table} SET SCHEMA stc_all")
    for view in VIEWS_OF_CLOSED:  # not dropped, since others may have views on them
        op.execute(f"-- squawk-ignore ban-set-schema\nALTER VIEW IF EXISTS stc.{view} SET SCHEMA stc_all")
    op.execute(RENAMED.replace("<VIEWS>", ",".join(f"view stc.{view}" for view in VIEWS_OF_CLOSED)))
    _files()
    moves = [
        *(_moves(table, schema) for table, schema in tables),
        # sql/qrels/qrels_append_only.sql creates it with another name: two triggers of one name on tables of one name
        "    DROP TRIGGER IF EXISTS qrels_no_truncate ON public.qrels_judgments;",
        _EDITIONS,
        "    ALTER TABLE stc.qrels_files RENAME TO qrels_files_0035;\n    ALTER TABLE stc_all.qrels_files_open SET SCHEMA stc;\n"
        "    ALTER TABLE stc.qrels_files_open RENAME TO qrels_files;",
    ]
    named = [f"{schema}.{table}" for table, schema in tables] + ["public.qrels_editions", "stc.qrels_files"]
    op.execute(VIEWS.replace("<TABLES>", "{" + ",".join(named) + "}").replace("<MOVES>", "\n".join(moves)))
    op.execute("-- squawk-ignore ban-drop-table\nDROP TABLE stc.qrels_files_0035")
    op.execute(INDEXES)
    op.execute(RECORDED_KEYS.replace("<TABLES>", "|".join((*PUBLIC, *INTERNAL, *CLOSED))))


_EDITIONS = """
    ALTER TABLE public.qrels_editions SET SCHEMA stc_all;
    ALTER TABLE stc_all.qrels_editions DISABLE ROW LEVEL SECURITY;
    DROP POLICY IF EXISTS see_open ON stc_all.qrels_editions;
    DROP POLICY IF EXISTS organise ON stc_all.qrels_editions;
    CREATE TABLE public.qrels_editions (LIKE stc_all.qrels_editions INCLUDING COMMENTS,
        CONSTRAINT qrels_editions_visible_pkey PRIMARY KEY (id),
        CONSTRAINT qrels_editions_visible_edition_key UNIQUE (edition),
        CONSTRAINT qrels_editions_visible_check CHECK (NOT hidden));
    INSERT INTO public.qrels_editions SELECT * FROM stc_all.qrels_editions WHERE NOT hidden;
    INSERT INTO stc.hidden_names SELECT id, edition FROM stc_all.qrels_editions WHERE hidden;
"""


def _requests() -> None:
    """Tables whose rows a trigger carries out, for row policies that see the role that inserts; and names of hidden editions."""
    op.create_table(
        "removals",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("kind IN ('run', 'unfinished', 'edition', 'file')", name=op.f("removals_kind_check")),
        schema="stc",
    )
    op.create_table(
        "hidden_names",
        sa.Column("id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("edition", sa.Text(collation="C"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("hidden_names_pkey")),
        schema="stc",
    )
    op.create_table(
        "ask_calls",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("team", sa.Text(collation="C"), nullable=False),
        sa.Column("member", sa.Text(collation="C"), nullable=False),
        sa.Column("run", sa.Text(collation="C"), nullable=True),
        sa.Column("edition", sa.Text(collation="C"), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("ask_calls_pkey")),
        schema="stc",
    )


def _files() -> None:
    """Partition the files of judgments by hidden; there is a row for each imported file."""
    op.create_table(
        "qrels_files",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=True),
        sa.Column("judgments", sa.BigInteger(), nullable=False),
        sa.Column("added", sa.BigInteger(), nullable=False),
        sa.Column("imported", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("rows", postgresql.ARRAY(sa.BigInteger()), nullable=True),
        sa.Column("hidden", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(
            ["edition", "hidden"],
            ["public.qrels_editions.id", "public.qrels_editions.hidden"],
            name=op.f("qrels_files_edition_fkey"),
            ondelete="CASCADE",
            onupdate="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", "hidden", name=op.f("qrels_files_pkey")),
        postgresql_partition_by="LIST (hidden)",
        schema="stc_all",
    )
    op.create_index(op.f("qrels_files_edition_idx"), "qrels_files", ["edition"], schema="stc_all")
    for partition, value in (("open", "false"), ("hidden", "true")):
        op.execute(f"CREATE TABLE stc_all.qrels_files_{partition} PARTITION OF stc_all.qrels_files FOR VALUES IN ({value})")
    op.execute(
        "INSERT INTO stc_all.qrels_files (id, edition, path, sha256, judgments, added, imported, rows, hidden)"
        " OVERRIDING SYSTEM VALUE"
        " SELECT f.id, f.edition, f.path, f.sha256, f.judgments, f.added, f.imported, f.rows, e.hidden"
        "   FROM stc.qrels_files f JOIN public.qrels_editions e ON e.id = f.edition"
    )
    op.execute("SELECT setval('stc_all.qrels_files_id_seq', last_value, is_called) FROM stc.qrels_files_id_seq")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
