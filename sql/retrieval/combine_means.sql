-- combine_means: how readable and credible the first documents of runs are, for the queries of an edition: the mean of each measure
-- (combine_measures) over the first cutoff documents that have a value; one row a run, query and measure, none where no document has one.
--
-- Raises IR101 no such run, IR102 no such edition, IR108 no such measure, IR201 cutoff below 1, IR202 no measure, or relevance.
CREATE OR REPLACE FUNCTION combine_means(runs text[], edition text, measures text[], cutoff integer DEFAULT 10)
RETURNS TABLE (run text, query text, measure text, value double precision)
LANGUAGE plpgsql STABLE
SET search_path = public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    key record;
BEGIN
    SELECT * INTO key FROM evaluation_keys(combine_means.runs, combine_means.edition, ARRAY[combine_means.cutoff]);
    PERFORM combine_check(combine_means.measures);
    IF 'relevance' = ANY (combine_means.measures) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'relevance has no value of a document by itself',
            HINT = 'Judgments tell of it: see scores.';
    END IF;
    RETURN QUERY
    WITH ranked AS MATERIALIZED (
        SELECT k.run, k.query, k.doc FROM st1_rankings k
         WHERE k.run = ANY (key.run_ids) AND k.query = ANY (key.query_ids) AND k.rank <= combine_means.cutoff),
    found AS MATERIALIZED (
        SELECT v.doc, u.name, u.value
          FROM combine_values(ARRAY(SELECT DISTINCT r.doc FROM ranked r), combine_means.measures) v
         CROSS JOIN LATERAL unnest(combine_means.measures, v.measured) u (name, value) WHERE u.value IS NOT NULL)
    SELECT n.run, q.query, f.name, avg(f.value)
      FROM ranked r JOIN found f ON f.doc = r.doc JOIN st1_runs n ON n.id = r.run JOIN st1_queries q ON q.id = r.query
     GROUP BY n.run, q.query, f.name;
END
$$;
COMMENT ON FUNCTION combine_means(text[], text, text[], integer) IS
'The mean of measures of readability and credibility over the first documents of runs, by query of an edition';
