-- corpus_ledger: what was loaded from which file, in the order it was begun. A file in state 'loading' is being loaded,
-- or its load was interrupted (the same command resumes it) or broken off by an error; of one in state 'incomplete'
-- documents were removed (the same command stores them again). Their counts are those of the chunks committed so far.
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
COMMENT ON VIEW corpus_ledger IS 'What was loaded from which file; of a file still loading, what is committed so far';
