-- map_sample: the documents of a map with their vectors: the abstract's, or the title's if the abstract has none.
--
--   doc        dblp.id, ascending
--   v          the vector in pgvector's binary format: two 16-bit integers, then 32-bit floats, all big-endian
--   documents  number of documents with such a vector
--
-- most: maximum number of documents; of more, those with the smallest hash of their id, which depends on seed only.
-- model: short name; NULL means the default. Raises IR105 no such model.
CREATE OR REPLACE FUNCTION map_sample(most integer, seed bigint DEFAULT 1, model text DEFAULT NULL)
RETURNS TABLE (doc bigint, v bytea, documents bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 5000
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
DECLARE
    space vector_models := vector_model(map_sample.model);
BEGIN
    RETURN QUERY EXECUTE format(
        $sql$WITH known AS MATERIALIZED (
                 SELECT v.id FROM %1$I v WHERE v.abstract_v IS NOT NULL OR v.title_v IS NOT NULL),
             chosen AS MATERIALIZED (
                 SELECT k.id FROM known k ORDER BY hashint8extended(k.id, $2), k.id LIMIT $1)
             SELECT c.id, vector_send(coalesce(v.abstract_v, v.title_v)::vector), (SELECT count(*) FROM known)
               FROM chosen c JOIN %1$I v USING (id) ORDER BY c.id$sql$,
        space.relation)
    USING map_sample.most, map_sample.seed;
END
$$;
COMMENT ON FUNCTION map_sample(integer, bigint, text) IS
    'A sample of the documents with their vectors, for a map; by document';
