-- pack_incoming: rank the documents of the temporary table incoming by trec_eval 9's rule, and store them as the ranked
-- lists of a run. resolve_incoming found the documents, in incoming_docs.
-- Raises IR302 a document that a query has twice, with both line numbers.
CREATE OR REPLACE FUNCTION pack_incoming(run integer, source text) RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    bad record;
BEGIN
    INSERT INTO ranked_lists (run, query, first, docs, rel_scores, comb_scores, file_ranks, passages)
    SELECT pack_incoming.run, r.query, p.first, r.docs[p.first:p.last], r.rel_scores[p.first:p.last],
           CASE WHEN r.combined THEN r.comb_scores[p.first:p.last] END,
           CASE WHEN r.numbered AND r.file_ranks[p.first:p.last] = ARRAY(SELECT generate_series(p.first, p.last))
                THEN '{}' WHEN r.numbered THEN r.file_ranks[p.first:p.last] END,
           CASE WHEN r.cited THEN r.passages[p.first:p.last] END
      FROM (SELECT q.id AS query, count(i.comb_score) > 0 AS combined, count(i.file_rank) > 0 AS numbered,
                   count(i.passage) > 0 AS cited,
                   array_agg(d.id ORDER BY trec_score(i.rel_score) DESC, i.docno DESC) AS docs,
                   array_agg(i.rel_score ORDER BY trec_score(i.rel_score) DESC, i.docno DESC) AS rel_scores,
                   array_agg(i.comb_score ORDER BY trec_score(i.rel_score) DESC, i.docno DESC) AS comb_scores,
                   array_agg(i.file_rank ORDER BY trec_score(i.rel_score) DESC, i.docno DESC) AS file_ranks,
                   array_agg(i.passage ORDER BY trec_score(i.rel_score) DESC, i.docno DESC) AS passages
              FROM pg_temp.incoming i JOIN st1_queries q ON q.query = i.query
              JOIN pg_temp.incoming_docs d ON d.docno = i.docno
             GROUP BY q.id ORDER BY q.id) r
     CROSS JOIN LATERAL (
           SELECT s.first, least(s.first + list_length() - 1, cardinality(r.docs)) AS last
             FROM generate_series(1, cardinality(r.docs), list_length()) AS s (first)) p;
EXCEPTION WHEN unique_violation THEN  -- check_rankings found a document twice
    SELECT i.line, i.query, i.docno, i.first_line INTO bad
      FROM (SELECT line, query, docno, min(line) OVER (PARTITION BY query, docno) AS first_line
              FROM pg_temp.incoming) i
     WHERE i.line > i.first_line ORDER BY i.line LIMIT 1;
    RAISE EXCEPTION USING ERRCODE = 'IR302',
        MESSAGE = format('%s:%s: query %s has document %s already, on line %s',
                         pack_incoming.source, bad.line, bad.query, bad.docno, bad.first_line),
        HINT = 'Use --on-duplicate first to keep the first of each pair, or best for the highest score.';
END
$$;
COMMENT ON FUNCTION pack_incoming(integer, text) IS
    'Rank the documents of the temporary table incoming and store them as the ranked lists of a run';
