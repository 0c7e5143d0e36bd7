-- evaluation_comments: the comments of the tables for scores and score requests, and of their columns.
--
-- attribute NULL is the table itself. copy_comments applies them at each upgrade.
CREATE OR REPLACE FUNCTION evaluation_comments() RETURNS TABLE (relation text, attribute text, comment text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    VALUES
    ('st1_scores', NULL, 'Imported scores of systems, as trec_eval prints them'),
    ('st1_scores', 'edition', 'edition: qrels_editions.id'),
    ('st1_scores', 'run', 'run: st1_runs.id'),
    ('st1_scores', 'query', 'query: st1_queries.id'),
    ('st1_scores', 'measure', 'name of the measure in trec_eval'),
    ('st1_scores', 'value', 'score of the run for the query'),
    ('st1_scores', 'source', 'path of the imported file'),
    ('st1_scores', 'hidden', 'true: hidden from participants and readers, as the edition is; the partition key'),

    ('judged_runs', NULL, 'Derived: runs whose judged ranks are stored, and the versions they were computed from'),
    ('judged_runs', 'edition', 'edition: qrels_editions.id'),
    ('judged_runs', 'run', 'run: st1_runs.id; judge_runs removes dropped runs'),
    ('judged_runs', 'hidden', 'true: hidden from participants and readers, as the edition is; the partition key'),
    ('judged_runs', 'edition_version',
     'version of the edition they were computed from; out of date if qrels_editions.version differs'),
    ('judged_runs', 'run_version',
     'version of the run they were computed from; out of date if st1_runs.version differs'),
    ('judged_runs', 'code', 'fingerprint of the code that computed them; see score_code'),
    ('judged_runs', 'measures', 'names of the values in judged_scores.scores, in their order'),

    ('judged_queries', NULL, 'Derived: the grades that an edition gives for each query'),
    ('judged_queries', 'edition', 'edition: qrels_editions.id'),
    ('judged_queries', 'query', 'query: st1_queries.id'),
    ('judged_queries', 'hidden', 'true: hidden from participants and readers, as the edition is; the partition key'),
    ('judged_queries', 'edition_version', 'version of the edition they were computed from: qrels_editions.version'),
    ('judged_queries', 'rels', 'grades of the judged documents, highest first'),
    ('judged_queries', 'code', 'fingerprint of the code that computed them; see score_code'),

    ('judged_rankings', NULL, 'Derived: the ranks of judged documents in each run, from which measures are computed'),
    ('judged_rankings', 'edition', 'edition: qrels_editions.id'),
    ('judged_rankings', 'run', 'run: st1_runs.id'),
    ('judged_rankings', 'query', 'query: st1_queries.id'),
    ('judged_rankings', 'hidden', 'true: hidden from participants and readers, as the edition is; the partition key'),
    ('judged_rankings', 'retrieved', 'number of documents the run ranks for the query'),
    ('judged_rankings', 'relevant', 'ranks of documents with a grade of 1 or more, ascending'),
    ('judged_rankings', 'grades', 'grade of the document at each of these ranks'),
    ('judged_rankings', 'irrelevant', 'ranks of documents with grade 0, ascending'),
    ('judged_rankings', 'pooled', 'ranks of documents with a negative grade, ascending'),

    ('judged_scores', NULL, 'Derived: stored values of the common measures'),
    ('judged_scores', 'edition', 'edition: qrels_editions.id'),
    ('judged_scores', 'run', 'run: st1_runs.id'),
    ('judged_scores', 'query', 'query: st1_queries.id'),
    ('judged_scores', 'hidden', 'true: hidden from participants and readers, as the edition is; the partition key'),
    ('judged_scores', 'scores', 'values in the order of judged_runs.measures'),

    ('ask_allowances', NULL, 'Hidden editions on which teams may request mean scores of their runs'),
    ('ask_allowances', 'edition', 'edition: qrels_editions.id'),
    ('ask_allowances', 'asks', 'maximum number of requests per team'),
    ('ask_allowances', 'measures', 'measures whose means are returned'),
    ('ask_allowances', 'allowed', 'when requests were allowed'),

    ('ask_calls', NULL, 'Calls of ask_scores and score_requests: triggers carry them out and remove the rows'),
    ('ask_calls', 'id', 'number of the call'),
    ('ask_calls', 'team', 'team of the member'),
    ('ask_calls', 'member', 'role that calls'),
    ('ask_calls', 'run', 'name of the run; NULL: score the pending requests of the team'),
    ('ask_calls', 'edition', 'name of the edition; NULL: of all editions'),

    ('ask_counts', NULL, 'Number of requests that each team has made on each hidden edition'),
    ('ask_counts', 'edition', 'edition: qrels_editions.id'),
    ('ask_counts', 'team', 'name of the team'),
    ('ask_counts', 'asked', 'number of requests made'),

    ('ask_requests', NULL, 'Score requests of teams on hidden editions, with their results'),
    ('ask_requests', 'id', 'number of the request'),
    ('ask_requests', 'edition', 'edition: qrels_editions.id'),
    ('ask_requests', 'team', 'name of the team'),
    ('ask_requests', 'member', 'role that made the request'),
    ('ask_requests', 'run', 'name of the run at the time of the request'),
    ('ask_requests', 'edition_version', 'version of the edition at the time of the request: qrels_editions.version'),
    ('ask_requests', 'measures', 'measures requested'),
    ('ask_requests', 'means', 'rounded means, in the order of measures; NULL: not scored yet'),
    ('ask_requests', 'xact', 'transaction of the request; a later one scores it'),
    ('ask_requests', 'asked', 'when the request was made'),
    ('ask_requests', 'digest', 'SHA-256 of the copied run; NULL: requested before copies were stored'),
    ('ask_requests', 'scored', 'transaction that scored the request; a later one reads the result'),

    ('ask_rankings', NULL, 'Copies of the runs in score requests'),
    ('ask_rankings', 'request', 'request: ask_requests.id'),
    ('ask_rankings', 'query', 'query: st1_queries.id'),
    ('ask_rankings', 'docs', 'documents in the order of the run, best first: dblp.id')
$$;
COMMENT ON FUNCTION evaluation_comments() IS
'Comments of the tables for scores and score requests, and of their columns';
