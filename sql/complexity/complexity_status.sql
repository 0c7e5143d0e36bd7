-- complexity_status: counts about readability, credibility and annotations, one row each; note adds details.
--
-- Readability: abstracts that are not blank, abstracts with and without measures, and the resources that computed them
-- (complexity_resources). Credibility: documents that can be ranked, that are ranked, and that are compared within
-- fields. Annotations: by aspect and group of annotators, for roles that can read them. Stubs are not counted.
CREATE OR REPLACE FUNCTION complexity_status()
RETURNS TABLE (part text, what text, count bigint, note text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    overview credibility_overview;
BEGIN
    RETURN QUERY  -- can use workers; SELECT … INTO cannot
    SELECT 'readability', v.what, v.count, v.note
      FROM (SELECT count(*) AS abstracts, count(m.id) AS computed
              FROM dblp_text t JOIN dblp d ON d.id = t.id LEFT JOIN st1_complexity_metrics m ON m.id = t.id
             WHERE NOT d.stub AND t.abstract ~ '\S') n
     CROSS JOIN LATERAL (VALUES
            ('abstracts', n.abstracts, NULL),
            ('computed', n.computed, NULL),
            ('lacking', n.abstracts - n.computed,
             CASE WHEN n.abstracts > n.computed THEN 'stc complexity compute' END)) v (what, count, note);
    RETURN QUERY
    SELECT 'readability', coalesce('by resources ' || left(r.fingerprint, 16), 'by resources unknown'), m.rows,
           (SELECT string_agg(concat(v.key, ' ', v.value), ', ' ORDER BY v.key)
              FROM jsonb_each_text(CASE jsonb_typeof(r.versions) WHEN 'object' THEN r.versions END) v)
      FROM (SELECT m.resources, count(*) AS rows FROM st1_complexity_metrics m GROUP BY m.resources) m
      LEFT JOIN complexity_resources r ON r.id = m.resources
     ORDER BY r.id;
    SELECT * INTO overview FROM credibility_overview;
    RETURN QUERY VALUES
        ('credibility', 'documents', overview.documents, NULL),
        ('credibility', 'with citations', overview.with_citations, format('%s cited', overview.cited)),
        ('credibility', 'with references', overview.with_references, NULL),
        ('credibility', 'to be ranked', overview.to_rank, 'with a year and citations'),
        ('credibility', 'ranked', overview.ranked,
         CASE WHEN overview.stale THEN 'stale: stc complexity credibility'
              WHEN overview.ranked_at IS NOT NULL THEN format('as of %s', overview.as_of)
              WHEN overview.to_rank > 0 THEN 'stc complexity credibility' END),
        ('credibility', 'ranked within fields', overview.in_fields,
         CASE WHEN overview.at_least IS NOT NULL
              THEN format('of %s or more in the year', counted(overview.at_least, 'document')) END);
    IF sees_all_rows() THEN
        RETURN QUERY
        SELECT 'annotations', format('%s, %s', a.aspect, r.annotator_group), count(*),
               format('documents: %s, annotators: %s', count(DISTINCT a.doc), count(DISTINCT a.annotator))
          FROM annotations a JOIN annotators r ON r.annotator = a.annotator
         GROUP BY a.aspect, r.annotator_group
         ORDER BY a.aspect, r.annotator_group;
    END IF;
END
$$;
COMMENT ON FUNCTION complexity_status() IS
'Counts about readability, credibility and annotations, one row each; stubs are not counted';
