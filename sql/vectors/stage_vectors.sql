-- stage_vectors: create the empty temporary table incoming_vectors, which store_vectors reads; it is dropped at the
-- commit.
CREATE OR REPLACE FUNCTION stage_vectors()
RETURNS void
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
AS $$
BEGIN
    DROP TABLE IF EXISTS pg_temp.incoming_vectors;
    CREATE TEMPORARY TABLE incoming_vectors (id bigint NOT NULL, field text NOT NULL, v vector NOT NULL) ON COMMIT DROP;
END
$$;
COMMENT ON FUNCTION stage_vectors() IS
'Create the temporary table incoming_vectors (id, field, v), which store_vectors reads';
