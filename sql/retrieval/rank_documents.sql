-- rank_documents: the k best of documents with scores, by score descending, equal scores by docno descending ("C").
--
-- Reads docnos of tied documents only, in one statement without a join: if the collection is distributed, Citus would
-- copy the documents to every server to join them.
CREATE OR REPLACE FUNCTION rank_documents(docs bigint[], scores double precision[], k integer)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    tied bigint[];
    names text[];
BEGIN
    SELECT array_agg(s.doc) INTO tied
      FROM (SELECT u.doc, count(*) OVER (PARTITION BY u.score) AS n
              FROM unnest(rank_documents.docs, rank_documents.scores) u (doc, score)) s
     WHERE s.n > 1;
    IF tied IS NOT NULL THEN
        SELECT array_agg(d.id), array_agg(d.docno) INTO tied, names FROM dblp d WHERE d.id = ANY (tied);
    END IF;
    RETURN QUERY
    SELECT u.doc, u.score, (row_number() OVER (ORDER BY u.score DESC, t.docno COLLATE "C" DESC))::integer
      FROM unnest(rank_documents.docs, rank_documents.scores) u (doc, score)
      LEFT JOIN unnest(tied, names) t (doc, docno) ON t.doc = u.doc
     ORDER BY 3 LIMIT rank_documents.k;
END
$$;
COMMENT ON FUNCTION rank_documents(bigint[], double precision[], integer) IS
'The k best of documents with scores; equal scores by docno descending';
