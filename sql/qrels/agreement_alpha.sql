-- agreement_alpha: Krippendorff's alpha over any number of sides together, which need not have judged the same
-- documents. One row, or one per topic or query (by: all, topic, query).
--
-- sides: names as in agreement_readings; a single edition means all its annotators (agreement_sides). Documents graded
-- by one side only are ignored. annotators is the number of sides that share a document with another side; documents
-- and judgments are the numbers that alpha is based on. query_set: only the queries of a set (query_set).
-- Raises IR102, IR202 as agreement_side, IR103 the set names no query, IR202 invalid value of by, IR405 fewer than two
-- sides.
CREATE OR REPLACE FUNCTION public.agreement_alpha(sides text[], by text DEFAULT 'all', query_set text DEFAULT 'all')
RETURNS TABLE (
    unit text, annotators bigint, documents bigint, judgments bigint, alpha_nominal double precision,
    alpha_ordinal double precision,
    alpha_interval double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    named text[] := ARRAY(SELECT DISTINCT u.side COLLATE "C" FROM unnest(agreement_alpha.sides) AS u (side)
                           WHERE u.side IS NOT NULL);
    key record;
BEGIN
    IF agreement_alpha.by IS NULL OR agreement_alpha.by NOT IN ('all', 'topic', 'query') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('cannot group agreement by %L', agreement_alpha.by),
            HINT = 'Use all, topic or query.';
    END IF;
    PERFORM query_set_ids(agreement_alpha.query_set);
    IF cardinality(named) = 1 THEN
        SELECT * INTO key FROM agreement_side(named[1]);
        named := ARRAY(SELECT s.side FROM agreement_sides(key.edition, key.pool) s
                        WHERE s.origin = coalesce(key.origin, s.origin)
                                                                         AND s.annotator
                                                                             = coalesce(key.annotator, s.annotator));
    END IF;
    IF cardinality(named) < 2 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = concat('fewer than two annotators to compare', ': ' || named[1] || ' is one annotator'),
            HINT = 'Name two editions or annotators, or an edition that several annotators judged.';
    END IF;
    RETURN QUERY
    WITH labels AS (
        SELECT CASE agreement_alpha.by WHEN 'topic' THEN coalesce(t.topic, q.query)
                    WHEN 'query' THEN q.query END AS unit,
               l.place, l.rel, dense_rank() OVER (ORDER BY l.query, l.doc) AS pair,
               count(*) OVER (PARTITION BY l.query, l.doc) AS m
          FROM agreement_labels(named, agreement_alpha.query_set) l
          JOIN st1_queries q ON q.id = l.query LEFT JOIN st1_topics t ON t.id = q.topic),
    units AS (
        SELECT l.unit, count(DISTINCT l.place) AS annotators, count(DISTINCT l.pair) AS documents,
               count(*) AS judgments,
               array_agg(l.pair) AS pairs, array_agg(l.rel::integer) AS rels
          FROM labels l WHERE l.m > 1 GROUP BY l.unit),
    matrices AS MATERIALIZED (
        SELECT u.unit, u.annotators, u.documents, u.judgments, array_agg(c.x) AS x, array_agg(c.y) AS y,
               array_agg(c.n) AS n
          FROM units u CROSS JOIN LATERAL coincidences(u.pairs, u.rels) c
         GROUP BY u.unit, u.annotators, u.documents, u.judgments)
    SELECT m.unit, m.annotators, m.documents, m.judgments, coincidence_alpha(m.x, m.y, m.n, 'nominal'),
           coincidence_alpha(m.x, m.y, m.n, 'ordinal'), coincidence_alpha(m.x, m.y, m.n, 'interval')
      FROM matrices m ORDER BY m.unit COLLATE "C";
END
$$;
COMMENT ON FUNCTION public.agreement_alpha(text[], text, text) IS
    'Krippendorff''s alpha over any number of sides together, overall or per topic or query; at most 1, NULL if '
    'undefined';
