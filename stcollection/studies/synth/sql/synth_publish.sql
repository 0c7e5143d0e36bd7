-- synth_publish: create queries from a study's chosen candidates, and an edition of sparse judgments, in which the
-- source passage of each query is its only relevant document. All or nothing; repeating the call changes nothing.
--
-- Query names are prefix and a number from 1 with at least four digits. Queries of the origin that was matched come
-- first, then those of the other origins in the order given to select, each in the order of the passages. They keep
-- origin, model, prompt and source passage. Judgments have the origin llm, because no person made them, the annotator
-- sparse, and rel 1. The edition is simulated if the generator of a chosen query is, or the model that scored the
-- passages.
-- Raises IR112 no such study; IR202 invalid edition name or prefix, or the study was published with other names; IR302
-- a query named so, or an edition with other judgments, exists; IR405 nothing is chosen.
CREATE OR REPLACE FUNCTION synth_publish(study text, edition text, prefix text DEFAULT 'S')
RETURNS TABLE (origin text, queries bigint, added bigint, first text, last text, judgments bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    this synth_studies;
    edition_id integer;
    is_hidden boolean;
    taken text;
    stored bigint;
BEGIN
    IF coalesce(trim(synth_publish.edition), '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not a valid edition name', synth_publish.edition),
            HINT = 'Choose a name such as sparse or 2026-sparse.';
    END IF;
    PERFORM check_name('edition', synth_publish.edition);
    IF synth_publish.prefix IS NULL OR synth_publish.prefix ~ '\s' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not a valid prefix of query names', synth_publish.prefix),
            HINT = 'Choose a prefix without white space, such as S or 2026-.';
    END IF;
    -- serialise studies that may use the same names
    PERFORM pg_advisory_xact_lock(hashtextextended('synth_publish', 0));
    SELECT s.* INTO this FROM synth_studies s WHERE s.id = synth_study_key(synth_publish.study) FOR UPDATE;
    DROP TABLE IF EXISTS pg_temp.publishing;
    CREATE TEMPORARY TABLE publishing ON COMMIT DROP AS
    WITH chosen AS (
        SELECT c.id, c.doc, c.origin, c.model, c.prompt, c.text, c.query,
               row_number() OVER (ORDER BY o.place NULLS LAST, c.origin COLLATE "C", p.place, c.number) AS number,
               count(*) OVER () AS size
          FROM synth_candidates c
          JOIN synth_passages p ON p.study = c.study AND p.doc = c.doc
          LEFT JOIN jsonb_array_elements_text(jsonb_build_array(this.params #> '{select,origin}')
                                              || coalesce(this.params #> '{select,also}',
                                                          '[]')) WITH ORDINALITY AS o (origin, place)
                 ON o.origin = c.origin
         WHERE c.study = this.id AND c.chosen)
    SELECT c.*, synth_publish.prefix || lpad(c.number::text, greatest(4, length(c.size::text)), '0') AS name
      FROM chosen c;
    IF NOT EXISTS (SELECT FROM pg_temp.publishing) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('no candidate of study %L is chosen', synth_publish.study),
            HINT = format('Choose candidates with ''stc synth select %s --match EDITION''.', synth_publish.study);
    END IF;
    SELECT q.query INTO taken FROM pg_temp.publishing c JOIN st1_queries q ON q.id = c.query
     WHERE q.query <> c.name COLLATE "C" ORDER BY c.number LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('study %L is already published, with queries such as %L', synth_publish.study, taken),
            HINT = 'Use the same --prefix as before.';
    END IF;
    SELECT c.name INTO taken FROM pg_temp.publishing c JOIN st1_queries q ON q.query = c.name COLLATE "C"
     WHERE c.query IS DISTINCT FROM q.id ORDER BY c.number LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('query %L already exists and does not belong to this study', taken),
            HINT = 'Choose another --prefix.';
    END IF;

    WITH made AS (
        INSERT INTO st1_queries (query, text, origin, model, prompt, source)
        SELECT c.name, c.text, c.origin, c.model, c.prompt, c.doc FROM pg_temp.publishing c WHERE c.query IS NULL
         ORDER BY c.number
        RETURNING id, query)
    UPDATE synth_candidates s SET query = m.id
      FROM made m JOIN pg_temp.publishing c ON c.name = m.query WHERE s.id = c.id;

    INSERT INTO qrels_editions (edition, description)
    VALUES (synth_publish.edition, format('sparse: the passages that the queries of the study %s were made from',
                                          this.study))
    ON CONFLICT DO NOTHING;
    SELECT e.id, e.hidden INTO edition_id, is_hidden
      FROM qrels_editions e WHERE e.edition = synth_publish.edition COLLATE "C" FOR NO KEY UPDATE;
    SELECT format('%s %s', q.query, d.docno) INTO taken
      FROM qrels_judgments j JOIN st1_queries q ON q.id = j.query JOIN dblp d ON d.id = j.doc
     WHERE j.edition = edition_id
       AND NOT EXISTS (SELECT FROM pg_temp.publishing c
                        WHERE (c.name, c.doc, 'llm', 'sparse', 1) = (q.query, j.doc, j.origin, j.annotator, j.rel))
     ORDER BY j.id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('edition %L already has other judgments, for example %s', synth_publish.edition, taken),
            HINT = 'Sparse judgments need a separate edition. Use another --edition.';
    END IF;
    IF EXISTS (SELECT FROM pg_temp.publishing c JOIN st1_queries q ON q.query = c.name
                WHERE NOT EXISTS (SELECT FROM qrels_judgments j WHERE j.edition = edition_id AND j.query = q.id)) THEN
        INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator, hidden)
        SELECT edition_id, q.id, c.doc, 1, 'llm', 'sparse', is_hidden FROM pg_temp.publishing c
          JOIN st1_queries q ON q.query = c.name
         ORDER BY c.number
        ON CONFLICT DO NOTHING;
        GET DIAGNOSTICS stored = ROW_COUNT;
        IF this.params #> '{score,simulated}' = 'true'
           OR EXISTS (SELECT FROM pg_temp.publishing c
                       WHERE this.params #> ARRAY['generate', c.origin, 'simulated'] = 'true') THEN
            PERFORM mark_simulated(synth_publish.edition);
        END IF;
        INSERT INTO qrels_files (edition, path, judgments, added, hidden)
        SELECT edition_id, 'study:' || this.study, count(*), stored,
               (SELECT x.hidden FROM qrels_editions x WHERE x.id = edition_id)
          FROM pg_temp.publishing;
        UPDATE synth_studies s SET params = s.params || jsonb_build_object(
                   'publish', jsonb_build_object('edition', synth_publish.edition, 'prefix', synth_publish.prefix))
         WHERE s.id = this.id;
    END IF;
    RETURN QUERY
    SELECT c.origin, count(*), count(*) FILTER (WHERE c.query IS NULL), min(c.name COLLATE "C"),
           max(c.name COLLATE "C"), coalesce(stored, 0)
      FROM pg_temp.publishing c GROUP BY c.origin ORDER BY min(c.number);
    DROP TABLE pg_temp.publishing;
END
$$;
COMMENT ON FUNCTION synth_publish(text, text, text) IS
    'Creates queries from the chosen candidates of a study, and an edition of their sparse judgments; repeating it '
    'changes nothing';
