-- lucene_search: the documents that a query of Lucene's kind finds, best first: a boolean condition, and BM25 of its
-- words.
--
--   SELECT * FROM lucene_search('{"must": [{"text": "privacy"}, {"fact": "year", "from": 2018}], "must_not":
--       [{"text": "games"}]}', 10);
--
-- A query is a node, a JSON object:
--
--   {"must": [node, …], "filter": [node, …], "should": [node, …], "must_not": [node, …], "minimum": 0 or 1}
--        all of must and filter, none of must_not; one of should where there is no must or filter,
--            or where minimum is 1
--   {"text": "voice", "kind": "word", "field": "title"}
--        kind: word (the default; its parts side by side), phrase, prefix. field: content (the default:
--            title and abstract), title,
--        abstract, as the text index reads them; venue, authors, fos by their plain words; doc_type as a whole,
--            in any case
--   {"fact": "year", "from": 2010, "to": 2020}    year, citations, references; either end may be missing
--   {"docnos": ["1234"]}   {"exists": "abstract"}   {"all": true}   {"none": true}
--
-- Any node but the first form may have a boost. Text without a word that counts (stop words) goes, and leaves nothing
-- to ask; a query of nothing but must_not is all documents but those.
--
--   score(d) = sum of boost · BM25(w, d) over the words w of text that must or should be, phrases' words among them,
--              wherever they stand
--            + sum of the boosts of the other nodes that must or should be, and hold (prefixes, facts, names:
--                constants, as in Lucene)
--
-- BM25: bm25_weighted; words alone are left to bm25_search. What only filters adds nothing. Ties by docno descending
-- ("C").
-- filter: only documents that it lets through (filter_condition).
-- Raises IR201 k below 1, IR202 a query or a filter that cannot be read, IR401 the text index is stale, IR402 there is
-- none.
CREATE OR REPLACE FUNCTION public.lucene_search(query jsonb, k integer DEFAULT 100, filter jsonb DEFAULT NULL)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc, public, pg_temp
SET jit = off
AS $$
DECLARE
    condition text := lucene_condition(lucene_search.query);
    narrowed text := filter_condition(lucene_search.filter);
    state text_index;
    fixed text;
    lexemes text[];
    weights double precision[];
    plain boolean;
    simple text;
    docs bigint[];
BEGIN
    IF lucene_search.k IS NULL OR lucene_search.k < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = format('k is %s', coalesce(lucene_search.k::text, 'NULL')),
            HINT = 'k is how many documents to return, 1 or more.';
    ELSIF condition IS NULL THEN
        RETURN;
    END IF;
    SELECT * INTO state FROM text_index;
    SELECT array_agg(s.lexeme), array_agg(s.weight) INTO lexemes, weights
      FROM (SELECT w.lexeme, sum(l.boost * w.qtf) AS weight
              FROM lucene_leaves(lucene_search.query) l,
                   query_words(coalesce(state.config, text_config()), l.node ->> 'text') w
             WHERE l.scored GROUP BY w.lexeme) s;
    SELECT string_agg(format('coalesce(($2 #>> %L)::double precision, 1) * ((%s) IS TRUE)::integer',
                             f.path || '{boost}', f.condition), ' + ')
      INTO fixed
      FROM (SELECT l.path, lucene_condition(l.node, l.path) AS condition
              FROM lucene_leaves(lucene_search.query) l WHERE NOT l.scored) f
     WHERE f.condition IS NOT NULL;

    IF lexemes IS NOT NULL THEN
        IF NOT bm25_fast(state, NULL) THEN
            PERFORM bm25_stand_in(state, NULL);
        END IF;
        -- Words of which any will do: whatever scores is found.
        SELECT narrowed IS NULL AND (lucene_search.query ? 'text'
                                     OR NOT lucene_search.query ?| '{must,filter,must_not}')
               AND bool_and(l.scored AND cardinality(l.path) < 3 AND l.boost > 0
                            AND coalesce(l.node ->> 'field', 'content') = 'content'
                            AND numnode(lucene_text(l.node)) < 2),
               CASE WHEN bool_and(l.boost = 1 AND l.node ->> 'text' ~ '^[[:alnum:]]+$'
                                  AND l.node ->> 'text' !~* '^(or|and)$')
                    THEN string_agg(l.node ->> 'text', ' ') END
          INTO plain, simple FROM lucene_leaves(lucene_search.query) l;
        IF plain AND simple IS NOT NULL THEN
            RETURN QUERY SELECT * FROM bm25_search(simple, lucene_search.k);
            RETURN;
        ELSIF plain THEN
            RETURN QUERY SELECT * FROM bm25_weighted(lexemes, weights, lucene_search.k);
            RETURN;
        END IF;
    END IF;

    condition := concat_ws(' AND ', '(' || condition || ')', narrowed);
    IF lexemes IS NULL THEN
        RETURN QUERY EXECUTE format(
            $sql$SELECT f.id, f.value, (row_number() OVER (ORDER BY f.value DESC, f.docno DESC))::integer
                   FROM (SELECT t.id, (%s)::real::double precision AS value, o.docno
                           FROM dblp_text t JOIN dblp o ON o.id = t.id LEFT JOIN dblp_facts d ON d.id = t.id
                            LEFT JOIN dblp b ON b.id = t.id
                          WHERE %s ORDER BY value DESC, o.docno DESC LIMIT $3) f
                  ORDER BY f.value DESC, f.docno DESC$sql$, coalesce(fixed, '0'), condition)
        USING lucene_search.filter, lucene_search.query, lucene_search.k;
        RETURN;
    END IF;
    EXECUTE format('SELECT array_agg(t.id) FROM dblp_text t LEFT JOIN dblp_facts d ON d.id = t.id LEFT JOIN dblp b ON '
                   'b.id = t.id WHERE %s',
                   condition)
       INTO docs USING lucene_search.filter, lucene_search.query;
    IF docs IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format(
        $sql$WITH scored AS MATERIALIZED (SELECT s.doc, s.score FROM bm25_weighted($4, $5, $6, docs => $7) s),
             best AS (
                 SELECT t.id, (coalesce(s.score, 0) + %s)::real::double precision AS value
                   FROM unnest($7) u (id) JOIN dblp_text t ON t.id = u.id LEFT JOIN dblp_facts d ON d.id = t.id
                   LEFT JOIN dblp b ON b.id = t.id LEFT JOIN scored s ON s.doc = t.id
                  ORDER BY value DESC
                  FETCH FIRST $3 ROWS WITH TIES)
             SELECT f.id, f.value, (row_number() OVER (ORDER BY f.value DESC, o.docno DESC))::integer
               FROM best f JOIN dblp o ON o.id = f.id
              ORDER BY f.value DESC, o.docno DESC
              LIMIT $3$sql$, coalesce(fixed, '0'))
    USING lucene_search.filter, lucene_search.query, lucene_search.k, lexemes, weights,
          CASE WHEN fixed IS NULL THEN lucene_search.k ELSE cardinality(docs) END, docs;
END
$$;
COMMENT ON FUNCTION public.lucene_search(jsonb, integer, jsonb) IS
'Top k documents of a query of Lucene''s kind: a boolean condition on text and facts, scored by BM25 of its words';
