-- document_means: how readable and credible the first documents of runs are, for the queries of an edition: the mean of
-- each measure (document_measures) over the first cutoff documents that have a value, which documents counts; one row a
-- run, query and measure, none where no document has a value. run_readability is the track's table of the same.
--
-- Raises IR101 no such run, IR102 no such edition, IR108 no such measure, IR201 cutoff below 1, IR202 no measure, or
-- relevance.
CREATE OR REPLACE FUNCTION public.document_means(runs text[], edition text, measures text[], cutoff integer DEFAULT 10)
RETURNS TABLE (run text, query text, measure text, value double precision, documents bigint)
LANGUAGE plpgsql STABLE
SET search_path = stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    key record;
BEGIN
    SELECT * INTO key FROM evaluation_keys(document_means.runs, document_means.edition, ARRAY[document_means.cutoff]);
    PERFORM combine_check(document_means.measures);
    IF 'relevance' = ANY (document_means.measures) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'relevance has no value of a document by itself',
            HINT = 'Judgments tell of it: see scores.';
    END IF;
    RETURN QUERY
    WITH ranked AS MATERIALIZED (
        SELECT k.run, k.query, k.doc, k.rank FROM st1_rankings k
         WHERE k.run = ANY (key.run_ids) AND k.query = ANY (key.query_ids) AND k.rank <= document_means.cutoff),
    found AS MATERIALIZED (
        SELECT v.doc, u.name, u.value
          FROM combine_values(ARRAY(SELECT DISTINCT r.doc FROM ranked r), document_means.measures) v
         CROSS JOIN LATERAL unnest(document_means.measures, v.measured) u (name, value) WHERE u.value IS NOT NULL)
    SELECT n.run, q.query, f.name, avg(f.value ORDER BY r.rank), count(*)
      FROM ranked r JOIN found f ON f.doc = r.doc JOIN st1_runs n ON n.id = r.run JOIN st1_queries q ON q.id = r.query
     GROUP BY n.run, q.query, f.name;
END
$$;
COMMENT ON FUNCTION public.document_means(text[], text, text[], integer) IS
'The mean of measures of readability and credibility over the first documents of runs, by query of an edition';
