-- pool_share: documents of a pool that an annotator should judge (share_documents), with their place on the sheet. With
-- only_query, the key of a query, only its documents, and place counts from 1 among them.
--
-- Batches (order_pool) come first; within a batch, queries come one after another. The order of queries and of their
-- documents differs between annotators and depends on the pool's seed. token is the document's name on a sheet that
-- leaves the database; it is made of letters and digits that spreadsheets do not read as a number.
-- Raises IR110 no such pool, IR202 no annotator name, or the pool is not shared with the annotator.
CREATE OR REPLACE FUNCTION pool_share(pool text, annotator text, only_query integer DEFAULT NULL)
RETURNS TABLE (place integer, token text, query integer, doc bigint, batch integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    seed text := (SELECT p.params ->> 'seed' FROM qrels_pools p WHERE p.id = pool_key(pool_share.pool));
BEGIN
    RETURN QUERY
    WITH document AS (
        SELECT m.query, m.doc, m.batch, q.query AS query_name, d.docno, concat_ws(':', seed, q.query, d.docno) AS name
          FROM share_documents(pool_share.pool, pool_share.annotator, pool_share.only_query) m
          JOIN st1_queries q ON q.id = m.query
          JOIN dblp d ON d.id = m.doc)
    SELECT row_number() OVER (ORDER BY d.batch, sheet_place(seed, pool_share.annotator, d.query_name), d.query_name,
                                       md5(concat_ws(':', 'sheet', d.name, pool_share.annotator)) COLLATE "C",
                                       d.docno)::integer,
           'k' || left(md5(concat_ws(':', pool_share.pool, d.name)), 15), d.query, d.doc, d.batch
      FROM document d;
END
$$;
COMMENT ON FUNCTION pool_share(text, text, integer) IS
    'Documents of a pool that an annotator should judge, with place on the sheet and token, in the order of the sheet';
