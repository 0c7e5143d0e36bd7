-- bm25_search: the k documents with the highest BM25 scores for the words of the query (formula and citation:
-- bm25_portable).
--
-- The query is plain text. Words are stemmed and stop words removed as in the text index. A repeated word counts each
-- time. Quotes and plus signs have no meaning, and words after a minus are not scored. Every text is a valid query; a
-- query without a word of the corpus returns no rows.
--
-- engine     NULL           pg_textsearch if the text index was built with it, else portable
--            pg_textsearch  its index, or an error
--            portable       computed with core PostgreSQL (bm25_portable)
-- A stale text index is used only for engine => 'portable', which then reads the rows directly: exact but slow, and
-- reported by a NOTICE. Otherwise the statistics of both engines are those of the build. The portable engine replaces
-- pg_textsearch, with a NOTICE, if the index is missing, the library is not loaded, or the index contains documents
-- that were never committed (text_index_touched).
--
-- filter: only documents that match it (filter_condition), with unchanged scores, and k of them if that many contain a
-- word of the query. If few documents match (filter_few), all of them are scored; otherwise the index is read as deep
-- as enough of its documents should match, and further if they do not (bm25_among).
--
-- In a distributed collection each shard has an index (bm25_on_shards).
--
-- Equal scores by docno descending ("C"), also at rank k: an index scan can end within a tie, so a few documents more
-- than k are read from pg_textsearch, and twice as many while the last score equals the k-th.
-- Raises IR201 k below 1, IR202 no such engine or an invalid filter, IR401 the text index is stale (or damaged:
-- bm25_check_silence), IR402 no text index exists (or none of that engine).
CREATE OR REPLACE FUNCTION public.bm25_search(
    query text, k integer DEFAULT 100, filter jsonb DEFAULT NULL, engine text DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
AS $$
    SELECT s.doc, s.score, s.rank
      FROM stc.bm25_among(bm25_search.query, bm25_search.k, bm25_search.filter, bm25_search.engine) s
$$;
COMMENT ON FUNCTION public.bm25_search(text, integer, jsonb, text) IS
'Top k documents by BM25 for the words of a query, by pg_textsearch if the text index was built with it';
