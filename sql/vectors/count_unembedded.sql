-- count_unembedded: the number of documents without a vector of the model for one of the fields they have text for (see
-- unembedded).
-- Raises IR105 no such model, IR106 no such field.
CREATE OR REPLACE FUNCTION count_unembedded(model text DEFAULT NULL, fields text[] DEFAULT '{title,abstract}')
RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    space vector_models := vector_model(count_unembedded.model, sparse => NULL);
    lacking bigint;
BEGIN
    PERFORM vector_fields(count_unembedded.fields);
    EXECUTE format(
        $sql$SELECT count(*) FROM dblp_text t LEFT JOIN %I v ON v.id = t.id
              WHERE 'title' = ANY ($1) AND v.title_v IS NULL AND t.title ~ '\S'
                 OR 'abstract' = ANY ($1) AND v.abstract_v IS NULL AND t.abstract ~ '\S'
                 OR 'content' = ANY ($1) AND v.content_v IS NULL AND (t.title ~ '\S' OR t.abstract ~ '\S')$sql$,
                 space.relation)
       INTO lacking USING count_unembedded.fields;
    RETURN lacking;
END
$$;
COMMENT ON FUNCTION count_unembedded(text, text[]) IS 'Number of documents that lack a vector of the model';
