-- agreement: agreement of one side's judgments with others, on the documents that both graded. One row per comparison,
-- or per comparison and topic or query.
--
--   side, others, every   sides to compare: side is the reference. agreement_pairs describes the comparisons,
--                         agreement_readings the names of sides
--   binary_from           minimum relevant grade, for binary_accuracy and binary_kappa
--   by                    all, topic or query
--   query_set             only the queries of a set (query_set)
--
--   accuracy, binary_accuracy        share of documents with the same grade; both relevant or both not relevant
--   kappa, _linear, _quadratic       cohen_kappa of the grades; binary_kappa: of relevant or not relevant
--   alpha_nominal, _ordinal, _interval   coincidence_alpha of the two sides
--   tau, rho                         grade_tau, grade_rho
--   mae, bias                        mean of |other - reference| and of other - reference; positive if the other side
--                                    gives higher grades
--
-- Undefined values are NULL, and note gives the reason: no pair, one pair, or a side that always gives the same grade.
-- Formulas and sources are in the functions named.
-- Raises IR102, IR103, IR202, IR405 as agreement_confusion; IR202 invalid value of by.
CREATE OR REPLACE FUNCTION public.agreement(
    side text, others text[] DEFAULT '{}', binary_from integer DEFAULT 1, by text DEFAULT 'all',
    every boolean DEFAULT false, query_set text DEFAULT 'all')
RETURNS TABLE (
    reference text, other text, unit text, queries bigint, pairs bigint, grades bigint, accuracy double precision,
    binary_accuracy double precision, kappa double precision, kappa_linear double precision,
    kappa_quadratic double precision,
    binary_kappa double precision, alpha_nominal double precision, alpha_ordinal double precision,
    alpha_interval double precision,
    tau double precision, rho double precision, mae double precision, bias double precision, note text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
BEGIN
    IF agreement.by IS NULL OR agreement.by NOT IN ('all', 'topic', 'query') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('cannot group agreement by %L', agreement.by),
            HINT = 'Use all, topic or query.';
    ELSIF agreement.binary_from IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the minimum relevant grade is missing',
            HINT = 'binary_from is the lowest grade that counts as relevant, usually 1.';
    END IF;
    RETURN QUERY
    WITH cells AS (
        SELECT c.place, c.query, CASE agreement.by WHEN 'topic' THEN c.topic WHEN 'query' THEN c.query END AS unit,
               c.reference_rel AS x, c.other_rel AS y, c.pairs AS n
          FROM agreement_confusion(agreement.side, agreement.others, agreement.every, agreement.query_set) c),
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
           CASE WHEN t.pairs IS NULL AND agreement.query_set <> 'all'
                    THEN 'no document of these queries is graded by both'
                WHEN t.pairs IS NULL THEN 'no document is graded by both'
                WHEN t.pairs = 1 THEN 'one document is graded by both'
                WHEN t.x_one AND t.y_one THEN 'each side always gives the same grade'
                WHEN t.x_one THEN 'the reference always gives the same grade'
                WHEN t.y_one THEN 'the other side always gives the same grade' END
      FROM agreement_pairs(agreement.side, agreement.others, agreement.every) p
      LEFT JOIN tables t USING (place)
      LEFT JOIN asked a ON a.place = t.place AND a.unit IS NOT DISTINCT FROM t.unit
     ORDER BY p.place, t.unit COLLATE "C";
END
$$;
COMMENT ON FUNCTION public.agreement(text, text[], integer, text, boolean, text) IS
    'Agreement of judgments with those of others: accuracy, kappa, alpha, tau, rho, error; overall or per topic or '
    'query; NULL where undefined';
