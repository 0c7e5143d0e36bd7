-- rerank_run: create a run that reranks the first n documents of each query of a stored run by embeddings: for
-- instance BM25 first, vectors second.
--
--   SELECT * FROM stc.rerank_run('bm25-minilm', 'bm25');
--   SELECT * FROM stc.rerank_run('bm25-passages', 'bm25', field => 'passage', n => 1000);
--
--   score(q, d) = cosine of the vectors of q and d (Nogueira & Cho 2019, arXiv:1901.04085, is the same cascade with a
--   cross-encoder)
--
-- Cosines are computed for each of the n documents; no vector index is read. field: document (the abstract, or the
-- title of a document without one, as in hybrid_search), title, abstract, content, or passage (the best passage of the
-- document). model: short name of an embedding model; NULL is the default model.
--
-- Only documents of the run are ranked, so a filter of the run applies to the new one. Documents without a vector of
-- the field, and those below rank n, follow in their order (rerank_store). A query without a text keeps its ranking.
-- Vectors of queries are those of embed_query. depth: maximum number of documents per query, NULL all. Ranked by
-- trec_eval 9's rule. params of the new run contains n, depth, field, model and the run that was reranked.
--
-- pairs is the number of cosines, untouched the number of queries that keep their ranking.
-- Raises IR101 no such run, IR105 no such model, IR106 no such field, IR201 n or depth below 1, IR202 a name that is
-- taken (unless replace) or that of the reranked run, IR405 no vectors, and the errors of embed_query.
CREATE OR REPLACE FUNCTION rerank_run(
    run text, first_stage text, field text DEFAULT 'document', model text DEFAULT NULL, n integer DEFAULT 100,
    depth integer DEFAULT NULL, replace boolean DEFAULT false
)
RETURNS TABLE (queries bigint, ranked bigint, pairs bigint, untouched bigint)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    source integer := rerank_check(rerank_run.run, rerank_run.first_stage, rerank_run.field, rerank_run.model,
                                   rerank_run.n, rerank_run.depth, rerank_run.replace);
    space vector_models := vector_model(rerank_run.model);
    keys integer[];
    docs bigint[];
    scores double precision[];
BEGIN
    SELECT array_agg(c.query), array_agg(c.doc), array_agg(c.score) INTO keys, docs, scores
      FROM rerank_cosines(source, rerank_run.field, space, rerank_run.n) c;
    IF docs IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('no document of the run %s has a vector of %s to rerank by', rerank_run.first_stage,
                             rerank_run.field),
            HINT = 'Check that its queries have texts (''stc load --as topics'') and its documents vectors '
                   '(''stc show vectors'').';
    END IF;
    SELECT s.stored_queries, s.ranked INTO queries, ranked
      FROM rerank_store(rerank_run.run, source, keys, docs, scores,
                        jsonb_build_object(
                            'system', 'rerank', 'n', rerank_run.n, 'depth', rerank_run.depth, 'field', rerank_run.field,
                            'model', space.model,
                            'reranker', jsonb_strip_nulls(jsonb_build_object('model', space.name,
                                                                             'revision', space.revision))),
                        rerank_run.depth, rerank_run.replace) s;
    pairs := cardinality(docs);
    untouched := queries - (SELECT count(DISTINCT u.query) FROM unnest(keys) u (query));
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION rerank_run(text, text, text, text, integer, integer, boolean) IS
'Create a run that reranks the first n documents of a stored run by the cosines of their vectors';
