-- score_bounds: possible values of a measure if the unjudged documents were judged, one row per run and query of the
-- edition; unordered.
--
--   value        current value: unjudged documents count as not relevant
--   condensed    value after removing unjudged documents from the ranking (trec_eval -J; Sakai, SIGIR 2007)
--   worst, best  lowest and highest value for any grades of the unjudged documents; both can occur
--   unjudged     unjudged documents among the first cutoff, or in the whole ranking if the measure has no cutoff
--
-- Only these unjudged documents vary; all others stay not relevant. They can have any grade up to the highest of the
-- edition. P@k, R@k and RR are lowest if none of them is relevant and highest if all are. nDCG and AP are normalised by
-- all relevant documents, so a relevant document low in the ranking can lower them: worst may be below value
-- (bounds_ndcg, bounds_ap). Bpref ignores unjudged documents; its bounds are NULL.
--
-- measure: nDCG@k, P@k, R@k, RR, AP or Bpref. runs: run names; an empty array means all. query_set: only the
-- queries of a set (query_set).
-- Raises IR101, IR102, IR103, IR108, IR201.
CREATE OR REPLACE FUNCTION score_bounds(runs text[], edition text, measure text DEFAULT 'nDCG@10',
                                        query_set text DEFAULT 'all')
RETURNS TABLE (run text, query text, value double precision, condensed double precision, worst double precision,
               best double precision,
               unjudged integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    key record;
    asked record;
    top integer;
BEGIN
    SELECT * INTO asked FROM judged_measure(score_bounds.measure);
    SELECT * INTO key FROM evaluation_keys(score_bounds.runs, score_bounds.edition, '{1}', score_bounds.query_set);
    top := (SELECT greatest(1, max(j.rel)) FROM qrels j WHERE j.edition = key.edition_id);
    RETURN QUERY
    WITH judged AS MATERIALIZED (
        SELECT id AS query, j.docs, coalesce(j.rels, '{}') AS rels,
               (SELECT count(*)::integer FROM unnest(j.rels) AS rel WHERE rel > 0) AS relevant
          FROM unnest(key.query_ids) AS id
          LEFT JOIN (SELECT j.query, array_agg(j.doc ORDER BY j.rel DESC) AS docs,
                            array_agg(j.rel::integer ORDER BY j.rel DESC) AS rels
                       FROM qrels j WHERE j.edition = key.edition_id AND j.rel >= 0
                      GROUP BY j.query) j ON j.query = id),
    lists AS MATERIALIZED (
        SELECT l.run, l.query, l.ranks, l.rels FROM judged_documents(key.edition_id, key.run_ids) l),
    opened AS MATERIALIZED (  -- ranks of the unjudged documents
        SELECT k.run, k.query, array_agg(k.rank ORDER BY k.rank) AS ranks
          FROM st1_rankings k
          LEFT JOIN qrels j ON j.edition = key.edition_id AND j.query = k.query AND j.doc = k.doc AND j.rel >= 0
         WHERE k.run = ANY (key.run_ids) AND k.query = ANY (key.query_ids) AND j.doc IS NULL
           AND (asked.cutoff IS NULL OR k.first <= asked.cutoff AND k.rank <= asked.cutoff)
         GROUP BY k.run, k.query),
    valued AS (
        SELECT n.run, q.query, j.rels AS judged, j.relevant, l.ranks, l.rels, coalesce(o.ranks, '{}') AS open,
               judged_value(asked.kind, asked.cutoff, l.ranks, l.rels, j.rels) AS value,
               judged_value(asked.kind, asked.cutoff, ARRAY(SELECT generate_series(1, cardinality(l.ranks))), l.rels,
                            j.rels) AS condensed,
               ARRAY(SELECT d.rank FROM unnest(l.ranks, l.rels) AS d (rank, rel) WHERE d.rel > 0
                      ORDER BY d.rank) AS found
          FROM st1_runs n
         CROSS JOIN judged j
          JOIN st1_queries q ON q.id = j.query
          LEFT JOIN lists l ON l.run = n.id AND l.query = j.query
          LEFT JOIN opened o ON o.run = n.id AND o.query = j.query
         WHERE n.id = ANY (key.run_ids))
    SELECT v.run, v.query, v.value, v.condensed,
           CASE WHEN asked.kind IN ('ndcg', 'ap') THEN coalesce(b.worst, v.value)
                WHEN asked.kind <> 'bpref' THEN v.value END,
           CASE asked.kind
               WHEN 'p' THEN v.value + cardinality(v.open) / asked.cutoff::double precision
               WHEN 'r' THEN coalesce((v.value * v.relevant + cardinality(v.open))
                                      / nullif(v.relevant + cardinality(v.open), 0), 0)
               WHEN 'rr' THEN coalesce(1 / least(v.found[1], v.open[1])::double precision, 0)
               WHEN 'bpref' THEN NULL
               ELSE coalesce(b.best, v.value) END,
           cardinality(v.open)
      FROM valued v
      LEFT JOIN LATERAL (
           SELECT * FROM bounds_ndcg(asked.cutoff, v.ranks, v.rels, v.open, v.judged, top)
            WHERE asked.kind = 'ndcg' AND v.open <> '{}'
            UNION ALL
           SELECT * FROM bounds_ap(v.found, v.open, v.relevant) WHERE asked.kind = 'ap' AND v.open <> '{}') b ON true;
END
$$;
COMMENT ON FUNCTION score_bounds(text[], text, text, text) IS
    'A measure per run and query: current value, value on condensed lists, and lowest and highest value the '
    'unjudged documents allow';
