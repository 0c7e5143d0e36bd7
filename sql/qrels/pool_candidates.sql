-- pool_candidates: the documents that any of the runs has in its first depth ranks, one row per query and document: how
-- many of the runs have it there, of how many teams they are, and its best rank in any.
--
-- queries: only these, all if none is named. without_edition: what this edition has judged is left out; a negative
-- grade says that a document was pooled and not judged, so it stays.
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query, IR201 a depth below 1, IR405 no run is stored.
CREATE OR REPLACE FUNCTION pool_candidates(
    runs text[], depth integer, queries text[] DEFAULT '{}', without_edition text DEFAULT NULL)
RETURNS TABLE (query integer, doc bigint, runs_with integer, teams integer, best_rank integer)
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    bad record;
    edition_id integer;
    query_ids integer[];
BEGIN
    IF pool_candidates.depth IS NULL OR pool_candidates.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('a depth of %s', coalesce(pool_candidates.depth::text, 'NULL')),
            HINT = 'It is how many ranks of each run are pooled, 1 or more.';
    END IF;
    SELECT u.name INTO bad FROM unnest(pool_candidates.queries) AS u (name)
     WHERE NOT EXISTS (SELECT FROM st1_queries q WHERE q.query = u.name COLLATE "C") LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103', MESSAGE = format('there is no query %L', bad.name), HINT = concat(
            'Did you mean ' || quote_literal(nearest_name(bad.name, ARRAY(SELECT q.query FROM st1_queries q))) || '? ',
            'The queries are in st1_queries.');
    END IF;
    IF pool_candidates.without_edition IS NOT NULL THEN
        edition_id := edition_key(pool_candidates.without_edition);
    END IF;
    IF cardinality(pool_candidates.queries) > 0 THEN
        query_ids := ARRAY(SELECT q.id FROM st1_queries q WHERE q.query = ANY (pool_candidates.queries COLLATE "C"));
    END IF;
    RETURN QUERY
    SELECT c.query, c.doc, c.runs_with, c.teams, c.best_rank
      FROM (SELECT r.query, r.doc, count(*)::integer AS runs_with, count(DISTINCT p.team)::integer AS teams,
                   min(r.rank) AS best_rank
              FROM pool_runs(pool_candidates.runs) p
              JOIN st1_rankings r ON r.run = p.id AND r.rank <= pool_candidates.depth
             WHERE query_ids IS NULL OR r.query = ANY (query_ids)
             GROUP BY r.query, r.doc) c
     WHERE edition_id IS NULL OR NOT EXISTS (
           SELECT FROM qrels j WHERE j.edition = edition_id AND j.query = c.query AND j.doc = c.doc AND j.rel >= 0);
END
$$;
COMMENT ON FUNCTION pool_candidates(text[], integer, text[], text) IS
    'The documents in the first ranks of any of the runs: how many runs and teams have them, and their best rank';
