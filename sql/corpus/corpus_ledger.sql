-- corpus_ledger: the files loaded into the corpus with their counts, in the order their loads began.
--
-- state 'loading': the load is running, was interrupted (the same command resumes it) or failed with an error. state
-- 'incomplete': some documents were removed (the same command stores them again). The counts of these files are those
-- of the chunks committed so far.
CREATE OR REPLACE VIEW corpus_ledger WITH (security_invoker = true) AS
SELECT f.id AS file, f.path, f.format, f.state,
       CASE f.state WHEN 'loaded' THEN f.documents ELSE k.documents END AS documents,
       CASE f.state WHEN 'loaded' THEN f.duplicates ELSE k.duplicates END AS duplicates,
       CASE f.state WHEN 'loaded' THEN f.rejects ELSE k.rejects END AS rejects,
       f.seconds, f.bytes, f.sha256, f.started, f.finished
  FROM corpus_files f
 CROSS JOIN LATERAL (
       SELECT coalesce(sum(c.documents), 0)::bigint AS documents, coalesce(sum(c.duplicates), 0)::bigint AS duplicates,
              coalesce(sum(c.rejects), 0)::bigint AS rejects
         FROM corpus_chunks c WHERE c.file = f.id) k
 ORDER BY f.id;
COMMENT ON VIEW corpus_ledger IS
'Files loaded into the corpus with their counts; files still loading count the chunks committed so far';
