-- boolean_search: the documents that contain the words of the query, best first.
--
-- The query uses the query language of docs/howto/search.md: all words are required, "a phrase" in this order,
-- +required, -excluded, a OR b, prefix*, title:word, abstract:word. Words are stemmed and stop words removed as in the
-- text index.
-- A query without a required part (empty, only stop words, only -games) returns no rows.
--
-- Long questions have more than 4 words (distinct lexemes; words with operators are not counted and stay required): a
-- document must contain only some of them (words_wanted). minimum sets their number for a query of any length; all are
-- required if the query has fewer. minimum 0 means 1 if nothing else is required.
--
-- Score: ts_rank with weight 1 for the title (A) and .4 for the abstract (B), without length normalisation; this was
-- better than ts_rank_cd and the normalisations on all-words queries derived from Cranfield, NPL and CACM. If only some
-- of the words are required, see minimum_search. The top k are exact, equal scores by docno descending ("C"), also at
-- rank k. Every write updates the GIN index, so a stale text index only affects the word weights of long questions.
--
-- filter: only documents that match it (filter_condition).
-- Raises IR201 k below 1, IR202 a minimum below 0 or an invalid filter.
CREATE OR REPLACE FUNCTION public.boolean_search(
    query text, k integer DEFAULT 100, filter jsonb DEFAULT NULL, minimum integer DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning  -- suppresses the notice "contains only stop words"
SET jit = off  -- compiling takes longer than most queries
AS $$
DECLARE
    asked record;
    wanted tsquery;
    words text[];
    n integer;
    at_least integer;
BEGIN
    PERFORM filter_condition(boolean_search.filter);  -- an invalid filter is an error for every query
    PERFORM check_k(boolean_search.k);
    IF boolean_search.minimum < 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('minimum is %s', boolean_search.minimum),
            HINT = 'minimum is the number of query words a document must contain, 0 or more. NULL sets it by the '
                         'length of the query.';
    END IF;
    SELECT * INTO asked FROM read_query(boolean_search.query);
    words := asked.words;
    n := coalesce(cardinality(words), 0);
    SELECT coalesce(boolean_search.minimum, w.at_least) INTO at_least FROM words_wanted(n) w;
    IF n > 0 AND at_least < n THEN
        IF boolean_search.minimum IS NULL THEN
            SELECT array_agg(r.lexeme) INTO words
              FROM (SELECT u.lexeme FROM unnest(asked.words) u (lexeme)
                      LEFT JOIN text_lexemes x ON x.lexeme = u.lexeme COLLATE "C"
                     -- Without an index: long words are rare words.
                     ORDER BY coalesce(x.documents, 0), length(u.lexeme) DESC, u.lexeme COLLATE "C"
                     LIMIT (SELECT w.counted FROM words_wanted(n) w)) r;
        ELSIF at_least = 0 AND coalesce(querytree(asked.required), '') IN ('', 'T') THEN
            at_least := 1;
        END IF;
        RETURN QUERY SELECT *
            FROM minimum_search(words, at_least, asked.required, boolean_search.k, boolean_search.filter);
        RETURN;
    END IF;

    wanted := asked.required && asked.plain;
    -- querytree is the part that an index can look up: empty, or T if the query only excludes.
    IF coalesce(querytree(wanted), '') IN ('', 'T') THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT * FROM matching_search(wanted, boolean_search.k, boolean_search.filter);
END
$$;
COMMENT ON FUNCTION public.boolean_search(text, integer, jsonb, integer) IS
'Documents that contain the words of a query (some words of a long one) and satisfy its operators; exact top k';
