-- share_pool: divide a pool among annotators as evenly as possible; the share overlap of its documents goes to two of
-- them, the others to one each.
--
-- Documents are processed in an order given by the seed, query by query. Every (1 / overlap)th goes to two annotators,
-- floor(documents · overlap) in all, rotating through all pairs of annotators. The division follows from the pool, the
-- order of annotators, and overlap, so repeating the call changes nothing. It is stored with the documents of the pool
-- (qrels_pool_documents.annotators).
-- Raises IR110 no such pool, IR202 no annotator, one named twice, an overlap outside [0, 1] or with a single annotator,
-- or a different division after assessment has begun.
CREATE OR REPLACE FUNCTION share_pool(pool text, annotators text[], overlap numeric DEFAULT 0) RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(share_pool.pool);
    stored jsonb := (SELECT p.params -> 'shares' FROM qrels_pools p WHERE p.id = pool_id FOR UPDATE);
    wanted jsonb := jsonb_build_object('annotators', share_pool.annotators, 'overlap', trim_scale(share_pool.overlap));
    n integer := cardinality(share_pool.annotators);
BEGIN
    IF coalesce(cardinality(share_pool.annotators), 0) = 0
       OR EXISTS (SELECT FROM unnest(share_pool.annotators) AS a (name) WHERE coalesce(btrim(a.name), '') = '')
       OR EXISTS (SELECT FROM unnest(share_pool.annotators) AS a (name) GROUP BY a.name HAVING count(*) > 1) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not a list of annotators', share_pool.annotators),
            HINT = 'Name each annotator once: anna,ben.';
    ELSIF share_pool.overlap IS NULL OR share_pool.overlap NOT BETWEEN 0 AND 1
       OR (share_pool.overlap > 0 AND cardinality(share_pool.annotators) = 1) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('an overlap of %s with %s', coalesce(share_pool.overlap::text, 'NULL'),
                             counted(cardinality(share_pool.annotators), 'annotator')),
            HINT = 'The overlap is the share of documents that two annotators judge, from 0 to 1; 0 for one annotator.';
    ELSIF stored IS DISTINCT FROM wanted
       AND (EXISTS (SELECT FROM qrels_assessments a WHERE a.pool = pool_id)
            OR EXISTS (SELECT FROM qrels_comparisons c WHERE c.pool = pool_id)) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('pool %L is already being assessed, %s', share_pool.pool,
                             coalesce('shared as ' || stored::text, 'not shared')),
            HINT = 'Create another pool to divide it differently.';
    END IF;
    IF stored IS NOT DISTINCT FROM wanted THEN
        RETURN;
    END IF;
    UPDATE qrels_pools p SET params = p.params || jsonb_build_object('shares', wanted) WHERE p.id = pool_id;
    WITH numbered AS (
        SELECT d.query, d.doc,
               row_number() OVER (ORDER BY md5(concat_ws(':', 'share', p.params ->> 'seed', q.query)) COLLATE "C",
                                           q.query, d.position)::integer AS number
          FROM qrels_pools p
          JOIN qrels_pool_documents d ON d.pool = p.id
          JOIN st1_queries q ON q.id = d.query
         WHERE p.id = pool_id),
    counted AS (
        SELECT d.*, floor(d.number * share_pool.overlap)::integer AS pairs,
               floor((d.number - 1) * share_pool.overlap)::integer AS pairs_before
          FROM numbered d),
    divided AS (
        SELECT d.query, d.doc, d.pairs > d.pairs_before AS twice, d.pairs - 1 AS pair, d.number - d.pairs - 1 AS single
          FROM counted d)
    UPDATE qrels_pool_documents o
       SET annotators = CASE WHEN d.twice THEN ARRAY[share_pool.annotators[1 + d.pair % n],
                                                     share_pool.annotators[
                                                         1 + (d.pair + 1 + d.pair / n % (n - 1)) % n]]
                             ELSE ARRAY[share_pool.annotators[1 + d.single % n]] END
      FROM divided d
     WHERE o.pool = pool_id AND o.query = d.query AND o.doc = d.doc;
END
$$;
COMMENT ON FUNCTION share_pool(text, text[], numeric) IS
    'Divides a pool among annotators; the share overlap of its documents goes to two of them';
