-- combine_scores: the combined score in [0, 1] of each document of a stored run, and the rank by trec_eval 9's rule:
-- score in single precision descending, equal scores by docno descending as bytes. For the arguments and errors see
-- combine_parts.
CREATE OR REPLACE FUNCTION combine_scores(run_id integer, weights jsonb, transforms jsonb DEFAULT '{}',
                                          missing text DEFAULT 'mean')
RETURNS TABLE (query integer, doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100000
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
DECLARE
    factors CONSTANT double precision[] := ARRAY(SELECT p.weight
                                                   FROM combine_plan(combine_scores.weights,
                                                                     combine_scores.transforms) p);
BEGIN
    RETURN QUERY EXECUTE format(
        $sql$
        SELECT s.query, s.doc, s.score,
               row_number() OVER (PARTITION BY s.query ORDER BY trec_score(s.score) DESC, d.docno DESC)::integer
          FROM (SELECT c.query, c.doc, %1$s AS score
                  FROM (SELECT p.query, p.doc, %2$s FROM combine_parts($1, $2, $3, $4) p) c
                 CROSS JOIN (SELECT %3$s, sum(u.weight ORDER BY u.i) AS total FROM unnest($5)
                             WITH ORDINALITY u (weight, i)) f) s
          JOIN dblp d ON d.id = s.doc
        $sql$,
        combine_score(cardinality(factors)),
        (SELECT string_agg(format('p.parts[%1$s] AS p%1$s', i), ', ') FROM generate_series(1, cardinality(factors)) i),
        (SELECT string_agg(format('$5[%1$s] AS w%1$s', i), ', ') FROM generate_series(1, cardinality(factors)) i))
    USING combine_scores.run_id, combine_scores.weights, combine_scores.transforms, combine_scores.missing, factors;
END
$$;
COMMENT ON FUNCTION combine_scores(integer, jsonb, jsonb, text) IS
'Documents of a stored run with score and rank by a combination of measures';
