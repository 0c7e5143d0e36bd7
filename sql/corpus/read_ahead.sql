-- read_ahead: read the rows of documents in the order of the table, so that they are in memory when rows that refer to
-- them are stored: the foreign key looks up one document after another, which waits for the disk each time.
--
-- Does nothing if dblp has at most memory bytes; NULL: the server's shared_buffers.
CREATE OR REPLACE FUNCTION read_ahead(docs bigint[], memory bigint DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc, public, pg_temp
SET enable_seqscan = off
SET enable_indexscan = off  -- so that several pages are requested at once (effective_io_concurrency)
AS $$
BEGIN
    IF pg_relation_size('dblp') > coalesce(memory, pg_size_bytes(current_setting('shared_buffers'))) THEN
        PERFORM bool_or(d.stub) FROM dblp d WHERE d.id = ANY (read_ahead.docs);
    END IF;
END
$$;
COMMENT ON FUNCTION read_ahead(bigint[], bigint) IS 'Read the rows of documents into memory, if not all fit there';
