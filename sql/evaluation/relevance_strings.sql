-- relevance_strings: the grades of the first documents of runs as text, one row per run and query of the edition, as
-- trec_eval's relstring: a character a rank: 0 to 9 the grade, > a larger one, - not judged, . pooled but not judged (a
-- negative grade). Parameters, and what it raises, as scores; length: how many ranks.
CREATE OR REPLACE FUNCTION public.relevance_strings(
    runs text[], edition text, length integer DEFAULT 10, complete boolean DEFAULT true,
    judged_only boolean DEFAULT false,
    max_rank integer DEFAULT NULL, rules text DEFAULT 'trec_eval 9')
RETURNS TABLE (run text, query text, relstring text)
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    key record;
BEGIN
    SELECT * INTO key FROM evaluation_keys(relevance_strings.runs, relevance_strings.edition,
                                           ARRAY[relevance_strings.length]);
    RETURN QUERY
    SELECT n.run, q.query, (
           SELECT coalesce(string_agg(CASE WHEN j.rel > 9 THEN '>' WHEN j.rel >= 0 THEN j.rel::text
                                           WHEN j.rel < 0 THEN '.' ELSE '-' END, ''
                                      ORDER BY coalesce(r.rank, j.shown)), '')
             FROM (SELECT rank, CASE WHEN relevance_strings.judged_only THEN row_number() OVER (ORDER BY rank)
                                     ELSE rank END AS shown, rel
                     FROM (SELECT * FROM unnest(l.relevant, l.grades) UNION ALL SELECT unnest(l.irrelevant), 0
                           UNION ALL SELECT unnest(l.pooled), -1 WHERE NOT relevance_strings.judged_only) j (rank, rel)
                    WHERE rank <= coalesce(relevance_strings.max_rank, rank)) j
             FULL JOIN generate_series(1, CASE WHEN relevance_strings.judged_only THEN 0
                                               ELSE least(relevance_strings.length, l.retrieved,
                                                          relevance_strings.max_rank) END) AS r (rank)
               ON r.rank = j.shown
            WHERE coalesce(r.rank, j.shown) <= relevance_strings.length)
      FROM judged_lists(key.edition_id, key.query_ids, key.run_ids, relevance_strings.rules, true) l
      JOIN st1_runs n ON n.id = l.run
      JOIN st1_queries q ON q.id = l.query
     WHERE relevance_strings.complete OR l.retrieved > 0;
END
$$;
COMMENT ON FUNCTION public.relevance_strings(text[], text, integer, boolean, boolean, integer, text) IS
    'The grades of the first documents of runs as text, per query: trec_eval''s relstring';
