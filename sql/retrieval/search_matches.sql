-- search_matches: ids of all documents that match a query of bm25 (at least one word) or boolean, in no order. NULL if
-- the system ranks documents without matching words (embeddings, feedback), if boolean requires only some of the words
-- (words_wanted), or if more than at_most documents match.
--
-- For bm25 the number of matches is bounded by the document frequencies of the words, so a query of frequent words
-- costs one look-up of each word. filter: only documents that match it (filter_condition).
CREATE OR REPLACE FUNCTION search_matches(
    query text, system text, filter jsonb DEFAULT NULL, at_most integer DEFAULT 20000
)
RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning  -- suppresses the notice "contains only stop words"
SET jit = off
AS $$
DECLARE
    condition CONSTANT text := filter_condition(search_matches.filter);
    wanted tsquery;
    words integer;
    postings bigint;
    docs bigint[];
BEGIN
    IF search_matches.system = 'bm25' THEN
        SELECT string_agg(w.term::text, ' | ')::tsquery, sum(x.documents) INTO wanted, postings
          FROM query_words(text_config(), bm25_query(search_matches.query)) w
          LEFT JOIN text_lexemes x ON x.lexeme = w.lexeme COLLATE "C";
        IF postings > search_matches.at_most THEN
            RETURN NULL;
        END IF;
    ELSIF search_matches.system = 'boolean' THEN
        SELECT r.required && r.plain, coalesce(cardinality(r.words), 0) INTO wanted, words
          FROM read_query(search_matches.query) r;
        IF words > 0 AND (SELECT w.at_least FROM words_wanted(words) w) < words THEN
            RETURN NULL;
        END IF;
    ELSE
        RETURN NULL;
    END IF;
    IF wanted IS NULL OR coalesce(querytree(wanted), '') IN ('', 'T') THEN
        RETURN '{}';
    END IF;
    EXECUTE format('SELECT array_agg(f.id) FROM (SELECT t.id FROM dblp_text t %s WHERE t.tsv @@ $2 %s LIMIT $3) f',
                   CASE WHEN condition IS NOT NULL THEN 'JOIN dblp_facts d ON d.id = t.id' END, ' AND ' || condition)
       INTO docs USING search_matches.filter, wanted, search_matches.at_most + 1;
    RETURN CASE WHEN cardinality(docs) > search_matches.at_most THEN NULL ELSE coalesce(docs, '{}') END;
END
$$;
COMMENT ON FUNCTION search_matches(text, text, jsonb, integer) IS
'Ids of all documents that match a query of bm25 or boolean; NULL for other systems or if there are too many';
