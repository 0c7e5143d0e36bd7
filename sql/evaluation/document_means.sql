-- document_means: mean of readability and credibility measures (document_measures) over the first cutoff documents of
-- runs, for the queries of an edition, or those of a set (query_set). One row per run, query and measure.
--
-- documents is the number of documents that have a value; no row is returned if none has. run_readability gives the
-- track's summary of the same data.
--
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query or set, IR108 no such measure, IR201 cutoff
-- below 1, IR202 no measure, or relevance given as a measure.
CREATE OR REPLACE FUNCTION public.document_means(
    runs text[], edition text, measures text[], cutoff integer DEFAULT 10, query_set text DEFAULT 'all')
RETURNS TABLE (run text, query text, measure text, value double precision, documents bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    key record;
BEGIN
    SELECT * INTO key FROM evaluation_keys(document_means.runs, document_means.edition, ARRAY[document_means.cutoff],
                                           document_means.query_set);
    PERFORM combine_check(document_means.measures);
    IF 'relevance' = ANY (document_means.measures) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'relevance is not a document measure',
            HINT = 'Relevance depends on a query. Use scores to evaluate it from judgments.';
    END IF;
    RETURN QUERY
    WITH ranked AS MATERIALIZED (
        SELECT k.run, k.query, k.doc, k.rank FROM rankings_to(document_means.cutoff) k
         WHERE k.run = ANY (key.run_ids) AND k.query = ANY (key.query_ids)),
    found AS MATERIALIZED (
        SELECT v.doc, u.name, u.value
          FROM combine_values(ARRAY(SELECT DISTINCT r.doc FROM ranked r), document_means.measures) v
         CROSS JOIN LATERAL unnest(document_means.measures, v.measured) u (name, value) WHERE u.value IS NOT NULL)
    SELECT n.run, q.query, f.name, avg(f.value ORDER BY r.rank), count(*)
      FROM ranked r JOIN found f ON f.doc = r.doc JOIN st1_runs n ON n.id = r.run JOIN st1_queries q ON q.id = r.query
     GROUP BY n.run, q.query, f.name;
END
$$;
COMMENT ON FUNCTION public.document_means(text[], text, text[], integer, text) IS
    'Means of document measures (readability, credibility) over the first cutoff documents with a value, per run, '
    'query and measure';
