-- label_agreement: agreement of an edition with a human edition on the documents that both judge. One row over all
-- queries (origin 'all') and one per origin of queries.
--
--   queries, pairs          queries and documents judged by both
--   only_human, only_other  documents judged by one of them
--   grades                  number of distinct grades in the pairs
--   accuracy                share of pairs with the same grade; binary_accuracy: both relevant or both not relevant
--   kappa, _quadratic       cohen_kappa of the grades; binary_kappa: of relevant or not relevant
--   alpha_nominal, _ordinal, _interval   coincidence_alpha of the two
--   bias                    mean of other - human; positive if the other edition gives higher grades
--
-- level is the minimum relevant grade. The formulas are those of agreement (sql/qrels), applied per origin; values are
-- NULL where undefined.
-- query_set: only the queries of a set (function query_set).
-- Raises IR102 no such edition, IR103 no such query or set, IR202 level is NULL.
CREATE OR REPLACE FUNCTION public.label_agreement(
    human text, other text, level integer DEFAULT 1, query_set text DEFAULT 'all')
RETURNS TABLE (
    origin text, queries bigint, pairs bigint, only_human bigint, only_other bigint, grades bigint,
    accuracy double precision,
    binary_accuracy double precision, kappa double precision, kappa_quadratic double precision,
    binary_kappa double precision,
    alpha_nominal double precision, alpha_ordinal double precision, alpha_interval double precision,
    bias double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
BEGIN
    IF label_agreement.level IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the minimum relevant grade is missing',
            HINT = 'level is the lowest grade that counts as relevant, usually 1.';
    END IF;
    RETURN QUERY
    WITH judged AS MATERIALIZED (
        SELECT u.origin, p.query, p.human_rel AS x, p.other_rel AS y
          FROM label_pairs(label_agreement.human, label_agreement.other, label_agreement.query_set) p
         CROSS JOIN LATERAL (VALUES ('all'), (p.origin)) AS u (origin)),
    counted AS (
        SELECT j.origin, count(DISTINCT j.query) FILTER (WHERE j.x IS NOT NULL AND j.y IS NOT NULL) AS queries,
               count(*) FILTER (WHERE j.x IS NOT NULL AND j.y IS NOT NULL) AS pairs,
               count(*) FILTER (WHERE j.y IS NULL) AS only_human, count(*) FILTER (WHERE j.x IS NULL) AS only_other
          FROM judged j GROUP BY j.origin),
    cells AS (SELECT j.origin, j.x, j.y, count(*) AS n FROM judged j WHERE j.x IS NOT NULL AND j.y IS NOT NULL
               GROUP BY j.origin, j.x, j.y),
    tables AS (
        SELECT c.origin, array_agg(c.x ORDER BY c.x, c.y) AS x, array_agg(c.y ORDER BY c.x, c.y) AS y,
               array_agg(c.n ORDER BY c.x, c.y) AS n,
               coalesce(sum(c.n) FILTER (WHERE c.x = c.y), 0)::double precision AS same,
               coalesce(sum(c.n) FILTER (WHERE (c.x >= label_agreement.level) = (c.y >= label_agreement.level)),
                        0)::double precision AS sided,
               sum(c.n * (c.y - c.x))::double precision AS higher,
               array_agg((c.x >= label_agreement.level)::integer ORDER BY c.x, c.y) AS binary_x,
               array_agg((c.y >= label_agreement.level)::integer ORDER BY c.x, c.y) AS binary_y
          FROM cells c GROUP BY c.origin)
    SELECT k.origin, k.queries, k.pairs, k.only_human, k.only_other,
           (SELECT count(DISTINCT g.rel) FROM unnest(t.x || t.y) AS g (rel)),
           t.same / k.pairs, t.sided / k.pairs, cohen_kappa(t.x, t.y, 'none', t.n),
           cohen_kappa(t.x, t.y, 'quadratic', t.n), cohen_kappa(t.binary_x, t.binary_y, 'none', t.n),
           coincidence_alpha(t.x || t.y, t.y || t.x, (t.n || t.n)::double precision[], 'nominal'),
           coincidence_alpha(t.x || t.y, t.y || t.x, (t.n || t.n)::double precision[], 'ordinal'),
           coincidence_alpha(t.x || t.y, t.y || t.x, (t.n || t.n)::double precision[], 'interval'), t.higher / k.pairs
      FROM counted k LEFT JOIN tables t USING (origin)
     ORDER BY k.origin <> 'all', k.origin <> 'human', k.origin COLLATE "C";
END
$$;
COMMENT ON FUNCTION public.label_agreement(text, text, integer, text) IS
    'Agreement of an edition with a human one, over all queries and per origin of queries: accuracy, kappa, alpha, '
    'bias';
