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
-- Final grades of adjudicators do not count. Raises IR110 no such pool.
CREATE OR REPLACE FUNCTION pool_assessors(pool text)
RETURNS TABLE (annotator text, documents bigint, judged bigint, undecided bigint, skipped bigint, submitted bigint,
               notes bigint, median_seconds double precision, mean_seconds double precision,
               first_decision timestamptz, last_decision timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(pool_assessors.pool);
    people text[] := ARRAY(SELECT jsonb_array_elements_text(p.params #> '{shares,annotators}')
                             FROM qrels_pools p WHERE p.id = pool_id);
    size bigint := (SELECT count(*) FROM qrels_pool_documents d WHERE d.pool = pool_id);
BEGIN
    RETURN QUERY
    WITH decided AS (
        SELECT a.annotator, count(a.rel) AS judged, count(*) FILTER (WHERE a.undecided) AS undecided,
               count(*) FILTER (WHERE a.rel IS NULL AND NOT a.undecided) AS skipped, count(a.submitted) AS submitted,
               count(a.note) AS notes,
               percentile_cont(0.5) WITHIN GROUP (ORDER BY a.seconds) AS median, avg(a.seconds) AS mean,
               min(a.changed) AS earliest, max(a.changed) AS latest
          FROM qrels_assessments a WHERE a.pool = pool_id AND NOT a.final GROUP BY a.annotator)
    SELECT coalesce(d.annotator, u.name),
           CASE WHEN u.name IS NULL THEN size
                ELSE (SELECT count(*) FROM pool_share(pool_assessors.pool, u.name)) END,
           coalesce(d.judged, 0), coalesce(d.undecided, 0), coalesce(d.skipped, 0), coalesce(d.submitted, 0),
           coalesce(d.notes, 0), d.median, d.mean, d.earliest, d.latest
      FROM decided d FULL JOIN unnest(people) AS u (name) ON u.name = d.annotator
     ORDER BY coalesce(d.annotator, u.name) COLLATE "C";
END
$$;
COMMENT ON FUNCTION pool_assessors(text) IS
    'Progress of each annotator of a pool: documents, judged, undecided, skipped, notes, seconds per decision, and '
    'times; NULL if there are none';
