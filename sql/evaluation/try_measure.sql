-- try_measure: compute a measure of own_measures for small rankings, and raise the error that its formula causes. The
-- rankings lack documents, judged ones or relevant ones, or are usual, at cutoffs 1 and 10.
-- Raises IR202.
CREATE OR REPLACE FUNCTION try_measure(kind text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    own record;
    sample record;
    formula text;
    documents text;
    names text[];
BEGIN
    SELECT * INTO own FROM measure_registry k WHERE k.kind = try_measure.kind;
    names := ARRAY(SELECT e.value ->> 'name' FROM jsonb_array_elements(own.parameters) WITH ORDINALITY e
                    ORDER BY e.ordinality);
    formula := replace(own.value, '{ideal}',
                       's.ideal_1[' || CASE own.takes WHEN 'cutoff' THEN 'least({k}, 5)' ELSE '5' END || ']');
    documents := CASE own.documents
        WHEN 'relevant' THEN 'unnest({ranks}) WITH ORDINALITY AS u (rank, k)'
        WHEN 'subtopics' THEN
            '(SELECT r.rank, 2::bigint AS size, r.k FROM unnest({ranks}) WITH ORDINALITY AS r (rank, k)) u'
        WHEN 'gained' THEN '(SELECT r.rank, w.g, w.g * ln(2) / ln(r.rank + 1::double precision) AS d'
                           ' FROM unnest(l.relevant, l.grades) AS r (rank, rel) CROSS JOIN LATERAL (SELECT '
                           || replace(own.gain, '{grade}', 'greatest(r.rel, 0)::double precision')
                           || ' AS g) w WHERE w.g <> 0) u'
        ELSE '(SELECT 1) u' END;
    FOR i IN 1..cardinality(names) LOOP
        formula := replace(formula, '{' || names[i] || '}', '{' || i || '}');
        documents := replace(documents, '{' || names[i] || '}', '{' || i || '}');
    END LOOP;
    FOR sample IN SELECT * FROM (VALUES
        ('a query for which nothing is retrieved', 0, '{}'::integer[], '{}'::smallint[], '{}'::integer[], 2::float,
         1::float),
        ('a query without a relevant document', 3, '{}', '{}', '{1}', NULL, 1),
        ('a query without a judged document', 3, '{}', '{}', '{}', NULL, 0),
        ('a ranking without a relevant document', 5, '{}', '{}', '{1,3}', 2, 2),
        ('a ranking with relevant documents', 12, '{1,4,12}', '{1,2,1}', '{2}', 5, 3))
            v (what, retrieved, ranks, grades, irrelevant, rel, non)
        CROSS JOIN unnest('{1,10}'::integer[]) cut (k)
    LOOP
        BEGIN
            EXECUTE measure_fill(format(
                'SELECT (%s)::double precision'
                ' FROM (SELECT $7 AS retrieved, $8 AS relevant, $9 AS grades, $10 AS irrelevant) l'
                ' CROSS JOIN (SELECT $8 AS relevant_1, $10 AS irrelevant_1) a'
                ' CROSS JOIN (SELECT $11 AS rel_1, $12 AS non_1, $11 AS covered_1,'
                ' ''{2,3,3.5,4,4.2}''::double precision[] AS ideal_1) s'
                ' CROSS JOIN LATERAL %s%s', formula, documents,
                CASE WHEN own.documents IS NULL THEN ''
                     ELSE ' GROUP BY l.retrieved, l.relevant, l.grades, l.irrelevant, a.relevant_1, a.irrelevant_1,'
                          ' s.rel_1, s.non_1, s.covered_1, s.ideal_1' END), 1, 0, 1, 1, 'trec_eval 9')
              USING NULL, NULL, ARRAY[sample.k],
                    ARRAY(SELECT (e.value ->> 'default')::double precision
                            FROM jsonb_array_elements(own.parameters) WITH ORDINALITY e ORDER BY e.ordinality),
                    ARRAY[1], NULL, sample.retrieved, sample.ranks, sample.grades, sample.irrelevant, sample.rel,
                    sample.non;
        EXCEPTION WHEN OTHERS THEN
            RAISE EXCEPTION USING ERRCODE = 'IR202',
                MESSAGE = format('the formula of %s fails for %s: %s', own.ir, sample.what, SQLERRM),
                HINT = CASE SQLSTATE WHEN '22012' THEN 'Write a / nullif(b, 0): NULL counts as 0.'
                                     ELSE 'A value is one number; count, sum and so on read documents.' END;
        END;
    END LOOP;
END
$$;
COMMENT ON FUNCTION try_measure(text) IS
    'Compute a measure for small rankings; raise the error that its formula causes';
