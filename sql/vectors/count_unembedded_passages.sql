-- count_unembedded_passages: the number of passages without a vector of the model. Raises IR105 no such model.
CREATE OR REPLACE FUNCTION count_unembedded_passages(model text DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    lacking bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM dblp_passages p LEFT JOIN %I v ON v.id = p.id WHERE v.passage_v IS NULL',
                   vector_relation(vector_model(count_unembedded_passages.model), 'passage')) INTO lacking;
    RETURN lacking;
END
$$;
COMMENT ON FUNCTION count_unembedded_passages(text) IS 'Number of passages that lack a vector of the model';
