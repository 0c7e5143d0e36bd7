-- pool_share: documents of a pool that an annotator should judge, with their place on the sheet; all documents if the
-- pool is not shared (share_pool).
--
-- Queries come one after another. The order of queries and of their documents differs between annotators and depends on
-- the pool's seed. token is the document's name on a sheet that leaves the database; it is made of letters and digits
-- that spreadsheets do not read as a number.
-- Raises IR110 no such pool, IR202 no annotator name, or the pool is not shared with the annotator.
CREATE OR REPLACE FUNCTION pool_share(pool text, annotator text)
RETURNS TABLE (place integer, token text, query integer, doc bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(pool_share.pool);
    params jsonb := (SELECT p.params FROM qrels_pools p WHERE p.id = pool_id);
    seed text := params ->> 'seed';
    people text[] := ARRAY(SELECT jsonb_array_elements_text(params #> '{shares,annotators}'));
    overlap numeric := coalesce((params #>> '{shares,overlap}')::numeric, 0);
    me integer := array_position(people, pool_share.annotator) - 1;
    n integer := cardinality(people);
BEGIN
    IF coalesce(btrim(pool_share.annotator), '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the annotator is empty',
            HINT = 'Give a name, such as anna.';
    END IF;
    PERFORM check_name('annotator', pool_share.annotator);
    IF n > 0 AND me IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the pool %L is not shared with %L', pool_share.pool, pool_share.annotator),
            HINT = format('Its annotators are %s.', array_to_string(people, ', '));
    END IF;
    RETURN QUERY
    WITH document AS (
        SELECT d.query, d.doc, q.query AS query_name, e.docno, concat_ws(':', seed, q.query, e.docno) AS name,
               row_number() OVER (ORDER BY md5(concat_ws(':', 'share', seed, q.query)), q.query, d.position) AS number
          FROM qrels_pool_documents d JOIN st1_queries q ON q.id = d.query JOIN dblp e ON e.id = d.doc
         WHERE d.pool = pool_id),
    divided AS (
        SELECT d.*, floor(d.number * overlap) > floor((d.number - 1) * overlap) AS twice,
               floor(d.number * overlap)::integer - 1 AS pair,
               (d.number - floor(d.number * overlap))::integer - 1 AS single
          FROM document d)
    SELECT row_number() OVER (ORDER BY md5(concat_ws(':', 'sheet', seed, pool_share.annotator, d.query_name)),
                              d.query_name,
                                       md5(concat_ws(':', 'sheet', d.name, pool_share.annotator)), d.docno)::integer,
           'k' || left(md5(concat_ws(':', pool_share.pool, d.name)), 15), d.query, d.doc
      FROM divided d
     WHERE n = 0 OR CASE WHEN d.twice THEN me IN (d.pair % n, (d.pair + 1 + d.pair / n % (n - 1)) % n)
                         ELSE d.single % n = me END;
END
$$;
COMMENT ON FUNCTION pool_share(text, text) IS
    'Documents of a pool that an annotator should judge, with place on the sheet and token, in the order of the sheet';
