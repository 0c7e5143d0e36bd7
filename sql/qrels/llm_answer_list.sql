-- llm_answer_list: unmodified answers of the language models that judge an edition, with external names. Malformed
-- answers first, then failures, then those with a grade, each in order of arrival.
CREATE OR REPLACE FUNCTION llm_answer_list(edition text)
RETURNS TABLE (annotator text, model text, prompt text, query text, docno text, state text, rel smallint, answer text,
               error text,
               finish text, attempts integer, seconds double precision, asked timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT g.annotator, g.model, p.name, q.query, d.docno, s.state, a.rel, a.answer, a.error, a.finish, a.attempts,
           a.seconds, a.asked
      FROM qrels_editions e
      JOIN llm_judges g ON g.edition = e.id
      JOIN llm_prompts p ON p.id = g.prompt
      JOIN llm_answers a ON a.judge = g.id
      JOIN st1_queries q ON q.id = a.query
      JOIN dblp d ON d.id = a.doc
     CROSS JOIN LATERAL (SELECT CASE WHEN a.rel IS NOT NULL THEN 'judged' WHEN a.answer IS NOT NULL THEN 'malformed'
                                     ELSE 'failed' END AS state) s
     WHERE e.edition = llm_answer_list.edition COLLATE "C"
     ORDER BY CASE s.state WHEN 'malformed' THEN 1 WHEN 'failed' THEN 2 ELSE 3 END, a.id
$$;
COMMENT ON FUNCTION llm_answer_list(text) IS
    'Unmodified answers of the language models that judge an edition: malformed ones first, then failures, then '
    'those with a grade';
