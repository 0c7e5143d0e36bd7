"""Ranked documents of runs are stored as lists: a row has up to 120 documents of a run and query.

stc.st1_rankings becomes a view with one row per document, as before. A row of the table took 158 bytes with its indexes, one of a
list takes 17, and storing a run takes a tenth of the time. Readers continue while the lists are made; writers wait.
"""

from __future__ import annotations

from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

# The table makes way for a view. Dropping its keys locks the tables that they refer to.
LOCKS = {
    **dict.fromkeys(("st1_rankings", "st1_runs", "st1_queries", "dblp"), "ACCESS EXCLUSIVE"),
    "stc_catalogue": "ROW EXCLUSIVE",
}
# Views that read the table are replaced. A reader of a view that waits for the table would hold the view.
LOCKS_VIEWS = True

# The other columns of a row leave 2,004 bytes, and PostgreSQL compresses or moves larger rows.
LENGTH = 120

# Arrays of numbers stay in the row, and need no statistics. Errors name the column of st1_rankings.
TABLE = """
CREATE TABLE public.ranked_lists_0041 (
    run integer CONSTRAINT ranked_lists_run_not_null NOT NULL,
    query integer CONSTRAINT ranked_lists_query_not_null NOT NULL,
    first integer CONSTRAINT ranked_lists_first_not_null NOT NULL,
    docs bigint[] CONSTRAINT ranked_lists_docs_not_null NOT NULL,
    rel_scores double precision[] CONSTRAINT ranked_lists_rel_scores_not_null NOT NULL,
    comb_scores double precision[],
    file_ranks integer[],
    passages text[],
    CONSTRAINT ranked_lists_first_check CHECK (first >= 1),
    CONSTRAINT ranked_lists_docs_check CHECK (cardinality(docs) BETWEEN 1 AND <LENGTH>
        AND array_dims(docs) = '[1:' || cardinality(docs) || ']' AND array_position(docs, NULL) IS NULL),
    CONSTRAINT ranked_lists_rel_scores_check CHECK (array_dims(rel_scores) = array_dims(docs)
        AND array_position(rel_scores, NULL) IS NULL),
    CONSTRAINT ranked_lists_comb_scores_check CHECK (array_dims(comb_scores) = array_dims(docs)),
    CONSTRAINT ranked_lists_file_ranks_check CHECK (cardinality(file_ranks) = 0 OR array_dims(file_ranks) = array_dims(docs)),
    CONSTRAINT ranked_lists_passages_check CHECK (array_dims(passages) = array_dims(docs)),
    CONSTRAINT st1_rankings_rel_score_finite_check CHECK (
        ('NaN' = ANY (rel_scores) OR 'Infinity' = ANY (rel_scores) OR '-Infinity' = ANY (rel_scores)) IS NOT TRUE),
    CONSTRAINT st1_rankings_comb_score_finite_check CHECK (
        ('NaN' = ANY (comb_scores) OR 'Infinity' = ANY (comb_scores) OR '-Infinity' = ANY (comb_scores)) IS NOT TRUE),
    CONSTRAINT st1_rankings_passage_size_check CHECK (octet_length(array_to_string(passages, '')) <= 16777216));
ALTER TABLE public.ranked_lists_0041
    ALTER docs SET STORAGE PLAIN, ALTER rel_scores SET STORAGE PLAIN, ALTER comb_scores SET STORAGE PLAIN,
    ALTER file_ranks SET STORAGE PLAIN, ALTER docs SET STATISTICS 0, ALTER rel_scores SET STATISTICS 0,
    ALTER comb_scores SET STATISTICS 0, ALTER file_ranks SET STATISTICS 0, ALTER passages SET STATISTICS 0;
"""

