-- run_state: fingerprints of the parts of the collection that a system reads, as a JSON object. If two calls return the
-- same object, searches between them read the same collection.
--
--   queries     names, texts and excluded documents of the queries with a text, of the set query_set
--   articles    if the run searches articles: the topics of these queries and their articles
--   version     revision of the tables and fingerprint of all functions
--   function    fingerprint of the function and its weights, or of the stages, of a system that users added; it may
--               read all of the following
--   documents   the ledger of the corpus, and the sizes of dblp_text and dblp_facts
--   text        the text index, for systems that read it
--   passages    their size, for the system that searches their words
--   vectors     the models, their indexes and the sizes of their tables, for systems that read them
--   filter      for a filter: editions with their versions, and when readability and credibility were computed
--
-- It reads no large table, because it is called every few seconds. Documents or vectors that somebody changes by hand,
-- without a load and without making the tables larger, are not noticed.
CREATE OR REPLACE FUNCTION run_state(
    system text, filter jsonb DEFAULT NULL, model text DEFAULT NULL, query_set text DEFAULT 'all',
    query_from text DEFAULT 'query'
)
RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    reads CONSTANT text[] := (SELECT b.reads FROM product_systems() b WHERE b.system = run_state.system);
    own text;
    stages text;
    state jsonb;
BEGIN
    state := jsonb_build_object(
        'queries', (SELECT md5(string_agg(md5(concat_ws(' ', q.id, q.query, q.text, x.excluded)), '' ORDER BY q.id))
                      FROM run_queries(run_state.query_set, 'query') q JOIN st1_queries x ON x.id = q.id),
        'version', (SELECT md5(concat((SELECT a.version_num FROM alembic_version a),
                                      string_agg(o.fingerprint, '' ORDER BY o.file COLLATE "C"))) FROM stc_objects o),
        'documents', (SELECT concat_ws(' ', count(*), sum(k.documents), count(*) FILTER (WHERE k.incomplete),
                                       pg_relation_size('dblp_text'), pg_relation_size('dblp_facts'))
                        FROM corpus_chunks k));
    IF run_state.query_from = 'article' THEN
        state := state || jsonb_build_object('articles',
            (SELECT md5(string_agg(md5(concat_ws(' ', q.id, q.topic, q.text)), '' ORDER BY q.id))
               FROM run_queries(run_state.query_set, 'article') q));
    END IF;
    IF reads IS NULL THEN
        SELECT md5(concat(coalesce(pg_get_functiondef(o.routine), o.stages), o.fusion)), o.stages INTO own, stages
          FROM own_system(run_state.system) o;
        state := state || jsonb_build_object('function', own);
    END IF;
    IF reads IS NULL OR 'text' = ANY (reads) THEN
        state := state || jsonb_build_object('text', (SELECT md5(to_jsonb(t)::text) FROM text_index t));
    END IF;
    IF reads IS NULL OR 'passages' = ANY (reads) THEN
        state := state || jsonb_build_object('passages', pg_relation_size('dblp_passages'));
    END IF;
    IF stages IS NOT NULL THEN
        state := state || jsonb_build_object('vectors', (
            SELECT string_agg(vectors_state(pipeline_model(p.system, p.field, p.model, run_state.model)), ' '
                              ORDER BY p.place)
              FROM pipeline_stages(stages) p));
    ELSIF reads IS NULL OR reads && '{title,abstract,content,passage}' THEN
        state := state || jsonb_build_object('vectors',
            vectors_state(system_model(run_state.system, run_state.model)));
    END IF;
    IF run_state.filter IS NOT NULL AND run_state.filter <> '{}' THEN
        state := state || jsonb_build_object('filter', md5(concat_ws(' ',
            (SELECT jsonb_agg(jsonb_build_array(e.id, e.version) ORDER BY e.id) FROM qrels_editions e),
            (SELECT to_jsonb(b) FROM credibility_basis b), pg_relation_size('st1_complexity_metrics'))));
    END IF;
    RETURN state;
END
$$;
COMMENT ON FUNCTION run_state(text, jsonb, text, text, text) IS
'Fingerprints of what the results of a system depend on: queries, articles, documents, indexes, version, data of the '
'filter';
