-- unembedded_passages: the next n passages by id that lack a vector of the model, with their texts.
-- Raises IR105 no such model.
CREATE OR REPLACE FUNCTION unembedded_passages(model text, after bigint DEFAULT NULL, n integer DEFAULT 1000)
RETURNS TABLE (id bigint, content text)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    -- The condition on v.id is redundant; with it a merge join skips the embedded part of the table.
    RETURN QUERY EXECUTE format(
        $sql$SELECT p.id, p.text FROM dblp_passages p LEFT JOIN %I v ON v.id = p.id AND v.id > $1
              WHERE p.id > $1 AND v.passage_v IS NULL ORDER BY p.id LIMIT $2$sql$,
        vector_relation(vector_model(unembedded_passages.model), 'passage'))
    USING coalesce(unembedded_passages.after, -9223372036854775808), unembedded_passages.n;
END
$$;
COMMENT ON FUNCTION unembedded_passages(text, bigint, integer) IS
'The next n passages by id that lack a vector of the model, with their texts';
