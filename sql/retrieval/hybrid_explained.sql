-- hybrid_explained: the k best documents of a query by hybrid (system_search), as arrays, best first, and what
-- search_parts returns for the first shown of them:
--
--   {"doc": [{"ranking": "bm25", "rank": 1, "score": 9.5, "added": 2}]}
--
-- Explaining them here costs a millisecond; search_parts has to search again. Raises the errors of the rankings.
CREATE OR REPLACE FUNCTION hybrid_explained(
    query text, k integer, query_vector vector, filter jsonb, model text, shown integer,
    OUT docs bigint[], OUT scores double precision[], OUT parts jsonb
)
LANGUAGE plpgsql STABLE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    fusion CONSTANT jsonb := system_fusion('hybrid');
    weights CONSTANT jsonb := fusion -> 'weights';
    gathered CONSTANT ranked[] := gathered_rankings(
        hybrid_explained.query, hybrid_explained.query_vector, ARRAY(SELECT jsonb_object_keys(weights)), weights,
        greatest(hybrid_explained.k, 1000), hybrid_explained.filter, hybrid_explained.model);
BEGIN
    SELECT coalesce(array_agg(f.doc ORDER BY f.rank), '{}'), coalesce(array_agg(f.score ORDER BY f.rank), '{}')
      INTO docs, scores
      FROM fuse(gathered, hybrid_explained.k, fusion ->> 'method', fusion ->> 'norm', weights) f;
    SELECT coalesce(jsonb_object_agg(d.doc, d.parts), '{}') INTO parts
      FROM (SELECT p.doc, jsonb_agg(to_jsonb(p) - 'doc') AS parts
              FROM gathered_parts(gathered, docs[:hybrid_explained.shown], weights, fusion ->> 'method',
                                  fusion ->> 'norm', (fusion ->> 'constant')::integer) p
             GROUP BY p.doc) d;
END
$$;
COMMENT ON FUNCTION hybrid_explained(text, integer, vector, jsonb, text, integer) IS
'The k best documents of a query by hybrid, with what explains the first ones';
