-- label_pool: show assessors of a pool the grades that a language model gave in an edition, on the page.
--
--   judge     its annotator name (llm_overview); NULL if the edition has one
--   beside    true: next to the document. false: only after the assessor's own decision on the document
--   hidden    true: show the labels also while the edition is hidden. Otherwise a hidden edition shows none, and is
--             refused here
--
-- edition NULL shows no labels, the default.
-- Raises IR110 no such pool, IR102 no such edition, IR202 no such judge, several judges, or a hidden edition.
CREATE OR REPLACE FUNCTION label_pool(pool text, edition text, judge text DEFAULT NULL, beside boolean DEFAULT false,
                                      hidden boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(label_pool.pool);
    edition_id integer := CASE WHEN label_pool.edition IS NOT NULL THEN edition_key(label_pool.edition) END;
    judges text[] := ARRAY(SELECT DISTINCT j.annotator FROM qrels_judgments j
                            WHERE j.edition = edition_id AND j.origin = 'llm' ORDER BY j.annotator);
    chosen text := coalesce(label_pool.judge, judges[1]);
BEGIN
    IF edition_id IS NULL THEN
        UPDATE qrels_pools p SET params = p.params - 'labels' WHERE p.id = pool_id;
        RETURN;
    ELSIF cardinality(judges) = 0 OR chosen COLLATE "C" <> ALL (judges)
       OR (label_pool.judge IS NULL AND cardinality(judges) > 1) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format(CASE WHEN cardinality(judges) = 0 THEN 'no language model has judged in %1$L'
                                  WHEN label_pool.judge IS NULL THEN 'several language models have judged in %1$L'
                                  ELSE 'the language model %2$L has not judged in %1$L' END,
                             label_pool.edition, label_pool.judge),
            HINT = coalesce('Name one: ' || nullif(array_to_string(judges, ', '), '') || '.',
                            'Let one judge first: ''stc judge --llm''.');
    ELSIF NOT label_pool.hidden AND (SELECT e.hidden FROM qrels_editions e WHERE e.id = edition_id) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('edition %L is hidden', label_pool.edition),
            HINT = 'Assessors would learn its labels. If they may, use --show-hidden.';
    END IF;
    UPDATE qrels_pools p
       SET params = p.params || jsonb_build_object('labels', jsonb_build_object(
           'edition', label_pool.edition, 'judge', chosen, 'beside', label_pool.beside, 'hidden', label_pool.hidden))
     WHERE p.id = pool_id;
END
$$;
COMMENT ON FUNCTION label_pool(text, text, text, boolean, boolean) IS
    'Shows assessors of a pool the grades of a language model, after their own decision or beside the document';
