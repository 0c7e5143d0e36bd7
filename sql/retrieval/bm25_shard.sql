-- bm25_shard: the best documents of one shard by BM25 with the statistics of the whole collection, and a bound of the
-- scores of all others. Part of bm25_on_shards; workers execute it.
--
-- shard: its tables of texts, lengths and facts. typed: the query for its index. terms, weights, costs: the words, see
-- bm25_bound. search: what else the search says
--
--   k               documents wanted, and those that equal the last one
--   depth           documents that the index returns at first
--   rows            documents of a shard, on average
--   fixed, token    of the norm of a document: fixed + token · length
--   above           only documents of at least this score are wanted; NULL: not known yet. The depth doubles until no
--                   other document can have it; at an eighth of the shard, all documents with a word are scored instead
--   filter, where   a filter, and its condition on a row d of the facts (filter_condition); NULL: none
--
-- bound: no document of the shard that was not scored has a higher score; 0 if none is left. depth: how many documents
-- the index returned; NULL: all with a word were scored without it. sealed: the size of the index.
CREATE OR REPLACE FUNCTION bm25_shard(
    shard regclass[], typed text, terms tsquery[], weights double precision[], costs double precision[], search jsonb,
    OUT docs bigint[], OUT scores double precision[], OUT bound double precision, OUT depth bigint,
    OUT sealed bigint
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc, public, pg_temp
-- bm25_get_current_score() returns the score of the last index scan: no other plan may be chosen.
SET enable_seqscan = off
SET enable_indexscan = on
SET jit = off
AS $$
DECLARE
    index CONSTANT regclass := shard_index(shard[1]);
    above CONSTANT double precision := search ->> 'above';
    found bigint[];
    last double precision;
BEGIN
    IF index IS NULL THEN
        RETURN;
    END IF;
    sealed := pg_relation_size(index);
    depth := search ->> 'depth';
    LOOP
        IF above IS NOT NULL AND 8 * depth > (search ->> 'rows')::double precision THEN
            depth := NULL;
            bound := 0;
            EXIT;
        END IF;
        -- EXECUTE, because in a cached plan pg_textsearch 1.0 scores every row twice.
        EXECUTE format(
            $sql$SELECT array_agg(s.id), min(s.score)
                   FROM (SELECT t.id, -bm25_get_current_score() AS score FROM %s t
                          ORDER BY t.content <@> to_bm25query($1, %L) LIMIT $2) s$sql$, shard[1], index)
           INTO found, last USING typed, depth;
        bound := CASE WHEN cardinality(found) >= depth THEN bm25_bound(last, weights, costs) ELSE 0 END;
        EXIT WHEN bound = 0 OR above IS NULL OR bound < above;
        depth := 2 * depth;
    END LOOP;
    EXECUTE format(
        $sql$SELECT array_agg(s.id), array_agg(s.value)
               FROM (SELECT t.id, bm25_score(t.tsv, $2, $3, $4 + $5 * smallfloat_byte4(l.tokens)) AS value
                       FROM %s t JOIN %s l ON l.id = t.id %s WHERE %s
                      ORDER BY value DESC FETCH FIRST $6 ROWS WITH TIES) s
              WHERE s.value >= $7 OR $7 IS NULL$sql$,
        shard[1], shard[2],
        CASE WHEN search ->> 'where' IS NOT NULL THEN format('JOIN %s d ON d.id = t.id', shard[3]) END,
        concat(CASE WHEN depth IS NULL THEN 't.tsv @@ $8' ELSE 't.id = ANY ($9)' END, ' AND ' || (search ->> 'where')))
       INTO docs, scores
      USING search -> 'filter', terms, weights, (search ->> 'fixed')::double precision,
            (search ->> 'token')::double precision, (search ->> 'k')::integer, above, array_to_string(terms, ' | ')::tsquery, found;
END
$$;
COMMENT ON FUNCTION bm25_shard(regclass[], text, tsquery[], double precision[], double precision[], jsonb) IS
'Best documents of one shard by BM25 with the statistics of the whole collection, and a bound of the others';
