-- score_statement: build the statement that computes measures (parse_measures) of runs for a share of the queries, as
-- score_share executes it. docs/background/internals.md explains an example.
--
-- The formula of a measure is three texts with placeholders (measures.toml). They are combined with fixed fragments;
-- values are passed as parameters:
--   $1 edition, $2 queries, $6 runs (all keys), $7 complete, $8 max_rank, $9 rules
--   $3 cutoffs by measure, $4 the numbers of all measures concatenated, $5 the levels
--
--   value      an expression for one ranking. It can use the ranking l (judged_lists), its sorted ranks at level L
--              (a.relevant_<L> and a.irrelevant_<L>), and the query s: rel_<L>, non_<L>, and for a gain, highest first,
--              gains_<G>, ideal_<G> (DCG up to there), costs_<G>, worth_<G>, steps_<G> and shares_<G>. NULL counts as 0
--   documents  NULL, or a FROM item u over which value aggregates. Measures with the same documents share one pass.
--              {gained} in it is replaced by the documents with a gain.
--              For subtopics (profiles is subtopic_profiles or snapshot_subtopic_profiles) each document counts once
--              for each of its subtopics. The query has numbers_<L>, subtopics_<L>, sizes_<L> (subtopic_profiles),
--              covered_<L>, and ideal_gains_<G> for a gain, which is then the share that a subtopic keeps
--              (subtopic_ideals)
--   gain       NULL, or the gain of a grade r.rel
--
-- A measure that takes a cutoff reads no document below it. So a gain, or a pass over documents, that only such
-- measures use ends at their largest cutoff. If all measures have a cutoff, judged_lists omits documents below the
-- largest. It also leaves out the arrays that no formula names.
--
-- The statement returns run, query (NULL with means), number of queries, and scores: an array with one value per
-- measure.
--
--   means     return sums over the queries
--   lists     function that returns the ranks and grades of judged documents: judged_lists for runs, request_lists for
--             score requests, incoming_lists for files, snapshot_lists for a snapshot, whose date is then $9,
--             subtopic_lists and snapshot_subtopic_lists for subtopic judgments
--   profiles  function that returns the grades of queries: judged_profiles for editions, incoming_profiles for files,
--             subtopic_profiles for subtopic judgments, snapshot_profiles and
--             snapshot_subtopic_profiles for a snapshot
CREATE OR REPLACE FUNCTION score_statement(
    kinds text[], level_places integer[], number_counts integer[], levels integer[], judged_only boolean,
    max_rank integer, rules text,
    means boolean, lists text DEFAULT 'judged_lists', profiles text DEFAULT 'judged_profiles')
RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp
SET plan_cache_mode = force_generic_plan  -- one plan suits all measures
AS $$
DECLARE
    one record;
    base integer := 0;
    g integer;
    i integer;
    gains text[] := '{}';
    documents text[] := '{}';  -- FROM items
    columns text[] := '{}';    -- select list of each FROM item
    named text;                -- the placeholder of a parameter
    upto text;                 -- the cutoff of a measure, NULL if it may read all ranks
    gain_ends text[] := '{}';  -- cutoffs of the measures with a gain, NULL if one of them has none
    pass_ends text[] := '{}';  -- the same for each FROM item
    list_ends text := '';      -- the same for all measures
    terms text[] := '{}';      -- value of each measure at the outermost level
    used text;                 -- all these texts together
    by_subtopic CONSTANT boolean := score_statement.profiles IN ('subtopic_profiles', 'snapshot_subtopic_profiles');
    dated CONSTANT boolean := score_statement.profiles IN ('snapshot_profiles', 'snapshot_subtopic_profiles');
    counts text := '';
    arrays text := '';
    ideals text := '';
    laterals text := '';
