-- llm_state: state of pairs of query and document for a judge, one row per pair in the order given.
--
--   judged     it has answered with a grade, or the edition already has a judgment by this annotator
--   malformed  it has answered, but no grade could be read; with retry_malformed the state is ask
--   textless   the query has no text, or the document neither title nor abstract
--   ask        all others, including pairs for which earlier calls failed
--
-- judge: NULL for one that is not registered yet.
CREATE OR REPLACE FUNCTION llm_state(judge integer, queries integer[], docs bigint[],
                                     retry_malformed boolean DEFAULT false)
RETURNS TABLE (place bigint, query integer, doc bigint, state text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT p.place, p.query, p.doc,
           CASE WHEN EXISTS (SELECT FROM llm_answers a
                              WHERE a.judge = g.id AND a.query = p.query AND a.doc = p.doc AND a.rel IS NOT NULL)
                  OR EXISTS (SELECT FROM qrels_judgments j
                              WHERE j.edition = g.edition AND j.query = p.query AND j.doc = p.doc AND j.origin = 'llm'
                                AND j.annotator = g.annotator)
                THEN 'judged'
                WHEN NOT coalesce(llm_state.retry_malformed, false) AND EXISTS (
                     SELECT FROM llm_answers a
                      WHERE a.judge = g.id AND a.query = p.query AND a.doc = p.doc AND a.rel IS NULL
                        AND a.answer IS NOT NULL)
                THEN 'malformed'
                WHEN btrim(coalesce(q.text, '')) = '' OR btrim(concat(x.title, x.abstract)) = ''
                THEN 'textless' ELSE 'ask' END
      FROM unnest(llm_state.queries, llm_state.docs) WITH ORDINALITY AS p(query, doc, place)
      LEFT JOIN llm_judges g ON g.id = llm_state.judge
      LEFT JOIN st1_queries q ON q.id = p.query
      LEFT JOIN dblp_text x ON x.id = p.doc
     ORDER BY p.place
$$;
COMMENT ON FUNCTION llm_state(integer, integer[], bigint[], boolean) IS
    'State of pairs of query and document for a judge: judged, malformed, textless, or ask (to be judged)';
