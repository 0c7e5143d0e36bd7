-- score_statement: the statement that computes measures (parse_measures) of runs for a share of the queries, as score_share executes it.
--
-- Each measure is an expression over small arrays (measure_term); they are put together from fixed pieces and the numbers of parameters
-- alone, values travel as parameters:
--   $1 edition, $2 queries, $7 runs (all keys), $8 complete, $9 max_rank, $10 rules
--   $3 cutoffs and $4 first numbers by measure, $5 all numbers one after the other, $6 the levels
-- It yields run, query (NULL with means), queries, and scores: an array with a value a measure. means: sums over the queries.
-- lists: the function that returns the ranks and grades of judged documents: judged_lists for runs, request_lists for score requests.
CREATE OR REPLACE FUNCTION score_statement(
    kinds text[], level_places integer[], number_counts integer[], levels integer[], judged_only boolean, max_rank integer, rules text,
    means boolean, lists text DEFAULT 'judged_lists')
RETURNS text
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
    one record;
    bases integer[] := '{}';
    base integer := 0;
    n integer;
    gains text[] := '{}';     -- grade to gain, as expressions of r.rel
    gain text;
    g integer;
    sources text[] := '{}';
    columns text[] := '{}';   -- of each source
    terms text[] := '{}';     -- of each measure, as the outermost level names it
    source text;
    i integer;
    from_gain text;
    counts text := '';
    arrays text := '';
    ideals text := '';
    laterals text := '';
    list text;
