-- shown_metadata: some fields of a document, by name, as assessors see them (show_metadata). Fields without a value are
-- omitted, and so is the year 0.
--
-- fields: names as a JSON array, as a pool stores them; NULL: none. doc: dblp.id.
CREATE OR REPLACE FUNCTION shown_metadata(fields jsonb, doc bigint) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT coalesce(jsonb_object_agg(v.name, v.value), '{}')
      FROM (SELECT) o
      LEFT JOIN dblp_facts f ON f.id = shown_metadata.doc
     CROSS JOIN LATERAL (VALUES
           ('authors', CASE WHEN shown_metadata.fields ? 'authors' THEN
                            (SELECT jsonb_agg(a.name ORDER BY a.position) FROM dblp_authors a
                              WHERE a.doc = shown_metadata.doc AND a.name <> '') END),
           ('year', to_jsonb(nullif(f.year, 0))), ('venue', to_jsonb(nullif(f.venue, ''))),
           ('type', to_jsonb(nullif(f.doc_type, ''))), ('citations', to_jsonb(f.n_citation)),
           ('source', to_jsonb(f.data_source))) AS v (name, value)
     WHERE shown_metadata.fields ? v.name AND v.value IS NOT NULL
$$;
COMMENT ON FUNCTION shown_metadata(jsonb, bigint) IS
    'Some fields of a document by name, without those that have no value';
