-- unmeasured: the next n documents after an id whose abstract no row of st1_complexity_metrics measures, by id; with
-- again also those measured with other resources. Page through a corpus by handing in the last id of the page before.
--
--   version   of the row of dblp_text: store_measures takes a measure only while the text is still that one
CREATE OR REPLACE FUNCTION unmeasured(
    resources integer, after bigint DEFAULT NULL, n integer DEFAULT 1000, again boolean DEFAULT false
)
RETURNS TABLE (id bigint, version xid, abstract text)
LANGUAGE sql STABLE
SET search_path = stc, public, pg_temp
AS $$
    -- The condition on m.id says nothing new; it spares a merge join the part of the table that is done.
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
'The next documents whose abstract is not measured yet, or with again by other resources';
