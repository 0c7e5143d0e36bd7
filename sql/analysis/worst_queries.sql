-- worst_queries: the queries of an edition on which a run scores lowest, with what it misses; lowest value first.
--
--   value     of the measure
--   best, best_run  the highest value of the other runs, and the first run by name that has it
--   margins   {"run": its value - value} of the other runs
--   judged    share of the run's first k documents that are judged; of all its documents if it ranks fewer
--   missed    docno of the best relevant document that is not among its first k: highest grade first, then the one that
--             another run ranks highest, then by docno. NULL if none is missed
--   missed_title, missed_rel  title and grade; missed_rank  its rank in the run, NULL if it is not ranked
--   missed_elsewhere, missed_run  its best rank in the other runs, and the first run by name that has it there
--
--   runs       the other runs by name; an empty array means all
--   n          number of queries
--   k          number of documents of a ranking that count as found
--   query_set  only the queries of a set (function query_set)
--
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query or set, IR108 no such measure, IR201 n or k
-- below 1, IR202 no query of the set is judged.
CREATE OR REPLACE FUNCTION worst_queries(
    run text, edition text, measure text DEFAULT 'nDCG@10', n integer DEFAULT 10, runs text[] DEFAULT '{}',
    k integer DEFAULT 10, query_set text DEFAULT 'all'
)
RETURNS TABLE (
    query text, text text, value double precision, best double precision, best_run text, margins jsonb,
    judged double precision, missed text, missed_title text, missed_rel integer, missed_rank integer,
    missed_elsewhere integer, missed_run text
)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    own CONSTANT integer := (run_keys(ARRAY[worst_queries.run]))[1];
    others CONSTANT integer[] := array_remove(run_keys(worst_queries.runs), own);
    edition_id CONSTANT integer := edition_key(worst_queries.edition);
BEGIN
    IF least(worst_queries.n, worst_queries.k) < 1 OR worst_queries.n IS NULL OR worst_queries.k IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('n is %s, k is %s', coalesce(worst_queries.n::text, 'NULL'),
                             coalesce(worst_queries.k::text, 'NULL')),
            HINT = 'n is the number of queries, k the number of documents of a ranking; both must be 1 or more.';
    END IF;
    RETURN QUERY
    WITH grid AS MATERIALIZED (
        SELECT g.run, g.query, g.value
          FROM score_grid(ARRAY(SELECT r.run FROM st1_runs r WHERE r.id = ANY (others || own)),
                          worst_queries.edition, worst_queries.measure, query_set => worst_queries.query_set) g),
    worst AS MATERIALIZED (
        SELECT q.id, g.query, q.text, g.value FROM grid g JOIN st1_queries q ON q.query = g.query
         WHERE g.run = worst_queries.run ORDER BY g.value, g.query COLLATE "C" LIMIT worst_queries.n)
    SELECT w.query, w.text, w.value, m.best, m.best_run, coalesce(m.margins, '{}'),
           coalesce(f.judged, 0), d.docno, x.title, d.rel, d.rank, d.elsewhere, d.elsewhere_run
      FROM worst w
     CROSS JOIN LATERAL (
           SELECT max(g.value) AS best,
                  (array_agg(g.run ORDER BY g.value DESC, g.run COLLATE "C"))[1] AS best_run,
                  jsonb_object_agg(g.run, round((g.value - w.value)::numeric, 12)::double precision) AS margins
             FROM grid g WHERE g.query = w.query AND g.run <> worst_queries.run) m
     CROSS JOIN LATERAL (
           SELECT count(j.doc)::double precision / nullif(count(*), 0) AS judged
             FROM st1_rankings k
             LEFT JOIN qrels j ON j.edition = edition_id AND j.query = k.query AND j.doc = k.doc AND j.rel >= 0
            WHERE k.run = own AND k.query = w.id AND k.first <= worst_queries.k AND k.rank <= worst_queries.k) f
      LEFT JOIN LATERAL (
           SELECT n.docno, j.doc, j.rel::integer AS rel, k.rank, e.rank AS elsewhere, e.run AS elsewhere_run
             FROM qrels j
             JOIN dblp n ON n.id = j.doc
             LEFT JOIN st1_rankings k ON k.run = own AND k.query = w.id AND k.doc = j.doc
             LEFT JOIN LATERAL (
                  SELECT o.rank, r.run FROM st1_rankings o JOIN st1_runs r ON r.id = o.run
                   WHERE o.query = w.id AND o.run = ANY (others) AND o.doc = j.doc
                   ORDER BY o.rank, r.run COLLATE "C" LIMIT 1) e ON true
            WHERE j.edition = edition_id AND j.query = w.id AND j.rel > 0
              AND (k.rank IS NULL OR k.rank > worst_queries.k)
            ORDER BY j.rel DESC, e.rank NULLS LAST, n.docno COLLATE "C" LIMIT 1) d ON true
      LEFT JOIN dblp_text x ON x.id = d.doc
     ORDER BY w.value, w.query COLLATE "C";
END
$$;
COMMENT ON FUNCTION worst_queries(text, text, text, integer, text[], integer, text) IS
    'Queries of an edition on which a run scores lowest, with margins to other runs and the best document missed';
