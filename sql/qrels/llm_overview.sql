-- llm_overview: progress of the language models that judge an edition, one row per model and prompt, in the order they
-- were registered.
--
--   asked             number of answers and failures stored
--   judged, malformed, failed
--                     number of pairs by their best result: a grade, an answer without a grade, no answer
--   malformed_share   share of answers from which no grade could be read; NULL without answers
--   p50, p95          median and 95th percentile of the seconds of successful attempts
--
-- Raises IR102 no such edition.
CREATE OR REPLACE FUNCTION llm_overview(edition text)
RETURNS TABLE (model text, prompt text, prompt_sha256 text, annotator text, asked bigint, judged bigint,
               malformed bigint, failed bigint,
               malformed_share double precision, prompt_tokens bigint, completion_tokens bigint, p50 double precision,
               p95 double precision, grades jsonb, last timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id integer := edition_key(llm_overview.edition);
BEGIN
    RETURN QUERY
    SELECT g.model, p.name, p.sha256, g.annotator, a.asked, w.judged, w.malformed, w.failed, a.share, a.prompt_tokens,
           a.completion_tokens, a.p50, a.p95, coalesce(r.grades, '{}'), a.last
      FROM llm_judges g
      JOIN llm_prompts p ON p.id = g.prompt
     CROSS JOIN LATERAL (
           SELECT count(*) AS asked, count(*) FILTER (WHERE s.answer IS NOT NULL AND s.rel IS NULL)::double precision
                                     / nullif(count(*) FILTER (WHERE s.answer IS NOT NULL), 0) AS share,
                  coalesce(sum(s.prompt_tokens), 0) AS prompt_tokens,
                  coalesce(sum(s.completion_tokens), 0) AS completion_tokens,
                  percentile_cont(0.5) WITHIN GROUP (ORDER BY s.seconds) FILTER (WHERE s.answer IS NOT NULL) AS p50,
                  percentile_cont(0.95) WITHIN GROUP (ORDER BY s.seconds) FILTER (WHERE s.answer IS NOT NULL) AS p95,
                  max(s.asked) AS last
             FROM llm_answers s WHERE s.judge = g.id) a
     CROSS JOIN LATERAL (
           SELECT count(*) FILTER (WHERE b.best = 3) AS judged, count(*) FILTER (WHERE b.best = 2) AS malformed,
                  count(*) FILTER (WHERE b.best = 1) AS failed
             FROM (SELECT max(CASE WHEN s.rel IS NOT NULL THEN 3 WHEN s.answer IS NOT NULL THEN 2 ELSE 1 END) AS best
                     FROM llm_answers s WHERE s.judge = g.id GROUP BY s.query, s.doc) b) w
     CROSS JOIN LATERAL (
           SELECT jsonb_object_agg(c.rel, c.n) AS grades
             FROM (SELECT s.rel, count(*) AS n FROM llm_answers s WHERE s.judge = g.id AND s.rel IS NOT NULL
                    GROUP BY s.rel) c) r
     WHERE g.edition = edition_id
     ORDER BY g.id;
END
$$;
COMMENT ON FUNCTION llm_overview(text) IS
    'Progress of the language models that judge an edition: pairs judged, malformed and failed, tokens and '
    'seconds, per model and prompt';
