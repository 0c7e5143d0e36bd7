-- relevance_strings: grades of the first documents of runs as text (trec_eval's relstring), one row per run and query
-- of the edition.
--
-- One character per rank: 0 to 9 is the grade, > a higher grade, - not judged, . pooled but not judged (a negative
-- grade). length: number of ranks. Other parameters and errors as in scores.
CREATE OR REPLACE FUNCTION public.relevance_strings(
    runs text[], edition text, length integer DEFAULT 10, complete boolean DEFAULT true,
    judged_only boolean DEFAULT false,
    max_rank integer DEFAULT NULL, rules text DEFAULT 'trec_eval 9', query_set text DEFAULT 'all')
RETURNS TABLE (run text, query text, relstring text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    key record;
BEGIN
    SELECT * INTO key FROM evaluation_keys(relevance_strings.runs, relevance_strings.edition,
                                           ARRAY[relevance_strings.length], relevance_strings.query_set);
    RETURN QUERY
    SELECT n.run, q.query, relevance_string(l.relevant, l.grades, l.irrelevant, l.pooled, l.retrieved,
                                            relevance_strings.length, relevance_strings.judged_only,
                                            relevance_strings.max_rank)
      FROM judged_lists(key.edition_id, key.query_ids, key.run_ids, relevance_strings.rules, true) l
      JOIN st1_runs n ON n.id = l.run
      JOIN st1_queries q ON q.id = l.query
     WHERE relevance_strings.complete OR l.retrieved > 0;
END
$$;
COMMENT ON FUNCTION public.relevance_strings(text[], text, integer, boolean, boolean, integer, text, text) IS
    'Grades of the first documents of runs as text, per query: trec_eval''s relstring, one character per rank';
