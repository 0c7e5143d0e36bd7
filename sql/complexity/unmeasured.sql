-- unmeasured: the next n documents by id whose abstract has no readability measures; with again also those measured
-- with other resources. To page through the corpus, pass the last id of the previous page as after.
--
--   version   of the row of dblp_text: store_measures stores a measure only if the text still has this version
CREATE OR REPLACE FUNCTION unmeasured(
    resources integer, after bigint DEFAULT NULL, n integer DEFAULT 1000, again boolean DEFAULT false
)
RETURNS TABLE (id bigint, version xid, abstract text)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    -- The condition on m.id is redundant; with it a merge join skips the measured part of the table.
    SELECT t.id, t.xmin, t.abstract
      FROM dblp_text t
      LEFT JOIN st1_complexity_metrics m ON m.id = t.id AND m.id > coalesce(unmeasured.after, -9223372036854775808)
     WHERE t.id > coalesce(unmeasured.after, -9223372036854775808)
       AND t.abstract ~ '\S'
       AND (m.id IS NULL OR unmeasured.again AND m.resources IS DISTINCT FROM unmeasured.resources)
     ORDER BY t.id
     LIMIT unmeasured.n;
$$;
COMMENT ON FUNCTION unmeasured(integer, bigint, integer, boolean) IS
'Next documents by id whose abstract is not measured yet; with again also those measured with other resources';