BEGIN
    FOR n IN 1..cardinality(kinds) LOOP
        -- what a grade is worth
        gain := CASE
            WHEN kinds[n] = 'ndcg_exp' THEN 'CASE WHEN r.rel > 0 THEN 2::double precision ^ r.rel - 1 ELSE 0 END'
            WHEN kinds[n] = 'err' THEN format('CASE WHEN r.rel > 0 THEN (2::double precision ^ least(r.rel, $4[%s]) - 1) / 2::double precision ^ $4[%1$s] ELSE 0 END', n)
            WHEN kinds[n] IN ('G', 'dcg', 'ideal_dcg', 'ndcg', 'ndcg_rel', 'Rndcg') AND number_counts[n] > 0 THEN (
                SELECT 'CASE ' || string_agg(format('WHEN r.rel = $5[%s] THEN $5[%s]', base + 2 * p - 1, base + 2 * p), ' ' ORDER BY p)
                       || ' ELSE greatest(r.rel, 0) END' FROM generate_series(1, number_counts[n] / 2) p)
            WHEN kinds[n] IN ('G', 'dcg', 'ideal_dcg', 'ndcg', 'ndcg_rel', 'Rndcg', 'ndcg_cut', 'rbp') THEN
                'greatest(r.rel, 0)::double precision' END;
        g := NULL;
        IF gain IS NOT NULL THEN
            g := array_position(gains, gain);
            IF g IS NULL THEN
                gains := gains || gain;
                g := cardinality(gains);
            END IF;
        END IF;
        SELECT * INTO one FROM measure_term(kinds[n], n, base, number_counts[n], rules);
        IF one.term IS NULL THEN
            RAISE EXCEPTION 'no term for the measure %', kinds[n];
        END IF;
        one.term := replace(replace(one.term, '{L}', level_places[n]::text), '{G}', coalesce(g, 0)::text);
        IF one.source = '' THEN
            terms := terms || format('(%s)::double precision', one.term);
        ELSE
            source := one.source || ' ' || CASE WHEN one.source IN ('relevant') THEN level_places[n] WHEN one.source = 'judged' THEN 0 ELSE g END;
            i := array_position(sources, source);
            IF i IS NULL THEN
                sources := sources || source;
                columns := columns || ''::text;
                i := cardinality(sources);
            END IF;
            columns[i] := concat_ws(', ', nullif(columns[i], ''), format('(%s)::double precision AS m%s', one.term, n));
            terms := terms || format('v%s.m%s', i, n);
        END IF;
        base := base + number_counts[n];
    END LOOP;

    FOR i IN 1..cardinality(levels) LOOP
        counts := counts || format(', nullif(count(*) FILTER (WHERE r.rel >= greatest($6[%1$s], 0)), 0)::double precision AS rel_%1$s,'
            ' (count(*) FILTER (WHERE r.rel >= 0 AND r.rel < $6[%1$s]))::double precision AS non_%1$s', i);
        arrays := arrays || format(', %s AS relevant_%s', CASE
            WHEN levels[i] = 1 THEN 'l.relevant'
            WHEN levels[i] > 1 THEN format('ARRAY(SELECT r.rank FROM unnest(l.relevant, l.grades) AS r (rank, rel) WHERE r.rel >= $6[%s])', i)
            ELSE 'ARRAY(SELECT r.rank FROM unnest(l.relevant || l.irrelevant) AS r (rank) ORDER BY r.rank)' END, i);
        IF kinds && '{bpref,gm_bpref,infAP}' THEN
            arrays := arrays || format(', %s AS irrelevant_%s', CASE
                WHEN levels[i] = 1 THEN 'l.irrelevant'
                WHEN levels[i] > 1 THEN format('ARRAY(SELECT r.rank FROM (SELECT r.rank FROM unnest(l.relevant, l.grades) AS r (rank, rel)'
                    ' WHERE r.rel < $6[%s] UNION ALL SELECT unnest(l.irrelevant)) r ORDER BY r.rank)', i)
                ELSE '''{}''::integer[]' END, i);
        END IF;
    END LOOP;
    FOR i IN 1..cardinality(gains) LOOP
        ideals := ideals || format($q$
            CROSS JOIN LATERAL (
                SELECT array_agg(y.g ORDER BY y.i) AS gains_%1$s, array_agg(y.ideal ORDER BY y.i) AS ideal_%1$s,
                       array_agg(y.cost ORDER BY y.i) AS costs_%1$s, sum(y.g) AS worth_%1$s
                  FROM (SELECT x.i, x.g, sum(x.g * ln(2) / ln(x.i + 1::double precision)) OVER upto AS ideal,
                               sum(greatest(x.g, 1)) OVER upto AS cost
                          FROM (SELECT w.g, row_number() OVER (ORDER BY w.g DESC) AS i
                                  FROM unnest(q.rels) AS r (rel) CROSS JOIN LATERAL (SELECT %2$s AS g) w WHERE r.rel >= 0 AND w.g > 0) x
                        WINDOW upto AS (ORDER BY x.i ROWS UNBOUNDED PRECEDING)) y OFFSET 0) ideal_%1$s$q$, i, gains[i]);
        IF 'Rndcg' = ANY (kinds) THEN
            ideals := ideals || format($q$
            CROSS JOIN LATERAL (
                SELECT array_agg(y.i ORDER BY y.i) AS steps_%1$s, array_agg(y.share ORDER BY y.i) AS shares_%1$s
                  FROM (SELECT i, sum(1 / ideal_%1$s[i]) OVER (ORDER BY i DESC) AS share
                          FROM generate_subscripts(gains_%1$s, 1) AS i WHERE gains_%1$s[i] IS DISTINCT FROM gains_%1$s[i + 1]) y
                OFFSET 0) steps_%1$s$q$, i);
        END IF;
    END LOOP;
    FOR i IN 1..cardinality(sources) LOOP
        g := split_part(sources[i], ' ', 2)::integer;
        from_gain := format('SELECT r.rank, w.g, w.g * ln(2) / ln(r.rank + 1::double precision) AS d FROM %s AS r (rank, rel)'
            ' CROSS JOIN LATERAL (SELECT %s AS g) w WHERE w.g <> 0',
            CASE WHEN gains[g] ~ '\$5' THEN '(SELECT * FROM unnest(l.relevant, l.grades) UNION ALL SELECT unnest(l.irrelevant), 0)'
                 ELSE 'unnest(l.relevant, l.grades)' END, gains[g]);
        laterals := laterals || format(E'\n CROSS JOIN LATERAL (SELECT %s FROM %s) v%s', columns[i], CASE split_part(sources[i], ' ', 1)
            WHEN 'relevant' THEN format('unnest(a.relevant_%s) WITH ORDINALITY AS u (rank, k)', g)
            WHEN 'judged' THEN 'unnest(l.relevant || l.irrelevant) AS u (rank)'
            WHEN 'gain' THEN format('(%s) u', from_gain)
            WHEN 'running' THEN format('(SELECT y.*, sum(y.d) OVER upto AS d_to, sum(y.g) OVER upto AS g_to FROM (%s) y'
                ' WINDOW upto AS (ORDER BY y.rank ROWS UNBOUNDED PRECEDING)) u', from_gain)
            WHEN 'cascade' THEN format('(SELECT y.*, coalesce(exp(sum(ln(1 - y.g)) OVER (ORDER BY y.rank ROWS BETWEEN UNBOUNDED PRECEDING'
                ' AND 1 PRECEDING)), 1) AS unsatisfied FROM (%s) y) u', from_gain) END, i);
    END LOOP;

    list := format('%I($1, $2, $7, $10, %s) l', score_statement.lists,
                   CASE WHEN array_to_string(terms || columns, ' ') ~ 'l\.retrieved' THEN 'true' ELSE 'NOT $8' END);
    IF max_rank IS NOT NULL THEN
        list := replace(list, ') l', ') AS whole') || $q$
 CROSS JOIN LATERAL (
       SELECT whole.run, whole.query, whole.retrieved AS whole, least(whole.retrieved, $9) AS retrieved,
              whole.relevant[:width_bucket($9, whole.relevant)] AS relevant, whole.grades[:width_bucket($9, whole.relevant)] AS grades,
              whole.irrelevant[:width_bucket($9, whole.irrelevant)] AS irrelevant,
              whole.pooled[:width_bucket($9, whole.pooled)] AS pooled OFFSET 0) l$q$;
    END IF;
    IF judged_only THEN  -- a judged document's rank is how many judged ones there are up to it
        list := replace(list, ') l', ') AS every') || format($q$
 CROSS JOIN LATERAL (
       SELECT every.run, every.query, every.%s AS whole, cardinality(every.relevant) + cardinality(every.irrelevant) AS retrieved,
              ARRAY(SELECT i::integer + width_bucket(rank, every.irrelevant) FROM unnest(every.relevant) WITH ORDINALITY AS r (rank, i))
                  AS relevant, every.grades,
              ARRAY(SELECT i::integer + width_bucket(rank, every.relevant) FROM unnest(every.irrelevant) WITH ORDINALITY AS r (rank, i))
                  AS irrelevant, '{}'::integer[] AS pooled OFFSET 0) l$q$, CASE WHEN max_rank IS NULL THEN 'retrieved' ELSE 'whole' END);
    END IF;
    RETURN format($q$
WITH s AS MATERIALIZED (
    SELECT * FROM judged_profiles($1, $2) q
     CROSS JOIN LATERAL (SELECT true AS counted%s FROM unnest(q.rels) AS r (rel)) c%s)
SELECT l.run, %s, %s
  FROM %s
  JOIN s ON s.query = l.query
 CROSS JOIN LATERAL (SELECT true AS split%s OFFSET 0) a%s
 WHERE ($8 OR %s > 0)%s$q$,
        counts, ideals,
        CASE WHEN means THEN 'NULL::integer, count(*)' ELSE 'l.query, 1::bigint' END,
        CASE WHEN means THEN 'ARRAY[sum(' || array_to_string(terms, '), sum(') || ')]' ELSE 'ARRAY[' || array_to_string(terms, ', ') || ']' END,
        list, arrays, laterals, CASE WHEN judged_only OR max_rank IS NOT NULL THEN 'l.whole' ELSE 'l.retrieved' END,
        CASE WHEN means THEN ' GROUP BY l.run' ELSE '' END);
END
$$;
COMMENT ON FUNCTION score_statement(text[], integer[], integer[], integer[], boolean, integer, text, boolean, text) IS
    'The statement that computes measures of runs for a share of the queries';
