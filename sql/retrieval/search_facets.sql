-- search_facets: number of documents of a search by decade, venue, type, reading grade, and whether they are judged.
--
--   facet      value                                                       counts documents with
--   documents  matching, or first                                          all keys of the filter: what was counted
--   year       1990, 2000, …                                               a year of that decade
--   venue      the ten most frequent ones                                  that venue, in any case
--   type       the ten most frequent ones                                  that doc_type
--   grade      '' (up to 9), 9 (over 9, up to 12), 12 (up to 15), 15       that Flesch-Kincaid grade (textstat_fkgl)
--   judged     yes, no                                                     a judgment in any edition that the role can
--                                                                          read, for any query
--
-- Counted are all documents that match the words of the query (bm25, boolean: search_matches) if they are at most
-- at_most; otherwise the first documents of the system, at most candidates of them. The row documents says which:
-- matching or first.
-- If all matching documents are counted, a facet ignores its own key of the filter, so that its other values can be
-- chosen as well. The first documents are those that match the whole filter.
--
-- ranked: the first documents of the system that match the filter, if the caller has them already; then nothing is
-- searched. For the other arguments and errors see system_search.
CREATE OR REPLACE FUNCTION search_facets(
    query text, system text DEFAULT 'hybrid', query_vector vector DEFAULT NULL, filter jsonb DEFAULT NULL,
    model text DEFAULT NULL, at_most integer DEFAULT 20000, candidates integer DEFAULT 1000,
    ranked bigint[] DEFAULT NULL
)
RETURNS TABLE (facet text, value text, documents bigint)
LANGUAGE plpgsql STABLE ROWS 40
SET search_path = stc_all, stc, public, pg_temp
SET jit = off  -- compiling takes longer than the query
AS $$
DECLARE
    given CONSTANT jsonb := coalesce(search_facets.filter, '{}');
    -- the keys that a facet sets
    keys CONSTANT text[] := '{year,venue,doc_type,textstat_fkgl}'::text[]
        || CASE WHEN jsonb_typeof(given -> 'judged') = 'boolean' AND NOT given ? 'query' THEN '{judged}' END::text[];
    docs bigint[] := CASE WHEN search_facets.ranked IS NULL THEN
        search_matches(search_facets.query, search_facets.system, nullif(given - keys, '{}'),
                       search_facets.at_most) END;
    counted text := 'matching';
BEGIN
    PERFORM filter_condition(search_facets.filter);  -- raises if the filter is invalid
    IF search_facets.ranked IS NOT NULL THEN
        docs := search_facets.ranked;
        counted := 'first';
    ELSIF docs IS NULL THEN
        docs := ARRAY(SELECT s.doc FROM system_search(search_facets.query, search_facets.system,
            search_facets.candidates, search_facets.query_vector, search_facets.filter, search_facets.model) s);
        IF search_facets.system NOT IN ('bm25', 'boolean') OR cardinality(docs) = search_facets.candidates THEN
            counted := 'first';
        END IF;
    END IF;
    RETURN QUERY EXECUTE format(
        $sql$
        WITH found AS MATERIALIZED (
            SELECT d.year, d.venue, d.doc_type, m.textstat_fkgl AS grade, j.doc IS NOT NULL AS judged,
                   (%s) IS TRUE AS in_year, (%s) IS TRUE AS in_venue, (%s) IS TRUE AS in_type, (%s) IS TRUE AS in_grade,
                   (%s) IS TRUE AS in_judged
              FROM unnest($2) u (id)
              JOIN dblp_facts d ON d.id = u.id
              LEFT JOIN st1_complexity_metrics m ON m.id = d.id
              LEFT JOIN (SELECT DISTINCT q.doc FROM qrels_judgments q WHERE q.doc = ANY ($2) AND q.rel >= 0) j
                     ON j.doc = d.id)
        SELECT 'documents', $3, count(*) FROM found f
         WHERE f.in_year AND f.in_venue AND f.in_type AND f.in_grade AND f.in_judged
        UNION ALL
        (SELECT 'year', (f.year / 10 * 10)::text, count(*) FROM found f
          WHERE f.year IS NOT NULL AND f.in_venue AND f.in_type AND f.in_grade AND f.in_judged
          GROUP BY f.year / 10 ORDER BY f.year / 10 DESC)
        UNION ALL
        (SELECT 'venue', min(f.venue), count(*) FROM found f
          WHERE f.venue IS NOT NULL AND f.in_year AND f.in_type AND f.in_grade AND f.in_judged
          GROUP BY lower(f.venue) ORDER BY 3 DESC, 2 LIMIT 10)
        UNION ALL
        (SELECT 'type', f.doc_type, count(*) FROM found f
          WHERE f.doc_type IS NOT NULL AND f.in_year AND f.in_venue AND f.in_grade AND f.in_judged
          GROUP BY f.doc_type ORDER BY 3 DESC, 2 LIMIT 10)
        UNION ALL
        (SELECT 'grade', b.lowest, count(*)
           FROM found f,
                LATERAL (SELECT CASE WHEN f.grade > 15 THEN '15' WHEN f.grade > 12 THEN '12' WHEN f.grade > 9 THEN '9'
                                     ELSE '' END AS lowest) b
          WHERE f.grade IS NOT NULL AND f.in_year AND f.in_venue AND f.in_type AND f.in_judged
          GROUP BY b.lowest ORDER BY min(f.grade))
        UNION ALL
        (SELECT 'judged', CASE WHEN f.judged THEN 'yes' ELSE 'no' END, count(*) FROM found f
          WHERE f.in_year AND f.in_venue AND f.in_type AND f.in_grade
          GROUP BY f.judged ORDER BY f.judged DESC)
        $sql$,
        coalesce(CASE WHEN given ? 'year' THEN filter_range('year', given -> 'year', 'd.year', 'integer') END, 'true'),
        coalesce(filter_condition(jsonb_strip_nulls(jsonb_build_object('venue', given -> 'venue'))), 'true'),
        coalesce(filter_condition(jsonb_strip_nulls(jsonb_build_object('doc_type', given -> 'doc_type'))), 'true'),
        coalesce(CASE WHEN given ? 'textstat_fkgl' THEN
            filter_range('textstat_fkgl', given -> 'textstat_fkgl', 'm.textstat_fkgl', 'double precision') END, 'true'),
        CASE WHEN 'judged' = ANY (keys) THEN '(j.doc IS NOT NULL) = ($1 ->> ''judged'')::boolean' ELSE 'true' END)
    USING given, docs, counted;
END
$$;
COMMENT ON FUNCTION search_facets(text, text, vector, jsonb, text, integer, integer, bigint[]) IS
'Number of documents of a search by decade, venue, type, reading grade, and whether they are judged';
