-- minimum_search: the documents that contain at least a number of given words and match a tsquery (empty: all match).
-- Part of boolean_search for long questions.
--
--   score(d) = sum over the words w of d of  idf(w) · (1 if w is in the title, else 0.4)
--   idf(w)   = ln(1 + (N − df + 0.5) / (df + 0.5))             (N and df of the text index; 1 without one)
--
-- This is an OR query with the weights of ts_rank, in which each word counts once by its idf (Robertson & Zaragoza,
-- FnTIR 3(4), 2009). With the plain number of words instead, nDCG@10 falls to a quarter on long questions.
--
-- The documents are found in one of two ways, chosen by document frequencies:
--   * all words are looked up in the GIN index, without reading the rows' text, and counted by document; or
--   * a document with m of n words contains one of the n − m + 1 rarest. If few documents contain these, only those
--     documents are read. This is faster if m is close to n.
-- Then titles are read. A score is at most the score with all words in the title (most). The titles of the 2 k
-- documents with the highest are read first; then those of others whose most reaches the k-th score of these.
--
-- lexemes: at least at_least of them must occur, 0 or more. Scores are rounded to float4, so that sums that differ only
-- by their order are equal; equal scores by docno descending ("C"); exact top k. k and filter are checked by
-- boolean_search.
CREATE OR REPLACE FUNCTION minimum_search(
    lexemes text[], at_least integer, required tsquery, k integer, filter jsonb DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc, public, pg_temp
SET jit = off  -- compiling takes longer than most queries
AS $$
DECLARE
    condition CONSTANT text := filter_condition(minimum_search.filter);
    narrow CONSTANT boolean := numnode(minimum_search.required) > 0;
    n CONSTANT integer := cardinality(minimum_search.lexemes);
    names text[];
    terms tsquery[];
    weights double precision[];
    postings bigint;
    rare bigint;
    rarest tsquery;
    found text;
    scored text;
BEGIN
    -- The rarest first; words that no document contained at the build cost nothing.
    SELECT array_agg(w.lexeme ORDER BY w.df, w.lexeme), array_agg(w.term ORDER BY w.df, w.lexeme),
           array_agg(w.weight ORDER BY w.df, w.lexeme), sum(w.df),
           sum(w.df) FILTER (WHERE w.place <= n - minimum_search.at_least + 1),
           string_agg(w.term::text, ' | ') FILTER (WHERE w.place <= n - minimum_search.at_least + 1)::tsquery
      INTO names, terms, weights, postings, rare, rarest
      FROM (SELECT l.lexeme, lexeme_term(l.lexeme) AS term,
                   coalesce(x.documents, 0) AS df,
                   row_number() OVER (ORDER BY coalesce(x.documents, 0), l.lexeme) AS place,
                   CASE WHEN i.documents IS NULL THEN 1
                        ELSE ln(1 + (i.documents - coalesce(x.documents, 0) + 0.5) / (coalesce(x.documents, 0) + 0.5))
                   END::double precision AS weight
              FROM unnest(minimum_search.lexemes) l (lexeme)
              LEFT JOIN text_lexemes x ON x.lexeme = l.lexeme COLLATE "C"
              LEFT JOIN text_index i ON true) w;
    found := CASE
        WHEN minimum_search.at_least = 0 THEN
            'SELECT t.id, (SELECT sum(w.weight) FROM unnest($2, $3) w (term, weight) WHERE t.tsv @@ w.term) AS most
               FROM dblp_text t WHERE t.tsv @@ $5'
        -- Reading a row costs about as much as 50 entries of the index.
        WHEN rare * 50 < postings THEN
            'SELECT t.id, s.most
               FROM (SELECT t.id, tsvector_to_array(t.tsv) AS held FROM dblp_text t WHERE t.tsv @@ $6 OFFSET 0) t,
                    LATERAL (SELECT sum(w.weight) AS most FROM unnest($4, $3) w (lexeme, weight)
                              WHERE w.lexeme = ANY (t.held) HAVING count(*) >= $7) s'
        ELSE
            'SELECT t.id, sum(w.weight) AS most FROM unnest($2, $3) w (term, weight) JOIN dblp_text t ON t.tsv @@ w.term
              GROUP BY t.id HAVING count(*) >= $7'
    END;
    scored := 'SELECT b.id, (0.4 * b.most + 0.6 * coalesce(s.top, 0))::real::double precision AS value
                 FROM (SELECT l.id, l.most, tsvector_to_array(ts_filter(t.tsv, ''{a}'')) AS title
                         FROM let_through l JOIN dblp_text t ON t.id = l.id WHERE %s OFFSET 0) b,
                      LATERAL (SELECT sum(w.weight) AS top FROM unnest($4, $3) w (lexeme, weight)
                                WHERE w.lexeme = ANY (b.title)) s';
    RETURN QUERY EXECUTE format(
        $sql$WITH let_through AS MATERIALIZED (SELECT f.id, coalesce(f.most, 0) AS most FROM (%s) f %s),
             high (most) AS MATERIALIZED (
                 SELECT coalesce((SELECT l.most FROM let_through l ORDER BY l.most DESC OFFSET 2 * $8 - 1 LIMIT 1), 0)),
             first AS MATERIALIZED (%s),
             kth (value) AS MATERIALIZED (
                 SELECT coalesce((SELECT f.value FROM first f ORDER BY f.value DESC OFFSET $8 - 1 LIMIT 1), 0)),
             best AS (
                 SELECT s.id, s.value FROM (SELECT * FROM first UNION ALL %s) s
                  ORDER BY s.value DESC
                  FETCH FIRST $8 ROWS WITH TIES)
             SELECT s.id, s.value, (row_number() OVER (ORDER BY s.value DESC, d.docno DESC))::integer
               FROM best s JOIN dblp d ON d.id = s.id
              ORDER BY s.value DESC, d.docno DESC
              LIMIT $8$sql$,
        found,
        concat_ws(' ', CASE WHEN narrow THEN 'JOIN dblp_text t ON t.id = f.id AND t.tsv @@ $5' END,
                  'JOIN dblp_facts d ON d.id = f.id AND ' || condition),
        format(scored, 'l.most >= (SELECT h.most FROM high h)'),
        format(scored, 'l.most < (SELECT h.most FROM high h) AND l.most::real >= (SELECT k.value FROM kth k)'))
    USING minimum_search.filter, terms, weights, names, minimum_search.required, rarest, minimum_search.at_least,
    minimum_search.k;
END
$$;
COMMENT ON FUNCTION minimum_search(text[], integer, tsquery, integer, jsonb) IS
'Part of boolean_search: documents with at least at_least of the lexemes, scored by idf, title above abstract; '
'exact top k';
