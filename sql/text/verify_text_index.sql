-- verify_text_index: look up all documents in a BM25 index that was not verified after its build (text_index_lost). If
-- all are found, note it in the comment of the index, otherwise mark the text index as stale. Called after a build
-- (index_text), by stc db nodes --rebalance, and by stc db upgrade for indexes that earlier versions built.
--
-- Returns the ids of the documents that are not found; all documents if the index cannot be read; NULL if there is no
-- such index or it was verified.
CREATE OR REPLACE FUNCTION verify_text_index()
RETURNS bigint[]
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    sealed CONSTANT text := obj_description(to_regclass('dblp_text_bm25'), 'pg_class');
    lost bigint[];
BEGIN
    IF sealed LIKE '%found' THEN
        RETURN NULL;
    END IF;
    BEGIN
        lost := text_index_lost();
    EXCEPTION WHEN data_corrupted OR internal_error THEN
        lost := ARRAY(SELECT l.id FROM text_lengths l WHERE l.tokens > 0);
    END;
    IF lost = '{}' THEN
        EXECUTE format('COMMENT ON INDEX dblp_text_bm25 IS %L', concat_ws(', ', sealed, 'every document found'));
    ELSIF cardinality(lost) > 0 THEN
        UPDATE text_index SET stale = true;
    END IF;
    RETURN lost;
END
$$;
COMMENT ON FUNCTION verify_text_index() IS
'Look up all documents in the BM25 index; returns the ids of those that it does not find';
