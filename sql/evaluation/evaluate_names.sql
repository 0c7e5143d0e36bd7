-- evaluate_names: names of the measures of evaluate: recip_rank, map and bpref, then ndcg_cut, P and recall for each
-- cutoff.
CREATE OR REPLACE FUNCTION evaluate_names(cutoffs integer[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT '{recip_rank,map,bpref}'::text[] || ARRAY(
           SELECT m.name || '_' || c.cutoff FROM unnest(evaluate_names.cutoffs) WITH ORDINALITY AS c (cutoff, i)
            CROSS JOIN unnest('{ndcg_cut,P,recall}'::text[]) WITH ORDINALITY AS m (name, j) ORDER BY c.i, m.j)
$$;
COMMENT ON FUNCTION evaluate_names(integer[]) IS
    'Names of the measures of evaluate: recip_rank, map, bpref, then ndcg_cut, P and recall for each cutoff';
