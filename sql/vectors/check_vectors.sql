-- check_vectors: raise an error if a model has no vectors of any of these fields.
-- Raises IR405 no vectors.
CREATE OR REPLACE FUNCTION check_vectors(space vector_models, fields text[])
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF (SELECT bool_and(vectors_missing(space, f.field)) FROM unnest(check_vectors.fields) f (field)) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('there are no %s vectors of %s', array_to_string(check_vectors.fields, ' or '),
                             space.model),
            HINT = CASE check_vectors.fields[1] WHEN 'passage' THEN 'Create them with ''stc vectors passages''.'
                        ELSE format('Compute them with ''stc vectors embed --field %s''.', check_vectors.fields[1]) END;
    END IF;
END
$$;
COMMENT ON FUNCTION check_vectors(vector_models, text[]) IS
'Raise an error if a model has no vectors of any of these fields';
