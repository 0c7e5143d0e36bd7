-- bundle_differences: the documents, runs and editions of a bundle that differ in this collection, or that only one of
-- both has. No row: all are equal.
--
-- manifest is the content of bundle.json. Columns bundle and here: fingerprints (bundle_manifest), NULL: missing.
-- A hidden edition has that of its seal, which its judgments must have when it is released.
CREATE OR REPLACE FUNCTION bundle_differences(manifest jsonb)
RETURNS TABLE (part text, name text, bundle text, here text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH ours AS MATERIALIZED (SELECT bundle_manifest() AS manifest),
    listed AS (
        SELECT true AS here, o.manifest FROM ours o
         UNION ALL
        SELECT false, bundle_differences.manifest),
    parts AS (
        SELECT l.here, 'documents' AS part, 'all' AS name, l.manifest #>> '{documents,sha256}' AS sha256 FROM listed l
         UNION ALL
        SELECT l.here, 'run', r ->> 'run', coalesce(r ->> 'sha256', '')
          FROM listed l, jsonb_array_elements(l.manifest -> 'runs') r
         UNION ALL
        SELECT l.here, 'edition', e ->> 'edition', e ->> 'sha256'
          FROM listed l, jsonb_array_elements(l.manifest -> 'editions') e
         UNION ALL
        SELECT l.here, 'edition', e ->> 'edition', e ->> 'fingerprint'
          FROM listed l, jsonb_array_elements(l.manifest -> 'hidden') e)
    SELECT coalesce(b.part, h.part), coalesce(b.name, h.name), b.sha256, h.sha256
      FROM (SELECT * FROM parts WHERE NOT here) b
      FULL JOIN (SELECT * FROM parts WHERE here) h ON h.part = b.part AND h.name = b.name
     WHERE b.sha256 IS DISTINCT FROM h.sha256
     ORDER BY 1, 2
$$;
COMMENT ON FUNCTION bundle_differences(jsonb) IS
    'Documents, runs and editions whose fingerprint in a bundle (the content of bundle.json) differs from that here';
