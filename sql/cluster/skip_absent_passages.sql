-- skip_absent_passages: as vectors/skip_absent_passages.sql; Citus does not lock rows of several shards.
CREATE OR REPLACE FUNCTION skip_absent_passages()
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    PERFORM lock_documents();
    DELETE FROM pg_temp.incoming_vectors i
     WHERE i.id NOT IN (SELECT p.id FROM dblp_passages p
                         WHERE p.id = ANY (ARRAY(SELECT w.id FROM pg_temp.incoming_vectors w)));
END
$$;
COMMENT ON FUNCTION skip_absent_passages() IS
'Part of store_passage_vectors: remove vectors of passages that were deleted, and lock the others';
