-- run_metadata: provenance of a run, in the sections of ir_metadata (https://www.ir-metadata.org).
--
-- For every run: tag, whether it is automatic, how ties are broken, and team. For a run made in this collection also:
-- the system with its parameters, including the indexes it read; the embedding model; the corpus; when it was made; the
-- versions of the server and its extensions; and, as source, the revision of the tables and the fingerprint of all
-- functions (stc_objects). It depends only on the collection, so a run has the same metadata whether it was made from
-- the command line, Python, the page or SQL. params that members wrote are read whatever they contain: a model that is
-- not stored, or values that programs cannot read (plain_metadata), are left out.
-- Raises IR101 no such run.
CREATE OR REPLACE FUNCTION run_metadata(run text) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object(
               'schema-version', 0.2,
               'tag', coalesce(n.tag, n.run),
               'actor', CASE WHEN n.team <> '' THEN jsonb_build_object('team', n.team) END,
               'method', jsonb_build_object('automatic', NOT n.manual, 'score ties',
                                            'docno descending, scores in single precision')))
           || CASE WHEN n.source IS NULL THEN jsonb_build_object(
               'platform', jsonb_build_object('software', jsonb_build_object(
                   'libraries', jsonb_build_object('postgresql',
                                                   jsonb_build_array('postgresql=='
                                                                     || split_part(
                                                                                   current_setting(
                                                                                    'server_version'), ' ', 1))
                       || (SELECT jsonb_agg(format('%s==%s', e.extname, e.extversion) ORDER BY e.extname)
                             FROM pg_extension e)),
                   'retrieval toolkit', jsonb_build_array('stcollection'))),
               'implementation', jsonb_build_object(
                   'made', to_char(n.made AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"'),
                   'source', jsonb_build_object('lang', jsonb_build_array('sql'), 'commit',
                                                format('revision %s, functions %s',
                       (SELECT a.version_num FROM alembic_version a),
                       (SELECT md5(string_agg(o.fingerprint, '' ORDER BY o.file COLLATE "C")) FROM stc_objects o)))),
               'method', jsonb_build_object(
                   'automatic', NOT n.manual, 'score ties', 'docno descending, scores in single precision',
                   'retrieval', jsonb_build_array(
                       jsonb_build_object('name', n.run, 'method', coalesce(n.params ->> 'system', n.family))
                       || (plain_metadata(n.params, 29) - '{system,name,method}'::text[])
                       || CASE WHEN n.params ->> 'system' ~ '^(dense|sparse|rocchio|hybrid)'
                                    AND (coalesce(n.params ->> 'model', 'minilm') = 'minilm' OR EXISTS (
                                        SELECT FROM vector_models k WHERE k.model = n.params ->> 'model' COLLATE "C"))
                               THEN jsonb_build_object('embedding', (
                              SELECT jsonb_strip_nulls(jsonb_build_object('model', m.model, 'name', m.name, 'revision',
                                                                          m.revision,
                                         'dim', m.dim, 'pooling', m.pooling, 'max tokens', m.max_tokens,
                                         'query prefix', nullif(m.query_prefix, ''),
                                         'passage prefix', nullif(m.passage_prefix, ''),
                                         'made by', to_jsonb(m.made_by)))
                                FROM vector_model(n.params ->> 'model', sparse => NULL) m)) ELSE '{}' END)),
               'data', jsonb_build_object('test collection',
                                          jsonb_strip_nulls(jsonb_build_object('name', current_database(), 'source', (
                   SELECT string_agg(DISTINCT regexp_replace(f.path, '^.*/', ''), ', ') FROM corpus_files f
                    WHERE f.state = 'loaded')))))
              ELSE '{}' END
      FROM st1_runs n
     WHERE n.id = (run_keys(ARRAY[run_metadata.run]))[1]
$$;
COMMENT ON FUNCTION run_metadata(text) IS
    'Provenance of a run in the format of ir_metadata: system, parameters, model, corpus and software versions';
