-- judging_runs: runs that the labels of an edition may favour, because they are made with what made the labels. No row
-- for an edition without judgments by a language model.
--
--   judge     models whose labels count in the edition or in editions it was derived from
--   reason    model      the provenance of the run names the judge: its parameters, its family, or the sections method
--                        and data of its ir_metadata. Names match if one begins or ends the other, whole words, without
--                        regard to case, punctuation, and what precedes a slash: openai/gpt-4o and gpt-4o-2024-08-06
--             training   its provenance names the edition as training data, or it was tuned on it
--             scores     its value by the labels is above what its value by people and the other runs let expect,
--                        p < .05 after correction (label_residuals). Tested if all judgments are by models
--   evidence  the name that matches; for scores, the edition of people: of those that are not hidden, the one with
--             human judgments for most of the queries
--
-- runs: an empty array means all. measure, query_set: for scores, which are not tested if measure is NULL.
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query or set, IR108 no such measure.
CREATE OR REPLACE FUNCTION judging_runs(edition text, runs text[] DEFAULT '{}', measure text DEFAULT 'nDCG@10',
                                        query_set text DEFAULT 'all')
RETURNS TABLE (run text, reason text, judge text, evidence text, value double precision, expected double precision,
               p double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    edition_id CONSTANT integer := edition_key(judging_runs.edition);
    run_ids CONSTANT integer[] := run_keys(judging_runs.runs);
    source_ids integer[];
    judges text[];
    people text;
BEGIN
    IF NOT EXISTS (SELECT FROM qrels_judgments j WHERE j.edition = edition_id AND j.origin = 'llm') THEN
        RETURN;
    END IF;
    WITH RECURSIVE source AS (
        SELECT edition_id AS id
         UNION
        SELECT e.id FROM source s JOIN qrels_files f ON f.edition = s.id AND f.path LIKE 'edition:%'
          JOIN qrels_editions e ON e.edition = substr(f.path, 9) COLLATE "C")
    SELECT array_agg(s.id) INTO source_ids FROM source s;
    judges := ARRAY(
        SELECT DISTINCT coalesce(g.model, j.annotator)
          FROM (SELECT DISTINCT edition, annotator FROM qrels_judgments
                 WHERE edition = ANY (source_ids) AND origin = 'llm') j
          LEFT JOIN llm_judges g ON g.edition = j.edition AND g.annotator = j.annotator COLLATE "C"
         WHERE coalesce(g.model, j.annotator) <> '');
    RETURN QUERY
    WITH RECURSIVE leaf AS (
        SELECT n.run, false AS trains, w.value
          FROM st1_runs n
         CROSS JOIN LATERAL (VALUES (plain_metadata(n.params)), (to_jsonb(n.family)),
                                    (plain_metadata(n.metadata) -> 'method'), (plain_metadata(n.metadata) -> 'data')
                            ) AS w (value)
         WHERE n.id = ANY (run_ids) AND w.value IS NOT NULL
         UNION ALL
        SELECT l.run, l.trains OR i.key ~* 'train|tune|made.by', i.value
          FROM leaf l
         CROSS JOIN LATERAL (
               SELECT o.key, o.value FROM jsonb_each(CASE jsonb_typeof(l.value) WHEN 'object' THEN l.value END) o
                UNION ALL
               SELECT '', a.value FROM jsonb_array_elements(CASE jsonb_typeof(l.value) WHEN 'array' THEN l.value END) a
               ) i
         WHERE i.key !~* '^test.collection$'),
    named AS MATERIALIZED (
        SELECT DISTINCT l.run, l.trains, l.value #>> '{}' AS text FROM leaf l
         WHERE jsonb_typeof(l.value) = 'string' AND length(l.value #>> '{}') <= 500),
    judge AS (SELECT u.name, plain_model(u.name) AS plain FROM unnest(judges) AS u (name)),
    proof AS (
        SELECT n.run, 'model' AS reason, g.name AS judge, n.text
          FROM named n JOIN judge g ON plain_model(n.text) || '-' LIKE g.plain || '-%'
                                    OR '-' || plain_model(n.text) LIKE '%-' || g.plain
                                    OR (plain_model(n.text) ~ '^[a-z]+.*' AND length(plain_model(n.text)) > 1
                                        AND g.plain || '-' LIKE plain_model(n.text) || '-%')
         UNION ALL
        SELECT n.run, 'training', array_to_string(judges, ', '), n.text
          FROM named n JOIN qrels_editions e ON e.id = ANY (source_ids) AND e.edition = n.text COLLATE "C"
         WHERE n.trains)
    SELECT DISTINCT ON (f.run COLLATE "C", f.reason, f.judge COLLATE "C")
           f.run, f.reason, f.judge, f.text, NULL::double precision, NULL::double precision, NULL::double precision
      FROM proof f ORDER BY f.run COLLATE "C", f.reason, f.judge COLLATE "C", length(f.text), f.text COLLATE "C";
    IF judging_runs.measure IS NULL
        OR EXISTS (SELECT FROM qrels_judgments j WHERE j.edition = edition_id AND j.origin <> 'llm') THEN
        RETURN;
    END IF;
    SELECT e.edition INTO people
      FROM (SELECT j.edition, count(DISTINCT j.query) AS queries
              FROM qrels_judgments j
             WHERE j.origin = 'human' AND j.edition <> edition_id AND NOT j.hidden
               AND j.query = ANY (edition_queries(judging_runs.edition, judging_runs.query_set))
             GROUP BY j.edition) c
      JOIN qrels_editions e ON e.id = c.edition
     ORDER BY c.queries DESC, e.edition COLLATE "C" LIMIT 1;
    IF people IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT s.run, 'scores', array_to_string(judges, ', '), people, s.value_other, s.expected, s.p
      FROM label_systems(people, judging_runs.edition, judging_runs.measure, query_set => judging_runs.query_set) s
     WHERE s.origin = 'all' AND s.p < 0.05 AND s.value_other > s.expected
       AND (cardinality(judging_runs.runs) = 0 OR s.run = ANY (judging_runs.runs))
     ORDER BY s.run COLLATE "C";
END
$$;
COMMENT ON FUNCTION judging_runs(text, text[], text, text) IS
    'Runs that the labels of a language model may favour: they use the model, were trained on its labels, or score '
    'higher than people let expect';
