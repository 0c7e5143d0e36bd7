-- fusion_folds: the value of a fusion of stored runs at each point of a grid of weights, and cross-validated values of
-- tuning. fusion_values is computed once for both. The arguments and the errors are those of tune_fusion.
--
-- Rows without query are points: place is 1 for the best, value the mean over the queries of the edition. Of equal
-- values (to nine places) the most equal weights come first, then the smaller constant.
--
-- Rows with query have the value of the point that is best on the queries of all other folds (Stone, Journal of the
-- Royal Statistical Society B 36(2), 1974). The queries of a topic are in one fold, because they share relevant
-- documents. Topics go to the folds in turn, in the order of the MD5 of their names, so that a repeated call makes the
-- same folds. With fewer topics than folds, each topic is a fold; with one topic, or without folds, there are no such
-- rows. even is the value of the query with equal weights and the smallest constant; NULL if equal weights are not on
-- the grid. IR201 also for fewer than two folds.
CREATE OR REPLACE FUNCTION fusion_folds(
    runs text[], edition text, measure text, cutoff integer, method text, norm text, steps integer,
    constants integer[], depth integer, folds integer
)
RETURNS TABLE (
    query text, fold integer, value double precision, even double precision, place bigint, weights double precision[],
    constant integer
)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    IF fusion_folds.folds < 2 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('folds is %s', fusion_folds.folds),
            HINT = 'Use 2 folds or more; 5 and 10 are usual.';
    END IF;
    RETURN QUERY
    WITH measured AS MATERIALIZED (  -- points in the order of preference among equal values
        SELECT v.*, (SELECT max(w) - min(w) < 1e-9 FROM unnest(v.weights) w) AS even,
               dense_rank() OVER (ORDER BY (SELECT sum(w * w) FROM unnest(v.weights) w), v.constant,
                                           v.weights DESC) AS point
          FROM fusion_values(fusion_folds.runs, fusion_folds.edition, fusion_folds.measure, fusion_folds.cutoff,
                             fusion_folds.method, fusion_folds.norm, fusion_folds.steps, fusion_folds.constants,
                             fusion_folds.depth) v),
    folded AS MATERIALIZED (
        SELECT u.id, u.query, 1 + ((dense_rank() OVER (ORDER BY md5(u.name), u.name) - 1)
                                   % fusion_folds.folds)::integer AS fold
          FROM (SELECT q.id, q.query, coalesce('topic ' || t.topic, 'query ' || q.query) AS name
                  FROM st1_queries q LEFT JOIN st1_topics t ON t.id = q.topic
                 WHERE q.id IN (SELECT m.query FROM measured m)) u),
    kept AS (  -- the mean of each point over the queries outside a fold
        SELECT g.fold, m.point, avg(m.value) AS mean
          FROM (SELECT DISTINCT f.fold FROM folded f) g
          JOIN folded f ON f.fold <> g.fold
          JOIN measured m ON m.query = f.id
         GROUP BY g.fold, m.point),
    best AS (
        SELECT DISTINCT ON (k.fold) k.fold, k.point FROM kept k
         ORDER BY k.fold, round(k.mean::numeric, 9) DESC, k.point)
    SELECT u.* FROM (
        SELECT NULL AS query, NULL::integer, avg(m.value), NULL::double precision,
               row_number() OVER (ORDER BY round(avg(m.value)::numeric, 9) DESC, m.point) AS place, m.weights,
               m.constant
          FROM measured m GROUP BY m.point, m.weights, m.constant
         UNION ALL
        SELECT f.query, f.fold, m.value,
               (SELECT e.value FROM measured e WHERE e.query = f.id AND e.even ORDER BY e.point LIMIT 1),
               NULL, NULL, NULL
          FROM folded f JOIN best b ON b.fold = f.fold JOIN measured m ON m.query = f.id AND m.point = b.point) u
     ORDER BY u.place, u.query COLLATE "C";
END
$$;
COMMENT ON FUNCTION fusion_folds(text[], text, text, integer, text, text, integer, integer[], integer, integer) IS
'Value of a fusion of stored runs for many weights, and of each query with the best weights on the other folds';
