-- stage_vectors: create the empty temporary table incoming_vectors, which store_vectors reads; it is dropped at the
-- commit. sparse: its vectors are those of a sparse model, of type sparsevec.
CREATE OR REPLACE FUNCTION stage_vectors(sparse boolean DEFAULT false)
RETURNS void
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
AS $$
BEGIN
    DROP TABLE IF EXISTS pg_temp.incoming_vectors;
    CREATE TEMPORARY TABLE incoming_vectors (id bigint NOT NULL, field text NOT NULL, v vector NOT NULL) ON COMMIT DROP;
    IF stage_vectors.sparse THEN
        ALTER TABLE pg_temp.incoming_vectors ALTER v TYPE sparsevec USING NULL;
    END IF;
END
$$;
COMMENT ON FUNCTION stage_vectors(boolean) IS
'Create the temporary table incoming_vectors (id, field, v), which store_vectors reads';
