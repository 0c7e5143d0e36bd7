-- gathered_rankings: the rankings of a query that hybrid_search fuses, as rows for fuse. The arguments are those of
-- hybrid_search; depth must be valid.
--
-- Another ranker of the product is a line in fusion_ranking and its name in hybrid_rankers (and in lexical below, if it
-- uses no vectors).
-- Raises IR107 no such ranker, IR105 no such model, IR202 no ranker, or weights (fusion_weights), and the errors of the
-- rankings.
CREATE OR REPLACE FUNCTION gathered_rankings(
    query text, query_vector vector, rankers text[], weights jsonb, depth integer, filter jsonb, model text
)
RETURNS ranked[]
LANGUAGE plpgsql STABLE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    -- Only names that may be systems of users are looked up.
    own CONSTANT boolean := NOT rankers <@ hybrid_rankers();
    lexical CONSTANT text[] := '{bm25,boolean,rm3}'
        || CASE WHEN own THEN ARRAY(SELECT s.system FROM systems s WHERE s.maker IS NOT NULL AND NOT s.vector) END;
    known CONSTANT text[] := hybrid_rankers()
        || CASE WHEN own THEN ARRAY(SELECT s.system FROM systems s WHERE s.maker IS NOT NULL) END;
    asked record;
    names text[];
    factors double precision[];
    given text;
    models text[] := '{}';
    vectors vector[] := '{}';
    gathered ranked[] := '{}';
    matching bigint[];
BEGIN
    SELECT r.ranker INTO asked FROM unnest(gathered_rankings.rankers) r (ranker)
     WHERE r.ranker IS NULL OR split_part(r.ranker, ':', 1) <> ALL (known)
        OR r.ranker LIKE '%:%' AND (split_part(r.ranker, ':', 1) = ANY (lexical) OR r.ranker LIKE '%:'
                                    OR r.ranker LIKE '%:%:%')
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR107',
            MESSAGE = format('there is no ranker %s', coalesce(asked.ranker, 'NULL')),
            HINT = format('The rankers are %s; a ranker that uses vectors can name its model: title:minilm.',
                          array_to_string(known, ', '));
    ELSIF coalesce(cardinality(gathered_rankings.rankers), 0) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'no rankers to fuse',
            HINT = format('The rankers are %s.', array_to_string(known, ', '));
    END IF;
    names := ARRAY(SELECT r.ranker FROM unnest(gathered_rankings.rankers) WITH ORDINALITY r (ranker, place)
                    GROUP BY r.ranker ORDER BY min(r.place));
    factors := fusion_weights(names, gathered_rankings.weights);

    -- The vectors first: a missing one raises an error before anything is searched.
    IF gathered_rankings.query_vector IS NOT NULL THEN
        models := ARRAY[(vector_model(gathered_rankings.model, sparse => NULL)).model];
        vectors := ARRAY[gathered_rankings.query_vector];
    END IF;
    FOR asked IN SELECT u.ranker FROM unnest(names, factors) u (ranker, weight)
                  WHERE u.weight > 0 AND u.ranker <> ALL (lexical) LOOP
        given := ranker_model(asked.ranker, gathered_rankings.model);
        IF given <> ALL (models) THEN
            models := models || given;
            vectors := vectors || embed_query(gathered_rankings.query, given);
        END IF;
    END LOOP;
    FOR asked IN SELECT u.ranker FROM unnest(names, factors) u (ranker, weight) WHERE u.weight > 0 LOOP
        given := NULL;
        IF asked.ranker <> ALL (lexical) THEN
            given := ranker_model(asked.ranker, gathered_rankings.model);
        END IF;
        IF matching IS NULL AND gathered_rankings.filter IS NOT NULL
            AND split_part(asked.ranker, ':', 1) IN ('bm25', 'document')
        THEN
            matching := filter_matching(gathered_rankings.filter, gathered_rankings.depth);  -- once for both
        END IF;
        gathered := gathered || fusion_ranking(split_part(asked.ranker, ':', 1), asked.ranker, gathered_rankings.query,
                                               vectors[array_position(models, given)], gathered_rankings.depth, given,
                                               gathered_rankings.filter, matching);
    END LOOP;
    RETURN gathered;
END
$$;
COMMENT ON FUNCTION gathered_rankings(text, vector, text[], jsonb, integer, jsonb, text) IS
'Rankings of a query that hybrid_search fuses, as rows for fuse';
