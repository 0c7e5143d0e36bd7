-- answer_ledger: loaded files of each split with counts of their lines; escaped counts lines with backslashes that may
-- be escapes.
CREATE OR REPLACE VIEW stc_all.answer_ledger WITH (security_invoker = true) AS
SELECT s.set, s.split, f.kind, f.path, f.lines, f.stored, f.duplicates, f.contradictory, f.unknown, f.rejects,
       (SELECT count(*) FROM stc_all.answer_rejects r WHERE r.file = f.id AND r.problem = 'escaped') AS escaped,
       f.seconds, f.size, f.sha256, f.loaded
  FROM answer_files f JOIN answer_sets s ON s.id = f.set
 ORDER BY s.set, array_position('{train,dev,test}', s.split), f.id;
COMMENT ON VIEW stc_all.answer_ledger IS
    'Loaded files of each split of answer verification, with counts of stored, duplicate, unknown and rejected lines';
