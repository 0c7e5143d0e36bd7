-- answer_edges: relations between answers that vote, one row per pair with a < b; unordered.
--
--   model_id   model whose relations to use. NULL uses the labels of the data (the oracle): support is the label;
--              oppose is 1 if the relation is known to be oppose, because a bare label 0 may be neutral. Pairs with
--              contradictory labels are omitted
--   source     given, or the name of an extraction
--   same       true if the texts are the same (answer_same_text); such answers agree, whatever else is known
--
-- Pairs without a relation have no row. OFFSET 0 makes the planner look up pairs by index, for one query and for all,
-- because it cannot know the number of voters. Probabilities are stored in single precision and are returned with six
-- digits, so that .7 is not below .7.
CREATE OR REPLACE FUNCTION answer_edges(set_id integer, model_id integer, source text, query_id integer DEFAULT NULL)
RETURNS TABLE (query integer, a bigint, b bigint, support double precision, oppose double precision, same boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 300000 SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH voters AS MATERIALIZED (
        SELECT v.query, v.answer, v.said
          FROM answer_voters(answer_edges.set_id, answer_edges.source, answer_edges.query_id) v)
    SELECT v.query, r.a, r.b, r.support::numeric::double precision, r.oppose::numeric::double precision, false
      FROM voters v
     CROSS JOIN LATERAL (SELECT o.* FROM answer_relations o
                          WHERE o.model = answer_edges.model_id AND o.a = v.answer OFFSET 0) r
      JOIN voters w ON w.answer = r.b AND w.query = v.query
     WHERE v.said <> w.said
    UNION ALL
    SELECT v.query, p.a, p.b, p.label::double precision, CASE WHEN p.relation = 'oppose' THEN 1.0 ELSE 0.0 END, false
      FROM voters v CROSS JOIN LATERAL (SELECT o.* FROM answer_pairs o WHERE o.a = v.answer OFFSET 0) p
      JOIN voters w ON w.answer = p.b AND w.query = v.query
     WHERE answer_edges.model_id IS NULL AND p.label IS NOT NULL AND v.said <> w.said
    UNION ALL
    SELECT v.query, v.answer, w.answer, 1.0, 0.0, true
      FROM voters v JOIN voters w ON w.query = v.query AND w.said = v.said AND v.answer < w.answer;
END
$$;
COMMENT ON FUNCTION answer_edges(integer, integer, text, integer) IS
    'Relations between pairs of answers that vote, by a model or by the labels; answers with the same text agree';
