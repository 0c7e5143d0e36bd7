-- share_documents: documents of a pool that an annotator should judge, in no order and without tokens (pool_share has
-- both); all documents if the pool is not shared (share_pool). Only those of one query, by its key, if only_query is
-- given.
--
-- Raises IR110 no such pool, IR202 no annotator name, or the pool is not shared with the annotator.
CREATE OR REPLACE FUNCTION share_documents(pool text, annotator text, only_query integer DEFAULT NULL)
RETURNS TABLE (query integer, doc bigint, batch integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(share_documents.pool);
    people jsonb := (SELECT p.params #> '{shares,annotators}' FROM qrels_pools p WHERE p.id = pool_id);
BEGIN
    IF coalesce(btrim(share_documents.annotator), '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the annotator is empty',
            HINT = 'Give a name, such as anna.';
    END IF;
    PERFORM check_name('annotator', share_documents.annotator);
    IF NOT people ? share_documents.annotator THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the pool %L is not shared with %L', share_documents.pool, share_documents.annotator),
            HINT = format('Its annotators are %s.',
                          (SELECT string_agg(e.name, ', ' ORDER BY e.number)
                             FROM jsonb_array_elements_text(people) WITH ORDINALITY AS e (name, number)));
    END IF;
    RETURN QUERY
    SELECT d.query, d.doc, d.batch FROM qrels_pool_documents d
     WHERE d.pool = pool_id
       AND (share_documents.only_query IS NULL OR d.query = share_documents.only_query)
       AND (people IS NULL OR d.annotators @> ARRAY[share_documents.annotator] COLLATE "C");
END
$$;
COMMENT ON FUNCTION share_documents(text, text, integer) IS
    'Documents of a pool that an annotator should judge, of one query or all, without tokens and in no order';
