-- agreement: how far the judgments of one side agree with those of others, on the documents that both graded; one row a
-- comparison, or one a comparison and topic or query.
--
-- side (the reference), others, every: agreement_pairs says which sides are compared, agreement_readings how they are
-- named.
-- binary_from: the lowest grade that counts as relevant, for binary_accuracy and binary_kappa. by: all, topic or query.
--
--   accuracy, binary_accuracy        share of documents given the same grade; on the same side of binary_from
--   kappa, _linear, _quadratic       cohen_kappa; binary_kappa of relevant or not
--   alpha_nominal, _ordinal, _interval   coincidence_alpha of the two sides
--   tau, rho                         grade_tau, grade_rho
--   mae, bias                        mean of |other - reference| and of other - reference: above 0 the other grades
--                                    higher
--
-- What is not defined is NULL, and note says why: no pair, one pair, a side that gives one grade throughout. The
-- functions named have the formulas and where they are from. Raises IR102, IR202, IR405 as agreement_pairs; IR202 no
-- such by.
CREATE OR REPLACE FUNCTION public.agreement(
    side text, others text[] DEFAULT '{}', binary_from integer DEFAULT 1, by text DEFAULT 'all',
    every boolean DEFAULT false)
RETURNS TABLE (
    reference text, other text, unit text, queries bigint, pairs bigint, grades bigint, accuracy double precision,
    binary_accuracy double precision, kappa double precision, kappa_linear double precision,
    kappa_quadratic double precision,
    binary_kappa double precision, alpha_nominal double precision, alpha_ordinal double precision,
    alpha_interval double precision,
    tau double precision, rho double precision, mae double precision, bias double precision, note text)
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
BEGIN
    IF agreement.by IS NULL OR agreement.by NOT IN ('all', 'topic', 'query') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('agreement by %L', agreement.by),
            HINT = 'It is all, topic or query.';
    ELSIF agreement.binary_from IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'no grade to count as relevant from',
            HINT = 'binary_from is a grade; 1 is usual.';
    END IF;
    RETURN QUERY
    WITH cells AS (
        SELECT c.place, c.query, CASE agreement.by WHEN 'topic' THEN c.topic WHEN 'query' THEN c.query END AS unit,
               c.reference_rel AS x, c.other_rel AS y, c.pairs AS n
          FROM agreement_confusion(agreement.side, agreement.others, agreement.every) c),
    counted AS (SELECT c.place, c.unit, c.x, c.y, sum(c.n)::bigint AS n FROM cells c
                 GROUP BY c.place, c.unit, c.x, c.y),
    tables AS MATERIALIZED (
        SELECT c.place, c.unit, array_agg(c.x ORDER BY c.x, c.y) AS x, array_agg(c.y ORDER BY c.x, c.y) AS y,
               array_agg(c.n ORDER BY c.x, c.y) AS n, sum(c.n)::bigint AS pairs, min(c.x) = max(c.x) AS x_one,
               min(c.y) = max(c.y) AS y_one, sum(c.n) FILTER (WHERE c.x = c.y) AS same,
               sum(c.n) FILTER (WHERE (c.x >= agreement.binary_from) = (c.y >= agreement.binary_from)) AS binary_same,
               sum(c.n * abs(c.y - c.x)) AS apart, sum(c.n * (c.y - c.x)) AS higher,
               array_agg((c.x >= agreement.binary_from)::integer ORDER BY c.x, c.y) AS binary_x,
               array_agg((c.y >= agreement.binary_from)::integer ORDER BY c.x, c.y) AS binary_y
          FROM counted c GROUP BY c.place, c.unit),
    asked AS (SELECT c.place, c.unit, count(DISTINCT c.query) AS queries FROM cells c GROUP BY c.place, c.unit)
    SELECT p.reference, p.other, t.unit, coalesce(a.queries, 0), coalesce(t.pairs, 0),
           (SELECT count(DISTINCT g.rel) FROM unnest(t.x || t.y) AS g (rel)),
           coalesce(t.same, 0)::double precision / t.pairs, coalesce(t.binary_same, 0)::double precision / t.pairs,
           cohen_kappa(t.x, t.y, 'none', t.n), cohen_kappa(t.x, t.y, 'linear', t.n),
           cohen_kappa(t.x, t.y, 'quadratic', t.n), cohen_kappa(t.binary_x, t.binary_y, 'none', t.n),
           coincidence_alpha(t.x || t.y, t.y || t.x, (t.n || t.n)::double precision[], 'nominal'),
           coincidence_alpha(t.x || t.y, t.y || t.x, (t.n || t.n)::double precision[], 'ordinal'),
           coincidence_alpha(t.x || t.y, t.y || t.x, (t.n || t.n)::double precision[], 'interval'),
           grade_tau(t.x, t.y, t.n), grade_rho(t.x, t.y, t.n), t.apart::double precision / t.pairs,
           t.higher::double precision / t.pairs,
           CASE WHEN t.pairs IS NULL THEN 'no document is graded by both'
                WHEN t.pairs = 1 THEN 'one document is graded by both'
                WHEN t.x_one AND t.y_one THEN 'each gives one grade throughout'
                WHEN t.x_one THEN 'the reference gives one grade throughout'
                WHEN t.y_one THEN 'the other gives one grade throughout' END
      FROM agreement_pairs(agreement.side, agreement.others, agreement.every) p
      LEFT JOIN tables t USING (place)
      LEFT JOIN asked a ON a.place = t.place AND a.unit IS NOT DISTINCT FROM t.unit
     ORDER BY p.place, t.unit COLLATE "C";
END
$$;
COMMENT ON FUNCTION public.agreement(text, text[], integer, text, boolean) IS
    'How far judgments agree with those of others: accuracy, kappa, alpha, tau, error, over all or per topic or query';
