-- make_pool: select documents for judging from the rankings of runs, and store them as a pool with its parameters.
-- Returns the numbers of queries, of documents, and of documents without text.
--
--   depth    use the first depth ranks of each run
--   teams    minimum number of teams whose runs rank the document within the depth. A run without a team counts as a
--            separate team
--   strata   for example 1-10:1.0,11-50:0.2: group the documents of each query by their best rank in any run, and
--            sample a share of each stratum without replacement, rounded up. weight is the inverse of the sampling
--            probability, size / drawn, as estimators for stratified samples need it (Yilmaz, Kanoulas & Aslam, SIGIR
--            2008). Documents that are not drawn are stored in qrels_pool_undrawn. The depth of the pool is the last
--            rank of the strata
--   effect   select this number of documents over all queries, with the greatest expected effect (next_to_judge);
--            weight is the effect
--   queries  names of queries; an empty array means all
--   without_edition
--            exclude documents judged in this edition before sampling; with effect, its judgments are also used for the
--            estimates
--   measure, relevant
--            measure and minimum relevant grade for effect
--   as_of    only documents of the snapshot of this day (YYYY-MM-DD), as if the runs ranked no others; not with effect
--   grades   grades of the assessors with their meanings, {"0": "not relevant", …}
--
-- The same seed gives the same sample and order on any server, because both depend on names only: documents are sampled
-- and ordered by MD5 of seed, query and docno.
-- Raises IR101, IR102, IR103, IR201, IR202 (a name already used, invalid strata, grades or day), IR405 nothing to pool.
CREATE OR REPLACE FUNCTION make_pool(
    pool text, runs text[] DEFAULT '{}', depth integer DEFAULT 10, teams integer DEFAULT 1, strata text DEFAULT NULL,
    effect integer DEFAULT NULL, seed integer DEFAULT 1, queries text[] DEFAULT '{}', without_edition text DEFAULT NULL,
    measure text DEFAULT 'AP', relevant integer DEFAULT 1,
    grades jsonb DEFAULT '{"0": "not relevant", "1": "relevant", "2": "very relevant"}',
    as_of text DEFAULT NULL)
