-- share_documents: documents of a pool that an annotator should judge, in no order and without tokens (pool_share has
-- both); all documents if the pool is not shared (share_pool). Only those of one query, by its key, if only_query is
-- given.
--
-- Raises IR110 no such pool, IR202 no annotator name, or the pool is not shared with the annotator.
CREATE OR REPLACE FUNCTION share_documents(pool text, annotator text, only_query integer DEFAULT NULL)
RETURNS TABLE (query integer, doc bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(share_documents.pool);
    params jsonb := (SELECT p.params FROM qrels_pools p WHERE p.id = pool_id);
    seed text := params ->> 'seed';
    people text[] := ARRAY(SELECT jsonb_array_elements_text(params #> '{shares,annotators}'));
    overlap numeric := coalesce((params #>> '{shares,overlap}')::numeric, 0);
    me integer := array_position(people, share_documents.annotator) - 1;
    n integer := cardinality(people);
BEGIN
    IF coalesce(btrim(share_documents.annotator), '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the annotator is empty',
            HINT = 'Give a name, such as anna.';
    END IF;
    PERFORM check_name('annotator', share_documents.annotator);
    IF n > 0 AND me IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the pool %L is not shared with %L', share_documents.pool, share_documents.annotator),
            HINT = format('Its annotators are %s.', array_to_string(people, ', '));
    ELSIF n = 0 THEN
        RETURN QUERY
        SELECT d.query, d.doc FROM qrels_pool_documents d
         WHERE d.pool = pool_id
           AND (share_documents.only_query IS NULL OR d.query = share_documents.only_query);
        RETURN;
    END IF;
    RETURN QUERY
    WITH numbered AS (  -- queries in the order of the division, with the number of documents before them
        SELECT q.id, sum(count(*)) OVER (ORDER BY md5(concat_ws(':', 'share', seed, q.query)) COLLATE "C", q.query)
                     - count(*) AS documents_before
          FROM qrels_pool_documents d JOIN st1_queries q ON q.id = d.query
         WHERE d.pool = pool_id GROUP BY q.id, q.query),
    document AS (
        SELECT d.query, d.doc,
               (o.documents_before + row_number() OVER (PARTITION BY d.query ORDER BY d.position))::integer AS number
          FROM numbered o JOIN qrels_pool_documents d ON d.pool = pool_id AND d.query = o.id
         WHERE share_documents.only_query IS NULL OR o.id = share_documents.only_query),
    counted AS (
        SELECT d.*, floor(d.number * overlap)::integer AS pairs,
               floor((d.number - 1) * overlap)::integer AS pairs_before
          FROM document d),
    divided AS (
        SELECT d.query, d.doc, d.pairs > d.pairs_before AS twice, d.pairs - 1 AS pair, d.number - d.pairs - 1 AS single
          FROM counted d)
    SELECT d.query, d.doc FROM divided d
     WHERE CASE WHEN d.twice THEN me IN (d.pair % n, (d.pair + 1 + d.pair / n % (n - 1)) % n)
                ELSE d.single % n = me END;
END
$$;
COMMENT ON FUNCTION share_documents(text, text, integer) IS
    'Documents of a pool that an annotator should judge, of one query or all, without tokens and in no order';
