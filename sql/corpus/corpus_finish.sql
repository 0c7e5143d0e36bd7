-- corpus_finish: mark a file in the ledger as loaded, with the totals of its chunks. sha256 and bytes are given for
-- standard input, where they are known only at the end; NULL keeps the stored value.
CREATE OR REPLACE FUNCTION corpus_finish(
    file integer, seconds double precision, sha256 text DEFAULT NULL, bytes bigint DEFAULT NULL)
RETURNS void
LANGUAGE sql SET search_path = stc_all, stc, public, pg_temp AS $$
    UPDATE corpus_files f
       SET state = 'loaded', finished = clock_timestamp(), seconds = f.seconds + corpus_finish.seconds,
           sha256 = coalesce(corpus_finish.sha256, f.sha256), bytes = coalesce(corpus_finish.bytes, f.bytes),
           documents = k.documents, duplicates = k.duplicates, rejects = k.rejects
      FROM (SELECT coalesce(sum(c.documents), 0) AS documents, coalesce(sum(c.duplicates), 0) AS duplicates,
                   coalesce(sum(c.rejects), 0) AS rejects
              FROM corpus_chunks c WHERE c.file = corpus_finish.file) k
     WHERE f.id = corpus_finish.file
$$;
COMMENT ON FUNCTION corpus_finish(integer, double precision, text, bigint) IS
'Mark a file in the ledger as loaded, with the totals of its chunks';