RETURNS TABLE (pooled_queries bigint, documents bigint, without_text bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer;
    deepest integer := CASE WHEN make_pool.strata IS NULL THEN make_pool.depth
                            ELSE (SELECT max(s.last_rank) FROM pool_strata(make_pool.strata) s) END;
BEGIN
    IF coalesce(btrim(make_pool.pool), '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the pool is empty',
            HINT = 'Give the pool a name.';
    END IF;
    PERFORM check_name('pool', make_pool.pool);
    IF make_pool.teams IS NULL OR make_pool.teams < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the minimum number of teams is %s', coalesce(make_pool.teams::text, 'NULL')),
            HINT = 'It must be 1 or more.';
    ELSIF make_pool.effect IS NOT NULL AND (make_pool.strata IS NOT NULL OR make_pool.teams > 1) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'a pool by effect cannot have strata or a minimum of teams',
            HINT = 'Use only one of effect, strata and teams.';
    ELSIF make_pool.effect IS NOT NULL AND make_pool.as_of IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'a pool by effect cannot be as of a day',
            HINT = 'The effect is estimated from whole rankings: pool by depth, strata or teams.';
    END IF;
    INSERT INTO qrels_pools (pool, method, params)
    VALUES (make_pool.pool,
            CASE WHEN make_pool.effect IS NOT NULL THEN 'effect' WHEN make_pool.strata IS NOT NULL THEN 'strata'
                 WHEN make_pool.teams > 1 THEN 'teams' ELSE 'depth' END,
            jsonb_strip_nulls(jsonb_build_object(
                'runs', (SELECT jsonb_agg(r.run ORDER BY r.run COLLATE "C") FROM pool_runs(make_pool.runs) r),
                'depth', deepest,
                'teams', make_pool.teams, 'strata', make_pool.strata, 'effect', make_pool.effect, 'seed',
                make_pool.seed,
                'queries', nullif(to_jsonb(make_pool.queries), '[]'), 'without', make_pool.without_edition,
                'as_of', make_pool.as_of,
                'measure', CASE WHEN make_pool.effect IS NOT NULL THEN make_pool.measure END,
                'relevant', CASE WHEN make_pool.effect IS NOT NULL THEN make_pool.relevant END)))
    ON CONFLICT (pool) DO NOTHING
    RETURNING id INTO pool_id;
    IF pool_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('pool %L already exists', make_pool.pool),
            HINT = 'Choose another name, or remove a pool with ''stc drop pool''.';
    END IF;
    PERFORM scale_pool(make_pool.pool, make_pool.grades);

    WITH candidate AS MATERIALIZED (
        SELECT c.*, concat_ws(':', make_pool.seed, q.query, d.docno) AS name
          FROM pool_candidates(make_pool.runs, deepest, make_pool.queries, make_pool.without_edition,
                               make_pool.as_of) c
          JOIN st1_queries q ON q.id = c.query
          JOIN dblp d ON d.id = c.doc
         WHERE c.teams >= make_pool.teams),
    stratified AS (
        SELECT c.*, s.stratum, count(*) OVER layer AS size, ceil(count(*) OVER layer * s.share) AS drawn,
               row_number() OVER (PARTITION BY c.query, s.stratum ORDER BY md5('draw:' || c.name)) AS place
          FROM candidate c
          JOIN pool_strata(make_pool.strata) s ON c.best_rank BETWEEN s.first_rank AND s.last_rank
         WHERE make_pool.strata IS NOT NULL
        WINDOW layer AS (PARTITION BY c.query, s.stratum)),
    chosen AS (
        SELECT c.*, NULL::text AS stratum, NULL::double precision AS weight
          FROM candidate c WHERE make_pool.strata IS NULL AND make_pool.effect IS NULL
        UNION ALL
        SELECT s.query, s.doc, s.runs_with, s.teams, s.best_rank, s.name, s.stratum,
               (s.size / s.drawn)::double precision
          FROM stratified s WHERE s.place <= s.drawn
        UNION ALL
        SELECT c.*, NULL::text, e.effect
          FROM (SELECT make_pool.effect AS n WHERE make_pool.effect IS NOT NULL) asked
         CROSS JOIN LATERAL next_to_judge(make_pool.runs, make_pool.without_edition, asked.n, deepest,
                                          make_pool.measure,
                                          make_pool.relevant, make_pool.queries) e
          JOIN st1_queries q ON q.query = e.query
          JOIN candidate c ON c.query = q.id AND c.doc = e.doc),
    undrawn AS (
        INSERT INTO qrels_pool_undrawn (pool, query, doc, stratum)
        SELECT pool_id, s.query, s.doc, s.stratum FROM stratified s WHERE s.place > s.drawn)
    INSERT INTO qrels_pool_documents (pool, query, doc, position, runs, teams, best_rank, stratum, weight)
    SELECT pool_id, c.query, c.doc, row_number() OVER (PARTITION BY c.query ORDER BY md5('show:' || c.name), c.doc),
           c.runs_with, c.teams, c.best_rank, c.stratum, c.weight
      FROM chosen c;
    SELECT count(DISTINCT d.query), count(*),
           count(*) FILTER (WHERE nullif(btrim(concat(t.title, t.abstract)), '') IS NULL)
      INTO pooled_queries, documents, without_text
      FROM qrels_pool_documents d LEFT JOIN dblp_text t ON t.id = d.doc WHERE d.pool = pool_id;
    IF documents = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = format('pool %L would be empty', make_pool.pool),
            HINT = 'Check that the runs rank documents for these queries, that the edition has not judged them all, '
                   'and that there are enough teams.';
    END IF;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION make_pool(text, text[], integer, integer, text, integer, integer, text[], text, text,
                              integer, jsonb, text) IS
    'Selects documents for judging from the rankings of runs and stores them as a pool: by depth, teams, strata or '
    'expected effect';
