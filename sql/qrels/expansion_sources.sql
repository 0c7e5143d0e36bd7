-- expansion_sources: the documents that a person or a language model judged from_rel or better, for the queries of a
-- set (query_set), whose neighbours expand an edition. Also returns the edition's key and the numbers of such documents
-- with and without a vector. field, model: as in near_documents.
--
-- test: test editions whose queries may be expanded. If a query is judged by another edition of the split test, the
-- call fails, because labels made from a test's own judgments would make it easier.
--
-- Raises IR102 no such edition, IR103 no such query or set, IR105, IR106, IR202 queries of a test edition, IR405 no
-- vectors.
CREATE OR REPLACE FUNCTION expansion_sources(
    edition text, from_rel integer, field text, model text, test text[], query_set text,
    OUT edition_id integer, OUT judged bigint[], OUT sources bigint, OUT without_vector bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(expansion_sources.model);
    members CONSTANT integer[] := edition_queries(expansion_sources.edition, expansion_sources.query_set);
    held record;
BEGIN
    PERFORM vector_fields(ARRAY[expansion_sources.field]);
    edition_id := edition_key(expansion_sources.edition);
    PERFORM edition_key(t.name) FROM unnest(expansion_sources.test) AS t (name);
    judged := ARRAY(SELECT DISTINCT j.doc FROM qrels j
                     WHERE j.edition = expansion_sources.edition_id AND j.rel >= expansion_sources.from_rel
                       AND j.origin <> 'knn' AND j.query = ANY (members));
    SELECT e.edition AS name, count(DISTINCT j.query) AS queries INTO held
      FROM qrels_editions e JOIN qrels_judgments j ON j.edition = e.id
     WHERE e.split = 'test'
       AND j.query IN (SELECT s.query FROM qrels s
                        WHERE s.edition = expansion_sources.edition_id AND s.rel >= expansion_sources.from_rel
                          AND s.origin <> 'knn' AND s.query = ANY (members))
       AND j.query NOT IN (SELECT k.query FROM qrels_judgments k JOIN qrels_editions o ON o.id = k.edition
                            WHERE o.edition = ANY (expansion_sources.test COLLATE "C"))
     GROUP BY e.edition ORDER BY e.edition LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s of %s %s to the test edition %s', counted(held.queries, 'query'),
                             expansion_sources.edition, CASE held.queries WHEN 1 THEN 'belongs' ELSE 'belong' END,
                             held.name),
            HINT = format('Labels made from a test''s own judgments make the test easier. To expand it anyway, use '
                          '--test %s.', held.name);
    END IF;

    EXECUTE format('SELECT count(*) FROM %I v WHERE v.id = ANY ($1) AND v.%I IS NOT NULL', space.relation,
                   vector_column(expansion_sources.field))
       INTO sources USING judged;
    without_vector := cardinality(judged) - sources;
    IF sources = 0 AND without_vector > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('none of the documents judged %s or better has a vector of the %s by %s',
                             expansion_sources.from_rel, expansion_sources.field, space.model),
            HINT = format('Create the vectors with ''stc vectors embed --field %s''.', expansion_sources.field);
    END IF;
END
$$;
COMMENT ON FUNCTION expansion_sources(text, integer, text, text, text[], text) IS
    'Documents that an edition judges relevant, whose neighbours expand it';
