"""Requests for scores on hidden editions; rights by column; stored judgments apart from runs; sizes.

The upgrade adds the checks of sizes after its transaction (stcollection/db/online.py).
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import context, op
from sqlalchemy.dialects import postgresql

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

# Move sequences past ids that were stored by hand (INSERT … OVERRIDING SYSTEM VALUE), so that new rows get ids again.
# A row whose id is in the upper half of the column's range stays where it is, and its sequence stays below. Warnings become
# notes of the upgrade.
MOVE_SEQUENCES = """
DO $$
DECLARE
    one record;
    largest bigint;
    beyond bigint;
BEGIN
    FOR one IN
        SELECT c.oid::regclass AS relation, a.attname, pg_get_serial_sequence(c.oid::regclass::text, a.attname) AS sequence,
               CASE a.atttypid WHEN 'integer'::regtype THEN 1 << 30 ELSE 1::bigint << 62 END AS half
          FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
         WHERE a.attidentity <> '' AND c.relnamespace = 'public'::regnamespace AND NOT c.relispartition
           AND c.relname = ANY ('{
               answer_documents, answer_files, answer_models, answer_queries, answer_rejects, answer_runs, answer_sets, answers,
               ask_requests, complexity_resources, corpus_files, coverages, dblp_passages, llm_answers, llm_judges, llm_prompts,
               qrels_editions, qrels_files, qrels_judgments, qrels_pools, run_receipts, st1_queries, st1_runs, st1_topics,
               synth_candidates, synth_studies}')
         ORDER BY 1
    LOOP
        -- Two scans of the primary key, not one of the table.
        EXECUTE format('SELECT (SELECT max(%1$I) FROM %2$s WHERE %1$I < $1), (SELECT count(*) FROM %2$s WHERE %1$I >= $1)',
                       one.attname, one.relation) INTO largest, beyond USING one.half;
        IF largest > coalesce((SELECT s.last_value FROM pg_sequences s
                                WHERE format('%I.%I', s.schemaname, s.sequencename)::regclass = one.sequence::regclass), 0)
        THEN
            PERFORM setval(one.sequence, largest);
        END IF;
        IF beyond > 0 THEN
            RAISE WARNING '% rows of % have an id of % or more, stored by hand; export, remove and import them', beyond,
                          one.relation, one.half;
        END IF;
    END LOOP;
END $$
"""


# Dropping a foreign key locks the table that it refers to.
LOCKS = {"st1_runs": "ACCESS EXCLUSIVE"}


def upgrade() -> None:
    _requests()
    _models()
    # Whoever drops a run no longer deletes rows that tell of hidden judgments: judge_runs does.
    op.execute("-- squawk-ignore ban-drop-constraint\nALTER TABLE judged_runs DROP CONSTRAINT judged_runs_run_fkey")
    op.alter_column("judged_runs", "run", comment="st1_runs.id; judge_runs removes dropped ones")
    op.execute(MOVE_SEQUENCES)


def _requests() -> None:
    """Make the table of copies. A request without a result has no copy to score: it is closed, and not counted."""
    op.execute(
        "UPDATE ask_counts c SET asked = greatest(c.asked - r.pending, 0)"
        "  FROM (SELECT edition, team, count(*) AS pending FROM ask_requests WHERE means IS NULL GROUP BY edition, team) r"
        " WHERE c.edition = r.edition AND c.team = r.team"
    )
    op.execute("UPDATE ask_requests SET measures = '{}', means = '{}' WHERE means IS NULL")
    op.drop_index("ask_requests_run_id_idx", "ask_requests")
    for column in ("run_id", "run_version"):
        op.execute(f"-- squawk-ignore ban-drop-column\nALTER TABLE ask_requests DROP COLUMN {column}")
    op.add_column(
        "ask_requests",
        sa.Column("digest", sa.LargeBinary(), nullable=True, comment="SHA-256 of the copy; NULL: of a version without copies"),
    )
    op.add_column(
        "ask_requests",
        sa.Column("scored", sa.BigInteger(), nullable=True, comment="the transaction that scored: a later one reads"),
    )
    op.alter_column("ask_requests", "means", comment="rounded; as measures; NULL: not scored yet")
    op.alter_column("ask_requests", "xact", comment="the transaction that asked: a later one scores")
    op.create_table_comment("ask_requests", "Score requests of teams on hidden editions, and their results")
    op.create_table(
        "ask_rankings",
        sa.Column("request", sa.BigInteger(), nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("docs", postgresql.ARRAY(sa.BigInteger()), nullable=False, comment="dblp.id, best first"),
        sa.ForeignKeyConstraint(["query"], ["st1_queries.id"], name=op.f("ask_rankings_query_fkey"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["request"], ["ask_requests.id"], name=op.f("ask_rankings_request_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("request", "query", name=op.f("ask_rankings_pkey")),
        comment="The copies of runs that score requests are about",
    )
    op.create_index(op.f("ask_rankings_query_idx"), "ask_rankings", ["query"], unique=False)


def _models() -> None:
    """Tie the table of a model's vectors to its name. A row that names another table names none of ours: it is removed."""
    ours = "CASE model WHEN 'minilm' THEN 'dblp_v' ELSE 'dblp_v_' || model END"
    rule = f"model ~ '^[a-z0-9][a-z0-9_]{{0,39}}$' AND relation = {ours}"
    op.execute(
        f"UPDATE vector_models SET relation = {ours} WHERE relation <> {ours}"  # noqa: S608  (constants)
        f" AND model ~ '^[a-z0-9][a-z0-9_]{{0,39}}$' AND to_regclass('public.' || {ours}) IS NOT NULL"
    )
    foreign = f"SELECT concat(model, ', table ', relation) FROM vector_models WHERE NOT ({rule}) ORDER BY 1"  # noqa: S608
    if not context.is_offline_mode():
        for (one,) in op.get_bind().exec_driver_sql(foreign):
            _repaired(f"model {one}: not one of this collection, removed from the list")
    op.execute(f"DELETE FROM vector_models WHERE NOT ({rule})")  # noqa: S608
    op.execute(  # a model is a row
        "-- squawk-ignore constraint-missing-not-valid\n"
        f"ALTER TABLE vector_models ADD CONSTRAINT vector_models_relation_check CHECK ({rule})"
    )


def _repaired(text: str) -> None:
    context.config.attributes.setdefault("repairs", []).append(text)


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
