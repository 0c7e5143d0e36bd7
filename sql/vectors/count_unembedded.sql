-- count_unembedded: how many documents lack a vector of the model for a title or abstract they have. Raises IR105 no such model.
CREATE OR REPLACE FUNCTION count_unembedded(model text DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql STABLE
SET search_path = public, pg_temp
AS $$
DECLARE
    space vector_models := vector_model(count_unembedded.model);
    lacking bigint;
BEGIN
    EXECUTE format(
        $sql$SELECT count(*) FROM dblp_text t LEFT JOIN %I v ON v.id = t.id
              WHERE v.title_v IS NULL AND t.title ~ '\S' OR v.abstract_v IS NULL AND t.abstract ~ '\S'$sql$, space.relation)
       INTO lacking;
    RETURN lacking;
END
$$;
COMMENT ON FUNCTION count_unembedded(text) IS 'How many documents lack a vector of the model';
