-- synth_generated: statistics of the candidates of a study by origin and model: numbers of documents and queries,
-- numbers dropped by reason, numbers usable, chosen and published, and mean numbers of words and of words in the
-- passage.
--
-- Means are over usable candidates. Raises IR112 no such study.
CREATE OR REPLACE FUNCTION synth_generated(study text)
RETURNS TABLE (
    origin text, model text, prompt text, documents bigint, made bigint, empty bigint, malformed bigint, error bigint,
    duplicate bigint,
    copy bigint, usable bigint, chosen bigint, published bigint, length double precision, found double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT c.origin, c.model, p.name, count(DISTINCT c.doc), count(*), count(*) FILTER (WHERE c.dropped = 'empty'),
           count(*) FILTER (WHERE c.dropped = 'malformed'), count(*) FILTER (WHERE c.dropped = 'error'),
           count(*) FILTER (WHERE c.dropped = 'duplicate'), count(*) FILTER (WHERE c.dropped = 'copy'),
           count(*) FILTER (WHERE c.dropped IS NULL), count(*) FILTER (WHERE c.chosen), count(c.query),
           avg(c.length) FILTER (WHERE c.dropped IS NULL), avg(c.found) FILTER (WHERE c.dropped IS NULL)
      FROM synth_candidates c LEFT JOIN llm_prompts p ON p.id = c.prompt
     WHERE c.study = synth_study_key(synth_generated.study)
     GROUP BY c.origin, c.model, p.name
     ORDER BY c.origin, c.model, p.name
$$;
COMMENT ON FUNCTION synth_generated(text) IS
    'Statistics of the candidates of a study by origin and model: generated, dropped by reason, usable, chosen, '
    'published, mean words';
