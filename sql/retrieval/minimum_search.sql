-- minimum_search: the documents that contain at least a number of given words and match a tsquery (empty: all match).
-- Part of boolean_search for long questions.
--
--   score(d) = sum over the words w of d of  idf(w) · (1 if w is in the title, else 0.4)
--   idf(w)   = ln(1 + (N − df + 0.5) / (df + 0.5))             (N and df of the text index; 1 without one)
--
-- This is an OR query with the weights of ts_rank, in which each word counts once by its idf (Robertson & Zaragoza,
-- FnTIR 3(4), 2009). With the plain number of words instead, nDCG@10 falls to a quarter on long questions.
--
-- So a score is 0.4 · most + 0.6 · top, where most and top are the sums of the idfs of the words of the document and of
-- its title. A score of at least `worth` needs a most of at least worth, because top is at most as high. If most is
-- below m · worth, it also needs a top above (1 − 0.4 m) · worth / 0.6. The search takes both conditions for each step
-- of m, and none for top above the last one. The GIN index, which has the words of the titles once more, finds a
-- superset of these documents (words_worth); only their rows are read. The search begins with a high worth and lowers
-- it until the k-th score found reaches it: every other document has a lower score then.
--
-- lexemes: at least at_least of them must occur, 0 or more. Scores are rounded to float4, so that sums that differ only
-- by their order are equal; equal scores by docno descending ("C"); exact top k. k and filter are checked by
-- boolean_search.
CREATE OR REPLACE FUNCTION minimum_search(
    lexemes text[], at_least integer, required tsquery, k integer, filter jsonb DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET jit = off  -- compiling takes longer than most queries
AS $$
DECLARE
    condition CONSTANT text := filter_condition(minimum_search.filter);
    n CONSTANT integer := cardinality(minimum_search.lexemes);
    deep CONSTANT integer := 2;  -- more conditions take longer to test than they spare
    terms tsquery[];
    titles tsquery[];
    weights double precision[];
    postings bigint;
    whole double precision;
    worth double precision;
    steps CONSTANT double precision[] := '{1, 1.45, 2.1}';
    wanted tsquery[];
    titled tsquery[];
    statement text;
    found record;
    docs bigint[];
    scores double precision[];
BEGIN
    -- The rarest first; words that no document contained at the build cost nothing.
    SELECT array_agg(w.term ORDER BY w.df, w.lexeme),
           array_agg((w.term::text || ':A')::tsquery ORDER BY w.df, w.lexeme),
           array_agg(w.weight ORDER BY w.df, w.lexeme), sum(w.df), sum(w.weight)
      INTO terms, titles, weights, postings, whole
      FROM (SELECT l.lexeme, lexeme_term(l.lexeme) AS term, coalesce(x.documents, 0) AS df,
                   CASE WHEN i.documents IS NULL THEN 1
                        ELSE ln(1 + (i.documents - coalesce(x.documents, 0) + 0.5) / (coalesce(x.documents, 0) + 0.5))
                   END::double precision AS weight
              FROM unnest(minimum_search.lexemes) l (lexeme)
              LEFT JOIN text_lexemes x ON x.lexeme = l.lexeme COLLATE "C"
              LEFT JOIN text_index i ON true) w;
    -- One CASE for each word is several times as fast as a subquery over the words.
    SELECT format(
        $sql$SELECT s.id, (0.4 * s.most + 0.6 * s.top)::real::double precision AS value
               FROM (SELECT t.id, %s AS most, %s AS top, %s AS held
                       FROM dblp_text t %s
                      WHERE (numnode($5[1]) = 0 OR %s) %s) s
              WHERE s.most >= $6 AND s.held
              ORDER BY value DESC
              FETCH FIRST $7 ROWS WITH TIES$sql$,
        string_agg(format('CASE WHEN t.tsv @@ $2[%s] THEN $4[%1$s] ELSE 0 END', place), ' + '),
        string_agg(format('CASE WHEN t.tsv @@ $3[%s] THEN $4[%1$s] ELSE 0 END', place), ' + '),
        -- words_worth already requires up to deep words.
        CASE WHEN minimum_search.at_least <= deep THEN 'true'
             ELSE format('%s >= %s', string_agg(format('(t.tsv @@ $2[%s])::integer', place), ' + '),
                         minimum_search.at_least) END,
        CASE WHEN condition IS NOT NULL THEN 'JOIN dblp_facts d ON d.id = t.id' END,
        (SELECT string_agg(format($sql$(t.tsv @@ $5[%s]
                                        AND (numnode($8[%1$s]) = 0 OR ts_filter(t.tsv, '{a}') @@ $8[%1$s]))$sql$, step),
                           ' OR ')
           FROM generate_series(1, cardinality(steps)) step),
        ' AND ' || condition)
      INTO statement FROM generate_series(1, n) place;

    worth := CASE WHEN postings > 20000 THEN 0.6 * whole ELSE 0 END;
    LOOP
        FOR step IN 1 .. cardinality(steps) LOOP
            -- NULL finds no document.
            wanted[step] := CASE WHEN step = 1 OR (worth > 0 AND steps[step] * worth <= whole)
                THEN minimum_search.required
                     && words_worth(terms, weights, steps[step] * worth, minimum_search.at_least,
                                    CASE step WHEN cardinality(steps) THEN deep + 1 ELSE deep END) END;
            titled[step] := words_worth(
                terms, weights, coalesce(1 - 0.4 * steps[step + 1], 0) * worth / 0.6 * (1 - 1e-6), 0, deep);
        END LOOP;
        docs := '{}';
        scores := '{}';
        -- A loop, because Citus writes the rows of a subquery with a limit to a file.
        FOR found IN EXECUTE statement
        USING minimum_search.filter, terms, titles, weights, wanted, worth, minimum_search.k, titled LOOP
            docs := docs || found.id;
            scores := scores || found.value;
        END LOOP;
        -- Sums of weights may differ from rounded scores in the seventh digit.
        EXIT WHEN worth = 0 OR scores[minimum_search.k] * (1 - 1e-6) >= worth;
        -- The k-th score, if it is not much lower: k documents reach it.
        worth := CASE WHEN scores[minimum_search.k] > 0.45 * worth THEN scores[minimum_search.k] * (1 - 1e-6)
                      WHEN worth < 0.1 * whole THEN 0
                      ELSE 0.6 * worth END;
    END LOOP;
    RETURN QUERY SELECT * FROM rank_documents(docs, scores, minimum_search.k);
END
$$;
COMMENT ON FUNCTION minimum_search(text[], integer, tsquery, integer, jsonb) IS
'Part of boolean_search: documents with at least at_least of the lexemes, scored by idf, title above abstract; '
'exact top k';
