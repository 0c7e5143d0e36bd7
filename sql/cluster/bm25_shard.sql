-- bm25_shard: the best documents of one shard by BM25 with the statistics of the whole collection, and a bound of the
-- scores of all others. Part of bm25_on_shards; workers execute it.
--
-- texts, lengths, facts: the shard's tables; facts only for a filter. typed: the query for its index. terms, weights,
-- costs: the words, see bm25_bound. search: the rest of the search
--
--   k               documents wanted, and those that equal the last one
--   depth           documents that the index returns at first
--   rows            documents of a shard, on average
--   fixed, token    of the norm of a document: fixed + token · length
--   above           only documents of at least this score are wanted; NULL: not known yet. The depth doubles until no
--                   other document can have it; from an eighth of the shard on, all documents with a word are scored
--   filter, where   a filter, and its condition on a row d of the facts (filter_condition); NULL: none
--
-- bound: no document of the shard that was not scored has a higher score; 0 if none is left. depth: how many documents
-- the index returned; NULL: all with a word were scored without it. sealed: the size of the index.
CREATE OR REPLACE FUNCTION bm25_shard(
    texts regclass, lengths text, facts regclass, typed text, terms tsquery[], weights double precision[],
    costs double precision[], search jsonb,
    OUT docs bigint[], OUT scores double precision[], OUT bound double precision, OUT depth bigint,
    OUT sealed bigint
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
-- bm25_get_current_score() returns the score of the last index scan: no other plan may be chosen.
SET enable_seqscan = off
SET enable_indexscan = on
SET jit = off
AS $$
DECLARE
    index CONSTANT regclass := shard_index(bm25_shard.texts);
    above CONSTANT double precision := search ->> 'above';
    norm CONSTANT double precision[] := ARRAY[search ->> 'fixed', search ->> 'token'];
    matching CONSTANT text := format('FROM %s d WHERE d.id = t.id AND %s', facts, search ->> 'where');
    fetched bigint;
    last double precision;
BEGIN
    IF index IS NULL THEN
        RETURN;
    END IF;
    sealed := pg_relation_size(index);
    depth := search ->> 'depth';
    WHILE above IS NULL OR 8 * depth <= (search ->> 'rows')::double precision LOOP
        -- EXECUTE, because in a cached plan pg_textsearch 1.0 scores every row twice.
        EXECUTE format(
            $sql$SELECT count(*), min(s.local), array_agg(s.id) FILTER (WHERE s.wanted),
                        array_agg(bm25_score(s.tsv, $3, $4, $5[1] + $5[2] * smallfloat_byte4(s.tokens)))
                            FILTER (WHERE s.wanted)
                   FROM (SELECT t.id, t.tsv, -bm25_get_current_score() AS local,
                                (SELECT l.tokens FROM %s l WHERE l.id = t.id) AS tokens, %s AS wanted
                           FROM %s t ORDER BY t.content <@> to_bm25query($2, %L) LIMIT $6) s$sql$,
            -- Not EXISTS, for which the planner would hash all documents that match.
            bm25_shard.lengths::regclass,
            CASE WHEN facts IS NULL THEN 'true' ELSE format('(SELECT true %s)', matching) END, texts, index)
           INTO fetched, last, docs, scores
          USING search -> 'filter', typed, terms, weights, norm, depth;
        bound := CASE WHEN fetched >= depth THEN bm25_bound(last, weights, costs) ELSE 0 END;
        EXIT WHEN bound = 0 OR above IS NULL OR bound < above;
        depth := 2 * depth;
        bound := NULL;
    END LOOP;
    IF bound IS NULL THEN
        depth := NULL;
        bound := 0;
        EXECUTE format(
            $sql$SELECT array_agg(s.id), array_agg(s.value)
                   FROM (SELECT t.id, bm25_score(t.tsv, $3, $4, $5[1] + $5[2] * smallfloat_byte4(l.tokens)) AS value
                           FROM %s t JOIN %s l ON l.id = t.id WHERE t.tsv @@ $2 AND %s
                          ORDER BY value DESC FETCH FIRST $6 ROWS WITH TIES) s$sql$,
            texts, bm25_shard.lengths::regclass,
            CASE WHEN facts IS NULL THEN 'true' ELSE format('EXISTS (SELECT %s)', matching) END)
           INTO docs, scores
          USING search -> 'filter', array_to_string(terms, ' | ')::tsquery, terms, weights, norm,
                (search ->> 'k')::integer;
    END IF;
    IF above IS NOT NULL THEN
        SELECT array_agg(u.doc), array_agg(u.score) INTO docs, scores
          FROM unnest(docs, scores) u (doc, score) WHERE u.score >= above;
    END IF;
END
$$;
COMMENT ON FUNCTION bm25_shard(regclass, text, regclass, text, tsquery[], double precision[], double precision[],
                             jsonb) IS
'Best documents of one shard by BM25 with the statistics of the whole collection, and a bound of the others';
