-- evaluate_names: the names of the measures of evaluate: recip_rank, map, bpref, and for each cutoff ndcg_cut, P and
-- recall.
CREATE OR REPLACE FUNCTION evaluate_names(cutoffs integer[]) RETURNS text[]
LANGUAGE sql IMMUTABLE SET search_path = stc, public, pg_temp AS $$
    SELECT '{recip_rank,map,bpref}'::text[] || ARRAY(
           SELECT m.name || '_' || c.cutoff FROM unnest(evaluate_names.cutoffs) WITH ORDINALITY AS c (cutoff, i)
            CROSS JOIN unnest('{ndcg_cut,P,recall}'::text[]) WITH ORDINALITY AS m (name, j) ORDER BY c.i, m.j)
$$;
COMMENT ON FUNCTION evaluate_names(integer[]) IS 'The names of the measures of evaluate';
