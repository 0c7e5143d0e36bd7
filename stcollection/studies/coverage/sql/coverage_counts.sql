-- coverage_counts: current number of documents of the corpus that contain all words, for each of several sets of words.
--
--   SELECT * FROM coverage_counts('[["voice", "assistants", "privacy"], ["users", "privacy"]]');
--
-- The result of boolean_search(coverage_query(words), …) without a limit, counted from the GIN index. Equal sets are
-- counted once. A set without a word in the index (empty, or stop words only) has 0 documents.
--
-- word_sets: an array of arrays of strings; place is numbered from 1. within: as for coverage_query; text needs only
-- the index and row visibility, abstract also reads the rows.
-- Raises IR202 word_sets of another form, and the errors of coverage_query.
CREATE OR REPLACE FUNCTION coverage_counts(word_sets jsonb, within text DEFAULT 'text')
RETURNS TABLE (place integer, count bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
SET client_min_messages = warning  -- hides the notice "contains only stop words"
SET enable_seqscan = off  -- a sequential scan would detoast every vector for each set
AS $$
#variable_conflict use_column
DECLARE
    wanted tsquery[];
    distinct_queries tsquery[];
    counts bigint[] := '{}';
    found bigint;
BEGIN
    IF coverage_counts.word_sets IS NULL
       OR jsonb_path_exists(coverage_counts.word_sets, 'strict $ ? (@.type() <> "array")')
       OR jsonb_path_exists(coverage_counts.word_sets, 'strict $[*] ? (@.type() <> "array")')
       OR jsonb_path_exists(coverage_counts.word_sets, 'strict $[*][*] ? (@.type() <> "string")') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'word_sets is not an array of arrays of strings',
            HINT = 'Write it as in ''[["voice", "assistants"], ["privacy"]]''.';
    END IF;
    WITH asked AS MATERIALIZED (
        SELECT s.place::integer AS place, ARRAY(SELECT jsonb_array_elements_text(s.words)) AS words
          FROM jsonb_array_elements(coverage_counts.word_sets) WITH ORDINALITY s (words, place)),
    terms AS MATERIALIZED (
        SELECT w.word, parse_query(coverage_query(ARRAY[w.word], coverage_counts.within)) AS term
          FROM (SELECT DISTINCT u.word FROM asked a, unnest(a.words) u (word)) w),
    joined AS (
        SELECT a.place,
               (SELECT string_agg('(' || t.term::text || ')', ' & ' ORDER BY t.term::text COLLATE "C")
                  FROM terms t WHERE t.word = ANY (a.words) AND numnode(t.term) > 0)::tsquery AS query
          FROM asked a)
    SELECT array_agg(j.query ORDER BY j.place) INTO wanted FROM joined j;
    -- One count per statement: Citus cannot count for many queries in one.
    distinct_queries := ARRAY(SELECT DISTINCT u.query FROM unnest(wanted) u (query) WHERE u.query IS NOT NULL);
    FOR i IN 1 .. cardinality(distinct_queries) LOOP
        SELECT pg_catalog.count(*) INTO found FROM dblp_text t WHERE t.tsv @@ distinct_queries[i];
        counts[i] := found;
    END LOOP;
    RETURN QUERY
    SELECT w.place::integer, coalesce(c.number, 0)
      FROM unnest(wanted) WITH ORDINALITY w (query, place)
      LEFT JOIN unnest(distinct_queries, counts) c (query, number) ON c.query = w.query
     ORDER BY w.place;
END
$$;
COMMENT ON FUNCTION coverage_counts(jsonb, text) IS
    'Current number of documents of the corpus that contain all words, for each of several sets of words';
