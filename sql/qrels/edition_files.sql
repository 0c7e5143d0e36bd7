-- edition_files: ledger of the sources of each edition: files with their SHA-256 at import, and, for a derived edition,
-- its source editions as edition:NAME with their fingerprint at that time. now is the current fingerprint of a source
-- edition.
CREATE OR REPLACE VIEW edition_files WITH (security_invoker = true) AS
SELECT e.edition, f.path, f.judgments, f.added, f.sha256, f.imported,
       CASE WHEN s.edition IS NOT NULL THEN edition_fingerprint(s.edition) END AS now, f.id
  FROM qrels_files f
  JOIN qrels_editions e ON e.id = f.edition
  LEFT JOIN qrels_editions s ON 'edition:' || s.edition = f.path;
COMMENT ON VIEW edition_files IS
    'Sources of the judgments of each edition: files and other editions, with SHA-256 and counts';
