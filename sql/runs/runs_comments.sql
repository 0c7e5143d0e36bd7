-- runs_comments: the comments of the tables for runs, and of their columns.
--
-- attribute NULL is the table itself. copy_comments applies them at each upgrade.
CREATE OR REPLACE FUNCTION runs_comments() RETURNS TABLE (relation text, attribute text, comment text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    VALUES
    ('st1_runs', NULL, 'Runs of retrieval systems, one row per run'),
    ('st1_runs', 'id', 'number of the run'),
    ('st1_runs', 'run', 'name of the run'),
    ('st1_runs', 'team', 'name of the team; NULL if the run belongs to no team'),
    ('st1_runs', 'tag', 'tag in the imported file'),
    ('st1_runs', 'manual', 'true: people were involved in producing the run; false: automatic'),
    ('st1_runs', 'family', 'group of related systems, as lexical or dense'),
    ('st1_runs', 'params', 'parameters the run was made with'),
    ('st1_runs', 'source', 'path of the imported file'),
    ('st1_runs', 'sha256', 'SHA-256 of the file, in hexadecimal'),
    ('st1_runs', 'made', 'when the run was stored'),
    ('st1_runs', 'metadata', 'provenance in the format of ir_metadata'),
    ('st1_runs', 'version', 'number of changes to its ranking'),
    ('st1_runs', 'shared', 'true: visible to all teams, as runs without a team are'),

    ('ranked_lists', NULL, 'Ranked documents of the runs: a row has up to 120 consecutive ones of a run and query'),
    ('ranked_lists', 'run', 'run: st1_runs.id'),
    ('ranked_lists', 'query', 'query: st1_queries.id'),
    ('ranked_lists', 'first', 'rank of the first document of the row'),
    ('ranked_lists', 'docs', 'documents by rank: dblp.id'),
    ('ranked_lists', 'rel_scores', 'their relevance scores'),
    ('ranked_lists', 'comb_scores', 'their combined scores of relevance, readability and credibility; NULL: none'),
    ('ranked_lists', 'file_ranks', 'their ranks in the imported file; empty: as ranked; NULL: none'),
    ('ranked_lists', 'passages', 'their passages that the run returned; NULL: none'),

    ('unfinished_runs', NULL, 'Runs whose queries have not all been searched'),
    ('unfinished_runs', 'id', 'number of the unfinished run'),
    ('unfinished_runs', 'run', 'name that the run will have'),
    ('unfinished_runs', 'maker', 'role that makes it; nobody else continues it'),
    ('unfinished_runs', 'params', 'system, depth, filter and model'),
    ('unfinished_runs', 'state', 'what its results depend on (run_state)'),
    ('unfinished_runs', 'queries', 'number of queries to search'),
    ('unfinished_runs', 'begun', 'when it was begun'),

    ('unfinished_rankings', NULL, 'Rankings of an unfinished run, one row per searched query'),
    ('unfinished_rankings', 'unfinished', 'unfinished run: unfinished_runs.id'),
    ('unfinished_rankings', 'query', 'query: st1_queries.id'),
    ('unfinished_rankings', 'docs', 'documents by rank: dblp.id'),
    ('unfinished_rankings', 'scores', 'their scores'),
    ('unfinished_rankings', 'searched', 'when the query was searched'),
    ('unfinished_rankings', 'spent',
     'resources of the program up to this query that no earlier row has; NULL: none'),

    ('run_receipts', NULL, 'Run files received by a track, and whether each was accepted'),
    ('run_receipts', 'id', 'number of the receipt'),
    ('run_receipts', 'file', 'name of the received file'),
    ('run_receipts', 'sha256', 'SHA-256 of the file, in hexadecimal'),
    ('run_receipts', 'team', 'name of the team'),
    ('run_receipts', 'run', 'name of the stored run; NULL: rejected'),
    ('run_receipts', 'accepted', 'true: stored as a run; false: rejected'),
    ('run_receipts', 'reasons', 'problems found, as [{line, what, note}]; line 0 is the whole file'),
    ('run_receipts', 'received', 'when the file was received')
$$;
COMMENT ON FUNCTION runs_comments() IS
'Comments of the tables for runs, and of their columns';
