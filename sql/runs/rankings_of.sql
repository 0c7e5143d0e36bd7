-- rankings_of: ranked documents of all runs that are among the given documents (dblp.id), one row per run, query and
-- document; all values are keys (st1_rankings).
--
-- Lists have no index on documents. For few documents, && finds the lists that contain one, which takes a tenth of the
-- time of a condition on st1_rankings.doc, because that reads each list document by document. For many documents, &&
-- would take longer, since it compares each with each.
CREATE OR REPLACE FUNCTION rankings_of(docs bigint[])
RETURNS TABLE (run integer, query integer, doc bigint, rank integer)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT l.run, l.query, l.doc, l.first - 1 + array_position(l.docs, l.doc)
      FROM (SELECT k.run, k.query, k.first, k.docs, unnest(k.docs) AS doc FROM stc.ranked_lists k
             WHERE cardinality(rankings_of.docs) > 20 OR k.docs && rankings_of.docs) l
     WHERE l.doc IN (SELECT unnest(rankings_of.docs))
$$;
COMMENT ON FUNCTION rankings_of(bigint[]) IS
    'Ranked documents of all runs that are among the given documents, one row per run, query and document';