BEGIN
    FOR one IN
        SELECT m.n::integer, m.numbers, m.level, k.takes, k.parameters, k.gain, k.value,
               CASE k.documents WHEN 'relevant' THEN 'unnest({ranks}) WITH ORDINALITY AS u (rank, k)'
                                WHEN 'gained' THEN '{gained} u' WHEN 'subtopics' THEN '{subtopics} u'
                                ELSE k.documents END AS documents
          FROM unnest(kinds, number_counts, level_places) WITH ORDINALITY AS m (kind, numbers, level, n)
          JOIN measure_registry k USING (kind) ORDER BY m.n
    LOOP
        g := NULL;
        upto := CASE WHEN one.takes = 'cutoff' THEN format(', $3[%s]', one.n) END;
        list_ends := list_ends || upto;
        FOR i IN 1..coalesce(jsonb_array_length(one.parameters), 0) LOOP
            named := '{' || (one.parameters -> (i - 1) ->> 'name') || '}';
            one.documents := replace(one.documents, named, '{' || i || '}');
            one.gain := replace(one.gain, named, '{' || i || '}');
            one.value := replace(one.value, named, '{' || i || '}');
        END LOOP;
        IF one.takes = 'numbers' AND one.parameters IS NULL THEN
            one.value := (SELECT format('(%s) / %s', string_agg(replace(one.value, '{1}', '{' || p || '}'), ' + '
                                                                ORDER BY p), one.numbers)
                            FROM generate_series(1, one.numbers) p);
        END IF;
        one.value := replace(one.value, '{ideal}', CASE one.takes
            WHEN 'cutoff' THEN 's.ideal_{G}[least({k}, cardinality(s.ideal_{G}))]'
            ELSE 's.ideal_{G}[cardinality(s.ideal_{G})]' END);
        IF one.gain IS NOT NULL THEN
            i := CASE WHEN one.takes = 'gains' THEN one.numbers / 2 ELSE 0 END;
            one.gain := measure_fill(replace(one.gain, '{grade}',
                                             CASE WHEN i = 0 THEN 'greatest(r.rel, 0)::double precision' ELSE (
                SELECT 'CASE ' || string_agg(concat('WHEN r.rel = {', 2 * p - 1, '} THEN {', 2 * p, '}'), ' '
                                             ORDER BY p)
                       || ' ELSE greatest(r.rel, 0) END'
                           FROM generate_series(1, i) p) END), one.n, base, one.level, 0, rules);
            IF by_subtopic THEN
                one.gain := format('(%s)::double precision, $5[%s]', one.gain, one.level);
            END IF;
            g := array_position(gains, one.gain);
            IF g IS NULL THEN
                gains := gains || one.gain;
                g := cardinality(gains);
                gain_ends[g] := '';
            END IF;
            gain_ends[g] := gain_ends[g] || upto;
            one.documents := replace(one.documents, '{gained}', format(
                '(SELECT r.rank, w.g, w.g * ln(2) / ln(r.rank + 1::double precision) AS d FROM %s AS r (rank, rel)'
                ' CROSS JOIN LATERAL (SELECT %s AS g) w WHERE w.g <> 0)',
                CASE WHEN i = 0 THEN 'unnest(l.relevant, l.grades)'
                     ELSE '(SELECT * FROM unnest(l.relevant, l.grades) UNION ALL SELECT unnest(l.irrelevant), 0)' END,
                     one.gain));
        END IF;
        one.documents := measure_fill(one.documents, one.n, base, one.level, coalesce(g, 0), rules);
        one.value := format('coalesce((%s)::double precision, 0)',
                            measure_fill(one.value, one.n, base, one.level, coalesce(g, 0), rules));
        IF one.documents IS NULL THEN
            terms := terms || one.value;
        ELSE
            i := array_position(documents, one.documents);
            IF i IS NULL THEN
                documents := documents || one.documents;
                i := cardinality(documents);
                pass_ends[i] := '';
            END IF;
            pass_ends[i] := pass_ends[i] || upto;
            columns[i] := concat_ws(', ', columns[i], format('%s AS m%s', one.value, one.n));
            terms := terms || format('v%s.m%s', i, one.n);
        END IF;
        base := base + one.numbers;
    END LOOP;
    used := array_to_string(terms || columns || documents, ' ');

    FOR i IN 1..cardinality(levels) LOOP
        counts := counts || format(', nullif(count(*) FILTER (WHERE r.rel >= greatest($5[%1$s], 0)), 0)::double '
                                   'precision AS rel_%1$s,'
            ' (count(*) FILTER (WHERE r.rel >= 0 AND r.rel < $5[%1$s]))::double precision AS non_%1$s', i);
        arrays := arrays || format(', %s AS relevant_%s', CASE
            WHEN levels[i] = 1 THEN 'l.relevant'
            WHEN levels[i] > 1 THEN format('ARRAY(SELECT r.rank FROM unnest(l.relevant, l.grades) AS r (rank, rel) '
                                           'WHERE r.rel >= $5[%s])', i)
            ELSE 'ARRAY(SELECT r.rank FROM unnest(l.relevant || l.irrelevant) AS r (rank) ORDER BY r.rank)' END, i);
        IF by_subtopic THEN
            ideals := ideals || format($q$
            CROSS JOIN LATERAL (
                SELECT array_agg(m.number) AS numbers_%1$s, array_agg(m.subtopic) AS subtopics_%1$s,
                       array_agg(m.size) AS sizes_%1$s,
                       nullif(count(DISTINCT m.subtopic), 0)::double precision AS covered_%1$s
                  FROM (SELECT r.number, r.subtopic, sum(r.size) OVER (PARTITION BY r.subtopic) AS size
                          FROM unnest(q.numbers, q.subtopics, q.grades, q.sizes) AS r (number, subtopic, grade, size)
                         WHERE r.grade >= $5[%1$s]) m OFFSET 0) subtopics_%1$s$q$, i);
        END IF;
        IF used ~ format('a\.irrelevant_%s\M', i) THEN
            arrays := arrays || format(', %s AS irrelevant_%s', CASE
                WHEN levels[i] = 1 THEN 'l.irrelevant'
                WHEN levels[i] > 1 THEN format('ARRAY(SELECT r.rank FROM (SELECT r.rank FROM unnest(l.relevant, '
                                               'l.grades) AS r (rank, rel)'
                    ' WHERE r.rel < $5[%s] UNION ALL SELECT unnest(l.irrelevant)) r ORDER BY r.rank)', i)
                ELSE '''{}''::integer[]' END, i);
        END IF;
    END LOOP;
    IF used ~ 's\.ideal_gains_' THEN
        ideals := ideals || (
            SELECT format($q$
            CROSS JOIN LATERAL (
                SELECT %s
                  FROM (SELECT array_agg(v.kept ORDER BY v.n) AS kept, array_agg(v.level ORDER BY v.n) AS levels
                          FROM (VALUES %s) v (n, kept, level)) w
                 CROSS JOIN LATERAL subtopic_ideals($1, q.query, w.kept, w.levels, %s%s) t
                OFFSET 0) ideals$q$,
                string_agg(format('max(t.gains) FILTER (WHERE t.n = %1$s) AS ideal_gains_%1$s', p.n), ', '),
                string_agg(format('(%s, %s)', p.n, p.gain), ', ' ORDER BY p.n),
                CASE WHEN bool_and(p.upto IS NOT NULL)
                     THEN 'greatest(' || substr(string_agg(p.upto, ''), 3) || ')' ELSE 'NULL' END,
                CASE WHEN dated THEN ', $9::date' END)
              FROM unnest(gains, gain_ends) WITH ORDINALITY AS p (gain, upto, n));
    END IF;
    FOR i IN 1..cardinality(gains) LOOP
        IF used ~ format('s\.(gains|ideal|costs|worth|steps|shares)_%s\M', i) THEN
            ideals := ideals || format($q$
            CROSS JOIN LATERAL (
                SELECT array_agg(y.g ORDER BY y.i) AS gains_%1$s, array_agg(y.ideal ORDER BY y.i) AS ideal_%1$s,
                       array_agg(y.cost ORDER BY y.i) AS costs_%1$s, sum(y.g) AS worth_%1$s
                  FROM (SELECT x.i, x.g, sum(x.g * ln(2) / ln(x.i + 1::double precision)) OVER upto AS ideal,
                               sum(greatest(x.g, 1)) OVER upto AS cost
                          FROM (SELECT w.g, row_number() OVER (ORDER BY w.g DESC) AS i
                                  FROM unnest(q.rels) AS r (rel) CROSS JOIN LATERAL (SELECT %2$s AS g) w
                                   WHERE r.rel >= 0 AND w.g > 0) x%3$s
                        WINDOW upto AS (ORDER BY x.i ROWS UNBOUNDED PRECEDING)) y OFFSET 0) ideal_%1$s$q$, i, gains[i],
                E'\n                         WHERE x.i <= greatest(' || substr(gain_ends[i], 3) || ')');
        END IF;
        IF used ~ format('s\.(steps|shares)_%s\M', i) THEN
            ideals := ideals || format($q$
            CROSS JOIN LATERAL (
                SELECT array_agg(y.i ORDER BY y.i) AS steps_%1$s, array_agg(y.share ORDER BY y.i) AS shares_%1$s
                  FROM (SELECT i, sum(1 / ideal_%1$s[i]) OVER (ORDER BY i DESC) AS share
                          FROM generate_subscripts(gains_%1$s, 1) AS i
                           WHERE gains_%1$s[i] IS DISTINCT FROM gains_%1$s[i + 1]) y
                OFFSET 0) steps_%1$s$q$, i);
        END IF;
    END LOOP;
    FOR i IN 1..cardinality(documents) LOOP
        IF pass_ends[i] IS NOT NULL THEN
            upto := format('[:width_bucket(greatest(%s), \1)]', substr(pass_ends[i], 3));
            documents[i] := regexp_replace(regexp_replace(documents[i],
                'unnest\((a\.relevant_\d+)\)', 'unnest(\1' || upto || ')', 'g'),
                'unnest\((l\.relevant), l\.grades\)', 'unnest(\1' || upto || ', l.grades' || upto || ')', 'g');
        END IF;
        laterals := laterals || format(E'\n CROSS JOIN LATERAL (SELECT %s FROM %s) v%s', columns[i], documents[i], i);
    END LOOP;
    RETURN format($q$
WITH s AS MATERIALIZED (
    SELECT * FROM %I($1, $2%s) q
     CROSS JOIN LATERAL (SELECT true AS counted%s FROM unnest(q.rels) AS r (rel)) c%s)
SELECT l.run, %s, %s
  FROM %s
  JOIN s ON s.query = l.query
 CROSS JOIN LATERAL (SELECT true AS split%s OFFSET 0) a%s
 WHERE ($7 OR %s > 0)%s$q$,
        score_statement.profiles, CASE WHEN dated THEN ', $9' END,
        counts, ideals,
        CASE WHEN means THEN 'NULL::integer, count(*)' ELSE 'l.query, 1::bigint' END,
        CASE WHEN means THEN 'ARRAY[sum(' || array_to_string(terms, '), sum(') || ')]'
             ELSE 'ARRAY[' || array_to_string(terms, ', ') || ']' END,
        score_lists(
            score_statement.lists,
            CASE WHEN used ~ 'l\.retrieved' THEN 'true' ELSE 'NOT $7' END
            || CASE WHEN lists IN ('judged_lists', 'subtopic_lists') AND NOT judged_only THEN format(', %L, ', ARRAY(
                SELECT part FROM unnest('{grades,irrelevant,pooled}'::text[]) AS part
                 WHERE arrays || used ~ ('l\.' || part || '\M')))
                || coalesce('greatest(' || substr(list_ends, 3) || ')', 'NULL') ELSE '' END,
            judged_only, max_rank IS NOT NULL),
        arrays, laterals, CASE WHEN judged_only OR max_rank IS NOT NULL THEN 'l.whole' ELSE 'l.retrieved' END,
        CASE WHEN means THEN ' GROUP BY l.run' ELSE '' END);
END
$$;
COMMENT ON FUNCTION score_statement(
    text[], integer[], integer[], integer[], boolean, integer, text, boolean, text, text) IS
    'The statement that computes measures of runs for a share of the queries, with parameters $1 to $9';
