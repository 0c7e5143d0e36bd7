-- skip_absent_passages: remove the vectors of deleted passages from the temporary table incoming_vectors, and keep the
-- other passages until the end of the transaction. Part of store_passage_vectors.
CREATE OR REPLACE FUNCTION skip_absent_passages()
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    PERFORM p.id FROM pg_temp.incoming_vectors i JOIN dblp_passages p ON p.id = i.id
      ORDER BY i.id FOR KEY SHARE OF p;
    DELETE FROM pg_temp.incoming_vectors i WHERE NOT EXISTS (SELECT FROM dblp_passages p WHERE p.id = i.id);
END
$$;
COMMENT ON FUNCTION skip_absent_passages() IS
'Part of store_passage_vectors: remove vectors of passages that were deleted, and lock the others';
