-- pool_candidates: documents within the first depth ranks of any of the runs, one row per query and document.
--
--   runs_with   number of these runs that rank the document within the depth
--   teams       number of their teams
--   best_rank   best rank in any of them
--
-- queries: names; an empty array means all. without_edition: omit documents judged in this edition; a negative grade
-- means pooled, not judged, so those documents are kept. as_of: only documents of the snapshot of this day
-- (documents_as_of), as if the runs ranked no others: ranks count these documents only.
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query, IR201 depth below 1, IR405 no run is stored;
-- IR202 and IR405 as snapshot_at.
CREATE OR REPLACE FUNCTION pool_candidates(
    runs text[], depth integer, queries text[] DEFAULT '{}', without_edition text DEFAULT NULL,
    as_of text DEFAULT NULL)
RETURNS TABLE (query integer, doc bigint, runs_with integer, teams integer, best_rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id integer;
    query_ids integer[];
    snapshot date := CASE WHEN pool_candidates.as_of IS NOT NULL THEN snapshot_at(pool_candidates.as_of) END;
BEGIN
    IF pool_candidates.depth IS NULL OR pool_candidates.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('the depth is %s', coalesce(pool_candidates.depth::text, 'NULL')),
            HINT = 'The pool depth is the number of ranks taken from each run; it must be 1 or more.';
    END IF;
    query_ids := nullif(ARRAY(SELECT query_key(u.name) FROM unnest(pool_candidates.queries) AS u (name)), '{}');
    IF pool_candidates.without_edition IS NOT NULL THEN
        edition_id := edition_key(pool_candidates.without_edition);
    END IF;
    RETURN QUERY
    WITH ranked AS NOT MATERIALIZED (
        SELECT p.team, l.query, u.doc, l.first - 1 + u.place::integer AS rank
          FROM pool_runs(pool_candidates.runs) p
          JOIN ranked_lists l ON l.run = p.id AND l.first <= pool_candidates.depth
         CROSS JOIN LATERAL unnest(l.docs[:pool_candidates.depth - l.first + 1]) WITH ORDINALITY AS u (doc, place)
         WHERE snapshot IS NULL
        UNION ALL
        SELECT p.team, r.query, r.doc, row_number() OVER (PARTITION BY p.id, r.query ORDER BY r.rank)::integer
          FROM pool_runs(pool_candidates.runs) p
          JOIN st1_rankings r ON r.run = p.id
          JOIN dblp_facts f ON f.id = r.doc AND in_snapshot(f.first_date, f.last_date, f.absent, snapshot)
         WHERE snapshot IS NOT NULL
    )
    SELECT c.query, c.doc, c.runs_with, c.teams, c.best_rank
      FROM (SELECT k.query, k.doc, count(*)::integer AS runs_with, count(DISTINCT k.team)::integer AS teams,
                   min(k.rank) AS best_rank
              FROM ranked k
             WHERE k.rank <= pool_candidates.depth AND (query_ids IS NULL OR k.query = ANY (query_ids))
             GROUP BY k.query, k.doc) c
     WHERE edition_id IS NULL OR NOT EXISTS (
           SELECT FROM qrels j WHERE j.edition = edition_id AND j.query = c.query AND j.doc = c.doc AND j.rel >= 0);
END
$$;
COMMENT ON FUNCTION pool_candidates(text[], integer, text[], text, text) IS
    'Documents within the first depth ranks of any of the runs, with the number of these runs and teams and the '
    'best rank';
