-- edition_files: the ledger of the sources of the editions by name: files with their SHA-256 when they were imported,
-- and, of an edition derived from others, those as edition:NAME with their fingerprint then. now is the fingerprint
-- such a source has today.
CREATE OR REPLACE VIEW edition_files WITH (security_invoker = true) AS
SELECT e.edition, f.path, f.judgments, f.added, f.sha256, f.imported,
       CASE WHEN s.edition IS NOT NULL THEN edition_fingerprint(s.edition) END AS now, f.id
  FROM qrels_files f
  JOIN qrels_editions e ON e.id = f.edition
  LEFT JOIN qrels_editions s ON 'edition:' || s.edition = f.path;
COMMENT ON VIEW edition_files IS
'Where the judgments of the editions came from: files and other editions, with SHA-256 and counts';
