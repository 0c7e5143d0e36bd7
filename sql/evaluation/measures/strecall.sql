-- measure_strecall: share of the subtopics that the first k documents cover.
--
--   StRecall@k = subtopics with a relevant document among the first k, divided by S
--   (Zhai, Cohen & Lafferty, Beyond Independent Relevance, SIGIR 2003)
--
-- Equal to ndeval. Ranks are the stored ones: trec_eval's order, which ndeval uses with -traditional. pyndeval and
-- ir_measures order documents with equal scores the other way round, by ascending docno.
CREATE OR REPLACE FUNCTION measure_strecall(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{subtopics} u', NULL,
           'coalesce(count(*) FILTER (WHERE u.k = 1 AND u.rank <= {k}) / {S}, 0)'
$$;
COMMENT ON FUNCTION measure_strecall(integer) IS
    'Formula of strecall: share of the subtopics that the first k documents cover';
