-- step_outcome: the state of a step's result in the collection, as a short text to compare with that of the last build;
-- NULL if the collection has no such result.
--
-- kind: kind of the step. A kind that has no branch here is checked by stcollection/build/outcomes.py.
-- names: the measure, system, run or edition that the step made; or the SHA-256 of its files, or irds:NAME.
-- files: for judgments, the SHA-256 of the files; for scores, the runs, or none for all.
CREATE OR REPLACE FUNCTION step_outcome(kind text, names text[], files text[] DEFAULT '{}') RETURNS text
LANGUAGE sql STABLE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT CASE step_outcome.kind
        WHEN 'measures' THEN (
            SELECT md5(string_agg((to_jsonb(m) - '{place,added}'::text[])::text, ' ' ORDER BY m.kind))
              FROM own_measures m WHERE m.ir = ANY (step_outcome.names))
        WHEN 'systems' THEN (
            SELECT md5(string_agg(concat_ws(' ', s.title, coalesce(pg_get_functiondef(c.routine), s.function)), ' '))
              FROM own_systems s CROSS JOIN LATERAL system_call(s.function, s.fusion, s.system) c
             WHERE s.system = ANY (step_outcome.names) AND s.maker IS NULL AND c.fault IS NULL)
        WHEN 'corpus' THEN (
            SELECT counted(sum(f.documents + f.duplicates)::bigint, 'record') FROM corpus_files f
             WHERE (f.sha256 = ANY (step_outcome.names) OR f.path = ANY (step_outcome.names)) AND f.state = 'loaded'
            HAVING count(*) >= cardinality(step_outcome.names))
        WHEN 'text' THEN (
            SELECT concat_ws(' ', t.engine, t.config, t.words, t.k1, t.b, t.documents,
                             CASE WHEN NOT t.sound THEN 'stale' END)
              FROM text_status() t WHERE t.built IS NOT NULL)
        WHEN 'topics' THEN (
            SELECT md5(string_agg(concat_ws(' ', q.query, q.text), E'\n' ORDER BY q.query))
              FROM st1_queries q
             WHERE q.text IS NOT NULL AND q.id IN (
                   SELECT unnest(f.queries) FROM topic_files f
                    WHERE f.sha256 = ANY (step_outcome.names) OR f.path = ANY (step_outcome.names)))
        WHEN 'articles' THEN (
            SELECT md5(string_agg(concat_ws(' ', t.topic, t.article), E'\n' ORDER BY t.topic))
              FROM st1_topics t WHERE t.article IS NOT NULL)
        WHEN 'origins' THEN (
            SELECT md5(string_agg(concat_ws(' ', q.query, q.origin, q.model), E'\n' ORDER BY q.query))
              FROM st1_queries q WHERE q.origin <> 'human')
        WHEN 'qrels' THEN (
            SELECT counted(sum(f.judgments)::bigint, 'judgment')
              FROM (SELECT DISTINCT ON (f.sha256, f.path) f.judgments
                      FROM qrels_files f JOIN qrels_editions e ON e.id = f.edition
                     WHERE e.edition = ANY (step_outcome.names)
                       AND (f.sha256 = ANY (step_outcome.files) OR f.path = ANY (step_outcome.files))) f
            HAVING count(*) >= cardinality(step_outcome.files))
        WHEN 'subtopics' THEN (
            SELECT counted(count(*), 'judgment') FROM qrels_subtopics s JOIN qrels_editions e ON e.id = s.edition
             WHERE e.edition = ANY (step_outcome.names) HAVING count(*) > 0)
        WHEN 'preferences' THEN (
            SELECT counted(count(*), 'level') FROM qrels_preferences p JOIN qrels_editions e ON e.id = p.edition
             WHERE e.edition = ANY (step_outcome.names) HAVING count(*) > 0)
        WHEN 'readability' THEN (
            SELECT concat_ws(' ', string_agg(DISTINCT r.fingerprint, ' ' ORDER BY r.fingerprint), count(*))
              FROM st1_complexity_metrics m JOIN complexity_resources r ON r.id = m.resources HAVING count(*) > 0)
        WHEN 'credibility' THEN (
            SELECT concat_ws(' ', o.as_of, o.at_least, o.ranked, CASE WHEN o.stale THEN 'stale' END)
              FROM credibility_overview o WHERE o.ranked_at IS NOT NULL)
        WHEN 'annotations' THEN (
            SELECT counted(count(*), 'grade') FROM annotations a
             WHERE a.source = ANY (step_outcome.names) HAVING count(*) > 0)
        WHEN 'run' THEN (
            SELECT string_agg(concat_ws(' ', extract(epoch FROM n.made), n.version), ', ' ORDER BY n.run)
              FROM st1_runs n WHERE n.run = ANY (step_outcome.names))
        WHEN 'score' THEN (
            SELECT concat_ws(' ', e.version, (
                       SELECT md5(string_agg(concat_ws(' ', n.run, n.version, extract(epoch FROM n.made)), ', '
                                             ORDER BY n.run))
                         FROM st1_runs n WHERE n.run = ANY (step_outcome.files) OR step_outcome.files = '{}'))
              FROM qrels_editions e WHERE e.edition = ANY (step_outcome.names))
    END
$$;
COMMENT ON FUNCTION step_outcome(text, text[], text[]) IS
    'State of the result of a step of a recipe, to compare with the last build; NULL: no result';
