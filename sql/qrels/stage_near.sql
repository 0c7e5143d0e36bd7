-- stage_near: create the temporary table near for expanding judgments: the nearest neighbours (near_documents) of each
-- document that a person or a language model judged from_rel or better, for each query it is judged for.
--
-- Returns the edition's key and the numbers of such documents with and without a vector. place counts the neighbours of
-- a source before judged ones are excluded. field, model, effort: as in near_documents.
--
-- test: test editions whose queries may be expanded. If a query is judged by another edition of the split test, the
-- call fails, because labels made from a test's own judgments would make it easier.
--
-- query_set: only the queries of a set (query_set).
--
-- Raises IR102 no such edition, IR103 no such query or set, IR105, IR106, IR201, IR202 queries of a test edition, or
-- another argument out of range, IR405 no vectors.
CREATE OR REPLACE FUNCTION stage_near(
    edition text, neighbours integer, threshold double precision, from_rel integer, field text, model text, test text[],
    effort integer, query_set text DEFAULT 'all',
    OUT edition_id integer, OUT sources bigint, OUT without_vector bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(stage_near.model);
    judged bigint[];
    members CONSTANT integer[] := edition_queries(stage_near.edition, stage_near.query_set);
    held record;
BEGIN
    PERFORM vector_fields(ARRAY[stage_near.field]);
    edition_id := edition_key(stage_near.edition);
    PERFORM edition_key(t.name) FROM unnest(stage_near.test) AS t (name);
    judged := ARRAY(SELECT DISTINCT j.doc FROM qrels j
                     WHERE j.edition = stage_near.edition_id AND j.rel >= stage_near.from_rel AND j.origin <> 'knn'
                       AND j.query = ANY (members));
    SELECT e.edition AS name, count(DISTINCT j.query) AS queries INTO held
      FROM qrels_editions e JOIN qrels_judgments j ON j.edition = e.id
     WHERE e.split = 'test'
       AND j.query IN (SELECT s.query FROM qrels s
                        WHERE s.edition = stage_near.edition_id AND s.rel >= stage_near.from_rel AND s.origin <> 'knn'
                          AND s.query = ANY (members))
       AND j.query NOT IN (SELECT k.query FROM qrels_judgments k JOIN qrels_editions o ON o.id = k.edition
                            WHERE o.edition = ANY (stage_near.test COLLATE "C"))
     GROUP BY e.edition ORDER BY e.edition LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s of %s %s to the test edition %s', counted(held.queries, 'query'), stage_near.edition,
                             CASE held.queries WHEN 1 THEN 'belongs' ELSE 'belong' END, held.name),
            HINT = format('Labels made from a test''s own judgments make the test easier. To expand it anyway, use '
                          '--test %s.', held.name);
    END IF;

    EXECUTE format('SELECT count(*) FROM %I v WHERE v.id = ANY ($1) AND v.%I IS NOT NULL', space.relation,
                   vector_column(stage_near.field))
       INTO sources USING judged;
    without_vector := cardinality(judged) - sources;
    IF sources = 0 AND without_vector > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('none of the documents judged %s or better has a vector of the %s by %s',
                             stage_near.from_rel, stage_near.field, space.model),
            HINT = format('Create the vectors with ''stc vectors embed --field %s''.', stage_near.field);
    END IF;
    DROP TABLE IF EXISTS pg_temp.near;
    CREATE TEMP TABLE near AS
    SELECT j.query, j.rel, n.source, n.doc, n.similarity, n.place
      FROM near_documents(judged, stage_near.neighbours, stage_near.threshold, stage_near.field, stage_near.model,
                          stage_near.effort) n
      JOIN qrels j ON j.edition = stage_near.edition_id AND j.doc = n.source AND j.rel >= stage_near.from_rel
      AND j.origin <> 'knn' AND j.query = ANY (members);
    ANALYZE pg_temp.near;
END
$$;
COMMENT ON FUNCTION stage_near(text, integer, double precision, integer, text, text, text[], integer, text) IS
    'Creates the temporary table near: the nearest neighbours of each document that an edition judges relevant, '
    'for expand_near';
