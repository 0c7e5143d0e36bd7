-- lucene_search: the documents that match a query in the style of Lucene, best first: a boolean condition, scored by
-- the BM25 of its words.
--
--   SELECT * FROM lucene_search('{"must": [{"text": "privacy"}, {"fact": "year", "from": 2018}], "must_not":
--       [{"text": "games"}]}', 10);
--
-- A query is a node, a JSON object:
--
--   {"must": [node, …], "filter": [node, …], "should": [node, …], "must_not": [node, …], "minimum": 0 or 1}
--        all of must and filter, none of must_not; at least one of should if there is no must or filter, or if
--        minimum is 1
--   {"text": "voice", "kind": "word", "field": "title"}
--        kind: word (default; its parts must be adjacent), phrase, prefix. field: content (default: title and
--        abstract), title, abstract, read as in the text index; venue, authors, fos compared by plain words; doc_type
--        compared as a whole, in any case
--   {"fact": "year", "from": 2010, "to": 2020}    year, citations, references; either end may be missing
--   {"docnos": ["1234"]}   {"exists": "abstract"}   {"all": true}   {"none": true}
--
-- Any node except the first form may have a boost. Text without a word that counts (only stop words) is dropped, and a
-- query without anything else finds nothing. A query with only must_not finds all other documents.
--
--   score(d) = sum of boost · BM25(w, d) over the words w of text under must or should, including words of phrases,
--              wherever they occur
--            + sum of the boosts of the other nodes under must or should that match (prefixes, facts, names:
--                constants, as in Lucene)
--
-- BM25: bm25_weighted; queries of words only are passed to bm25_search. filter nodes add nothing. Equal scores by docno
-- descending ("C").
-- filter: only documents that match it (filter_condition).
-- Raises IR201 k below 1, IR202 an invalid query or filter, IR401 the text index is stale, IR402 no text index exists.
CREATE OR REPLACE FUNCTION public.lucene_search(query jsonb, k integer DEFAULT 100, filter jsonb DEFAULT NULL)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
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
    PERFORM check_k(lucene_search.k);
    IF condition IS NULL THEN
        RETURN;
    END IF;
    SELECT * INTO state FROM text_index;
    SELECT array_agg(s.lexeme), array_agg(s.weight) INTO lexemes, weights
      FROM (SELECT w.lexeme, sum(l.boost * w.qtf) AS weight
              FROM lucene_leaves(lucene_search.query) l,
                   query_words(coalesce(state.config, text_config()), indexed_words(l.node ->> 'text')) w
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
        -- If any of the words is enough, every document that scores matches.
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
'Top k documents for a query in the style of Lucene: a boolean condition on text and facts, scored by BM25';