# Make the lists before tables are locked against readers. Version 0.2 refused rankings with gaps or with scores that contradict the
# ranks, but not to delete rows of a ranking: such rankings are ranked again by trec_eval 9's rule.
PACK = """
DO $$
DECLARE
    messages CONSTANT text := current_setting('client_min_messages');
    rows CONSTANT regclass := coalesce(to_regclass('stc.st1_rankings'), to_regclass('public.st1_rankings'));
    one record;
BEGIN
    IF to_regclass('public.ranked_lists_0041') IS NOT NULL THEN  -- made before
        RETURN;
    END IF;
    EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', rows);
    PERFORM set_config('client_min_messages', 'error', true);  -- Citus warns that the view is on one server
    EXECUTE format($sound$
        CREATE VIEW public.ranked_0041 AS
        SELECT k.*, lag(k.rank, 1, 0) OVER ranked AS before, lag(k.single) OVER ranked AS single_before
          FROM (SELECT r.run, r.query, r.doc, r.rank, r.file_rank, r.rel_score, r.comb_score, r.passage,
                       CASE WHEN abs(r.rel_score) < 1e-37 THEN 0
                            ELSE greatest(least(r.rel_score, 3.4e38), -3.4e38) END::real AS single
                  FROM %s r) k
        WINDOW ranked AS (PARTITION BY k.run, k.query ORDER BY k.rank)$sound$, rows);
    PERFORM set_config('client_min_messages', messages, true);
    CREATE TABLE public.repaired_0041 AS
    SELECT k.run, k.query FROM public.ranked_0041 k WHERE k.rank <> k.before + 1 OR k.single > k.single_before
     GROUP BY k.run, k.query;
    FOR one IN SELECT n.run, count(*) AS queries FROM public.repaired_0041 p JOIN public.st1_runs n ON n.id = p.run
                GROUP BY n.run ORDER BY n.run LOOP
        RAISE WARNING 'run %: the ranks of % queries had gaps or contradicted the scores, and were computed again from the scores',
                      quote_literal(one.run), one.queries;
    END LOOP;
    <TABLE>
    INSERT INTO public.ranked_lists_0041 (run, query, first, docs, rel_scores, comb_scores, file_ranks, passages)
    SELECT r.run, r.query, min(r.rank) AS first, array_agg(r.doc ORDER BY r.rank) AS docs,
           array_agg(r.rel_score ORDER BY r.rank) AS rel_scores,
           CASE WHEN count(r.comb_score) > 0 THEN array_agg(r.comb_score ORDER BY r.rank) END AS comb_scores,
           CASE WHEN count(r.file_rank) > 0 AND bool_and(r.file_rank IS NOT DISTINCT FROM r.rank) THEN '{}'
                WHEN count(r.file_rank) > 0 THEN array_agg(r.file_rank ORDER BY r.rank) END AS file_ranks,
           CASE WHEN count(r.passage) > 0 THEN array_agg(r.passage ORDER BY r.rank) END AS passages
      FROM (SELECT k.run, k.query, k.doc, k.rank, k.file_rank, k.rel_score, k.comb_score, k.passage FROM public.ranked_0041 k
             WHERE NOT EXISTS (SELECT FROM public.repaired_0041 p WHERE (p.run, p.query) = (k.run, k.query))
             UNION ALL
            SELECT k.run, k.query, k.doc,
                   row_number() OVER (PARTITION BY k.run, k.query
                                      ORDER BY k.single DESC, d.docno COLLATE "C" DESC NULLS LAST)::integer,
                   k.file_rank, k.rel_score, k.comb_score, k.passage
              FROM public.ranked_0041 k JOIN public.repaired_0041 p ON (p.run, p.query) = (k.run, k.query)
              LEFT JOIN public.dblp d ON d.id = k.doc) r
     GROUP BY r.run, r.query, (r.rank - 1) / <LENGTH> ORDER BY 1, 2, 3;
    ALTER TABLE public.ranked_lists_0041 ADD CONSTRAINT ranked_lists_pkey PRIMARY KEY (run, query, first);
    CREATE INDEX ranked_lists_query_idx ON public.ranked_lists_0041 (query, run);
    DROP VIEW public.ranked_0041;
    DROP TABLE public.repaired_0041;
END $$
""".replace("<TABLE>", TABLE).replace("<LENGTH>", str(LENGTH))
EARLY = (PACK,)

ROWS = """
CREATE VIEW stc.st1_rankings WITH (security_invoker = true) AS
SELECT l.run, l.query, u.doc, l.first - 1 + u.place AS rank,
       CASE WHEN cardinality(l.file_ranks) = 0 THEN l.first - 1 + u.place ELSE l.file_ranks[u.place] END AS file_rank,
       l.rel_scores[u.place] AS rel_score, l.comb_scores[u.place] AS comb_score, l.passages[u.place] AS passage, l.first
  FROM stc.ranked_lists l
 CROSS JOIN LATERAL (SELECT unnest(l.docs) AS doc, generate_series(1, cardinality(l.docs)) AS place) u
"""

# The table makes way for the view. Views of anybody that read the table read the view from now on.
SWAP = """
DO $$
DECLARE
    path CONSTANT text := current_setting('search_path');
    messages CONSTANT text := current_setting('client_min_messages');
    readers CONSTANT text[] := ARRAY(
        SELECT format('CREATE OR REPLACE VIEW %I.%I %s AS %s', c.relnamespace::regnamespace, c.relname,
                      'WITH (' || array_to_string(c.reloptions, ', ') || ')', pg_get_viewdef(c.oid))
          FROM pg_class c
         WHERE c.relkind = 'v'
           AND c.oid IN (SELECT r.ev_class FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
                          WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass
                            AND d.refobjid = 'stc.st1_rankings'::regclass));
    statement text;
BEGIN
    ALTER TABLE stc.st1_rankings RENAME TO st1_rankings_0040;
    PERFORM set_config('client_min_messages', 'error', true);  -- as above
    EXECUTE $view$<ROWS>$view$;
    PERFORM set_config('client_min_messages', messages, true);
    PERFORM set_config('search_path', 'stc, public, pg_temp', true);
    FOREACH statement IN ARRAY readers LOOP
        EXECUTE statement;
    END LOOP;
    PERFORM set_config('search_path', path, true);
END $$
""".replace("<ROWS>", ROWS)


def upgrade() -> None:
    op.execute(PACK)
    op.execute("-- squawk-ignore ban-set-schema\nALTER TABLE public.ranked_lists_0041 SET SCHEMA stc")
    op.execute("-- squawk-ignore renaming-table\nALTER TABLE stc.ranked_lists_0041 RENAME TO ranked_lists")
    op.execute(
        "-- squawk-ignore adding-foreign-key-constraint, constraint-missing-not-valid\n"
        "ALTER TABLE stc.ranked_lists"
        " ADD CONSTRAINT ranked_lists_query_fkey FOREIGN KEY (query) REFERENCES stc.st1_queries (id),"
        " ADD CONSTRAINT ranked_lists_run_fkey FOREIGN KEY (run) REFERENCES public.st1_runs (id) ON DELETE CASCADE"
    )
    # If the collection is distributed, the catalogue has the keys of the table.
    op.execute("DELETE FROM public.stc_catalogue WHERE kind = 'constraint' AND name ~ ' on (stc\\.|public\\.)?st1_rankings$'")
    op.execute(SWAP)
    op.execute("-- squawk-ignore ban-drop-table\nDROP TABLE stc.st1_rankings_0040")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
