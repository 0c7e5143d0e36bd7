-- answer_relate_counts: number of answers of a source in a split, and number of their pairs that a model has rated.
CREATE OR REPLACE FUNCTION answer_relate_counts(model_id integer, set_id integer, source text)
RETURNS TABLE (answers bigint, relations bigint)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH ours AS (
        SELECT a.id FROM answer_queries q JOIN answers a ON a.query = q.id
         WHERE q.set = answer_relate_counts.set_id AND a.source = answer_relate_counts.source COLLATE "C")
    SELECT (SELECT count(*) FROM ours),
           (SELECT count(*) FROM answer_relations r
              JOIN ours x ON x.id = r.a
              JOIN ours y ON y.id = r.b
             WHERE r.model = answer_relate_counts.model_id)
$$;
COMMENT ON FUNCTION answer_relate_counts(integer, integer, text) IS
    'Number of answers of a source in a split, and number of their pairs that a model has rated';
