-- pool_assessors: progress of each annotator of a pool, one row per annotator with a decision or with a share of the
-- pool.
--
--   documents        documents on the annotator's sheet
--   judged, undecided, skipped, submitted, notes
--                    documents with a grade; that the annotator cannot decide; that come back; with a submitted grade;
--                    with a note
--   median_seconds, mean_seconds
--                    time of a decision, from the documents for which it was measured; NULL if there are none
--   first_decision, last_decision
--                    of the stored decisions
--
-- Final grades of adjudicators do not count. query_set: count only queries of a set (query_set).
-- Raises IR103 the set names no query, IR110 no such pool.
CREATE OR REPLACE FUNCTION pool_assessors(pool text, query_set text DEFAULT 'all')
RETURNS TABLE (annotator text, documents bigint, judged bigint, undecided bigint, skipped bigint, submitted bigint,
               notes bigint, median_seconds double precision, mean_seconds double precision,
               first_decision timestamptz, last_decision timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(pool_assessors.pool);
    people text[] := ARRAY(SELECT jsonb_array_elements_text(p.params #> '{shares,annotators}')
                             FROM qrels_pools p WHERE p.id = pool_id);
    chosen integer[] := query_set_ids(pool_assessors.query_set);
    size bigint := (SELECT count(*) FROM qrels_pool_documents d
                     WHERE d.pool = pool_id AND d.query IN (SELECT unnest(chosen)));
BEGIN
    RETURN QUERY
    WITH decided AS (
        SELECT a.annotator, count(a.rel) AS judged, count(*) FILTER (WHERE a.undecided) AS undecided,
               count(*) FILTER (WHERE a.rel IS NULL AND NOT a.undecided) AS skipped, count(a.submitted) AS submitted,
               count(a.note) AS notes,
               percentile_cont(0.5) WITHIN GROUP (ORDER BY a.seconds) AS median, avg(a.seconds) AS mean,
               min(a.changed) AS earliest, max(a.changed) AS latest
          FROM qrels_assessments a WHERE a.pool = pool_id AND NOT a.final AND a.query IN (SELECT unnest(chosen))
         GROUP BY a.annotator)
    SELECT coalesce(d.annotator, u.name),
           CASE WHEN u.name IS NULL THEN size
                ELSE (SELECT count(*) FROM share_documents(pool_assessors.pool, u.name) s
                       WHERE s.query IN (SELECT unnest(chosen))) END,
           coalesce(d.judged, 0), coalesce(d.undecided, 0), coalesce(d.skipped, 0), coalesce(d.submitted, 0),
           coalesce(d.notes, 0), d.median, d.mean, d.earliest, d.latest
      FROM decided d FULL JOIN unnest(people) AS u (name) ON u.name = d.annotator
     ORDER BY coalesce(d.annotator, u.name) COLLATE "C";
END
$$;
COMMENT ON FUNCTION pool_assessors(text, text) IS
    'Progress of each annotator of a pool: documents, judged, undecided, skipped, notes, seconds per decision, and '
    'times; NULL if there are none';
