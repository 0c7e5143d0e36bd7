-- run_changes: name the parts in which two states of a collection (run_state) differ; NULL if they are equal.
CREATE OR REPLACE FUNCTION run_changes(before jsonb, after jsonb)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT string_agg(p.name, ', ' ORDER BY p.place)
      FROM unnest('{queries,articles,version,documents,text,vectors,filter}'::text[],
                  ARRAY['the queries', 'the articles', 'the version of stcollection', 'the documents',
                        'the text index', 'the vectors or their index', 'the data that the filter reads'])
           WITH ORDINALITY AS p (key, name, place)
     WHERE run_changes.before -> p.key IS DISTINCT FROM run_changes.after -> p.key
$$;
COMMENT ON FUNCTION run_changes(jsonb, jsonb) IS
'Names of the parts in which two states of a collection (run_state) differ; NULL if they are equal';
