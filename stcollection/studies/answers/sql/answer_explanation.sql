-- answer_explanation: explanation of what a run returns for a query, as one JSON object.
--
--   run, set, split, method, params, query
--   returned      doc_ids, in order of place; gold: doc_ids, null if unknown; score: {precision, recall, f1}, null
--                 without gold
--   endorsement   distinct documents of cluster 1; null if the run groups no answers or the query has none
--   decided_by    documents, answers, support, place or id: step of the rule that put cluster 1 before 2
--                 (answer_endorsement); only: there is one cluster; null without clusters
--   abstained     null, or why nothing is returned: no answers, too few documents (fewer than at_least), nothing found
--   clusters      [{cluster, endorsement, support, answers: [{id, text, doc_id, url, title, place, gold}]}], best
--                 first; support is null if no pair within the cluster was judged
--   contradictions
--                 [{cluster, against, oppose, a: {id, text, doc_id}, b: {…}}], the strongest of each pair of
--                 clusters, at most 20; cluster and against are equal for a contradiction within a cluster
--   documents     [{doc_id, url, title, place, returned, gold, answers, probability}]; answers: number of its answers
--                 that vote; probability: that the document endorses the most endorsed answer, null if the method does
--                 not compute it or the document is not returned
--
-- gold of an answer or a document is null if no gold of the query is known. Contradictions are those of the current
-- model; clusters are the stored ones.
-- Raises IR101 no such run, IR103 no such query.
CREATE OR REPLACE FUNCTION answer_explanation(run text, query text) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    made answer_runs;
    query_id integer;
    endorsed jsonb;
    known boolean;
    grouped boolean;
    told jsonb;
BEGIN
    SELECT r.* INTO made FROM answer_runs r WHERE r.id = answer_run_key(answer_explanation.run);
    query_id := answer_query_key(made.set, answer_explanation.query);
    known := EXISTS (SELECT FROM answer_gold g WHERE g.query = query_id);
    grouped := EXISTS (SELECT FROM answer_clusters c WHERE c.run = made.id)
        OR made.method IN ('components', 'average', 'correlation', 'expected');
    WITH members AS (
        SELECT c.cluster, jsonb_agg(jsonb_build_object(
                   'id', a.id, 'text', a.text, 'doc_id', d.doc_id, 'url', d.url, 'title', d.title, 'place', d.place,
                   'gold', CASE WHEN known THEN g.document IS NOT NULL END) ORDER BY d.place, a.id) AS answers
          FROM answer_clusters c JOIN answers a ON a.id = c.answer JOIN answer_documents d ON d.id = a.document
          LEFT JOIN answer_gold g ON g.document = d.id
         WHERE c.run = made.id AND c.query = query_id
         GROUP BY c.cluster)
    SELECT jsonb_agg(jsonb_build_object('cluster', e.cluster, 'endorsement', e.documents, 'support', e.support,
                                        'step', e.step,
                                        'answers', m.answers) ORDER BY e.cluster)
      INTO endorsed
      FROM answer_endorsement(made.id, query_id) e JOIN members m ON m.cluster = e.cluster;
    SELECT jsonb_build_object(
               'documents', coalesce(jsonb_agg(jsonb_build_object(
                   'doc_id', d.doc_id, 'url', d.url, 'title', d.title, 'place', d.place, 'returned',
                   p.document IS NOT NULL, 'probability', p.probability,
                   'gold', CASE WHEN known THEN g.document IS NOT NULL END,
                   'answers', CASE WHEN grouped THEN (
                       SELECT count(*) FROM answer_clusters c JOIN answers a ON a.id = c.answer
                        WHERE c.run = made.id AND c.query = query_id AND a.document = d.id) END)
                            ORDER BY d.place, d.id), '[]'),
               'returned', coalesce(jsonb_agg(d.doc_id ORDER BY d.place, d.id) FILTER (
                       WHERE p.document IS NOT NULL), '[]'),
               'gold', jsonb_agg(d.doc_id ORDER BY d.place, d.id) FILTER (WHERE g.document IS NOT NULL),
               'score', CASE WHEN known THEN jsonb_build_object(
                   'precision', coalesce(count(g.document) FILTER (WHERE p.document IS NOT NULL)::double precision
                                         / nullif(count(p.document), 0), 0),
                   'recall', count(g.document) FILTER (WHERE p.document IS NOT NULL)::double precision
                       / nullif(count(g.document), 0),
                   'f1', 2.0::double precision * count(g.document) FILTER (WHERE p.document IS NOT NULL)
                         / nullif(count(p.document) + count(g.document), 0)) END,
               'abstained', CASE WHEN count(p.document) > 0 THEN NULL
                                 WHEN NOT grouped THEN 'nothing found'
                                 WHEN endorsed IS NULL THEN 'no answers'
                                 ELSE 'too few documents' END)
      INTO told
      FROM answer_documents d
      LEFT JOIN answer_predictions p ON p.run = made.id AND p.document = d.id
      LEFT JOIN answer_gold g ON g.document = d.id
     WHERE d.query = query_id;
    RETURN told || jsonb_build_object(
        'run', made.run, 'set', (SELECT s.set FROM answer_sets s WHERE s.id = made.set),
        'split', (SELECT s.split FROM answer_sets s WHERE s.id = made.set),
        'method', made.method, 'params', made.params, 'query', answer_explanation.query,
        'endorsement', endorsed -> 0 -> 'endorsement',
        'decided_by', CASE jsonb_array_length(endorsed) WHEN 1 THEN 'only'
            ELSE (ARRAY['documents', 'answers', 'support', 'place', 'id'])[(endorsed -> 0 ->> 'step')::integer] END,
        'clusters', coalesce((SELECT jsonb_agg(u.one - 'step' ORDER BY u.at)
                                FROM jsonb_array_elements(endorsed) WITH ORDINALITY u(one, at)), '[]'),
        'contradictions', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                       'cluster', c.cluster, 'against', c.against, 'oppose', c.oppose,
                       'a', jsonb_build_object('id', a.id, 'text', a.text, 'doc_id', x.doc_id),
                       'b', jsonb_build_object('id', b.id, 'text', b.text, 'doc_id', y.doc_id))
                       ORDER BY c.oppose DESC, c.cluster, c.against)
              FROM (SELECT s.* FROM answer_contradictions(made.id, query_id) s
                     ORDER BY s.oppose DESC, s.cluster, s.against LIMIT 20) c
              JOIN answers a ON a.id = c.a JOIN answer_documents x ON x.id = a.document
              JOIN answers b ON b.id = c.b JOIN answer_documents y ON y.id = b.document), '[]'));
END
$$;
COMMENT ON FUNCTION answer_explanation(text, text) IS
    'Explanation of what a run returns for a query, as one JSON object: clusters, endorsement, contradictions, '
    'documents';
