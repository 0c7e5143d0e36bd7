-- check_corpus: raise an error if the collection has no documents, so that runs and searches report this and not, for
-- instance, a missing index. Stubs are not documents to search.
-- Raises IR405 no documents.
CREATE OR REPLACE FUNCTION check_corpus()
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM dblp d WHERE NOT d.stub LIMIT 1) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'the collection has no documents',
            HINT = 'Load documents with ''stc load --as corpus''.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_corpus() IS 'Raise an error if the collection has no documents';
