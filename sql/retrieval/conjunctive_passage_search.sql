-- conjunctive_passage_search: the documents with a passage that contains all words of the query. conjunctive_search
-- finds the words anywhere in title and abstract; here one sentence, or one window of words, has all of them.
--
--   SELECT * FROM stc.conjunctive_passage_search('voice assistants privacy', 10);
--
-- The query is read as in conjunctive_search. Score: ts_rank of the best passage. Titles are not part of passages, so a
-- document without an abstract is not found. Ordered by score descending, equal scores by docno descending as bytes,
-- exact for every k. filter: only documents that match it (filter_condition).
-- Raises IR201 k below 1, IR202 an invalid filter, IR402 passages without an index, IR405 no passages.
CREATE OR REPLACE FUNCTION conjunctive_passage_search(query text, k integer DEFAULT 100, filter jsonb DEFAULT NULL)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
SET jit = off
AS $$
DECLARE
    config CONSTANT regconfig := text_config();
    wanted CONSTANT tsquery := plainto_tsquery(
        config, required_words(config, conjunctive_passage_search.query));
    condition CONSTANT text := filter_condition(conjunctive_passage_search.filter);
    found record;
    docs bigint[] := '{}';
    scores double precision[] := '{}';
BEGIN
    PERFORM check_k(conjunctive_passage_search.k);
    PERFORM check_passages(config);
    IF numnode(wanted) = 0 THEN
        RETURN;
    END IF;
    -- The expression must be that of the index. A loop, because Citus writes the rows of a subquery with a limit to a
    -- file.
    FOR found IN EXECUTE format(
        $sql$SELECT p.doc, max(ts_rank(%1$s, $2))::double precision AS value
               FROM dblp_passages p
              WHERE %1$s @@ $2 %2$s
              GROUP BY p.doc
              ORDER BY value DESC
              FETCH FIRST $3 ROWS WITH TIES$sql$,
        passage_words(config, 'p.'), 'AND p.doc IN (SELECT d.id FROM dblp_facts d WHERE ' || condition || ')')
    USING conjunctive_passage_search.filter, wanted, conjunctive_passage_search.k LOOP
        docs := docs || found.doc;
        scores := scores || found.value;
    END LOOP;
    RETURN QUERY SELECT * FROM rank_documents(docs, scores, conjunctive_passage_search.k);
END
$$;
COMMENT ON FUNCTION conjunctive_passage_search(text, integer, jsonb) IS
'Documents with a passage that contains all words of a query, without operators';
