-- unembedded: the next n documents after an id that lack a vector of the model, by id, with the texts to embed: NULL for a field
-- that has its vector or has no text. Page through a corpus by handing in the last id of the page before.
-- Raises IR105 no such model.
CREATE OR REPLACE FUNCTION unembedded(model text, after bigint DEFAULT NULL, n integer DEFAULT 1000)
RETURNS TABLE (id bigint, title text, abstract text)
LANGUAGE plpgsql STABLE
SET search_path = public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(unembedded.model);
BEGIN
    -- The condition on v.id says nothing new; it spares a merge join the part of the table that is done.
    RETURN QUERY EXECUTE format(
        $sql$SELECT t.id, CASE WHEN v.title_v IS NULL AND t.title ~ '\S' THEN t.title END,
                    CASE WHEN v.abstract_v IS NULL AND t.abstract ~ '\S' THEN t.abstract END
               FROM dblp_text t LEFT JOIN %I v ON v.id = t.id AND v.id > $1
              WHERE t.id > $1
                AND (v.title_v IS NULL AND t.title ~ '\S' OR v.abstract_v IS NULL AND t.abstract ~ '\S')
              ORDER BY t.id LIMIT $2$sql$, space.relation)
    USING coalesce(unembedded.after, -9223372036854775808), unembedded.n;
END
$$;
COMMENT ON FUNCTION unembedded(text, bigint, integer) IS
'The next documents that lack a vector of the model, with the texts to embed';
