-- measure_term: the SQL expression of a measure of one ranking, and which rows it is over. n is the number of the measure.
--
-- Expressions see of the ranking l: retrieved; of the query s: rel_<L>, non_<L> (how many are judged relevant at level L, and not),
-- ideal_<G> (ideal DCG by rank), gains_<G>, costs_<G>, …; of the ranking's judged documents a: relevant_<L>, not_relevant_<L>, judged,
-- unjudged: sorted ranks. source says over which rows sums are formed: '' over none, relevant over the relevant documents
-- (rank, k = how many so far), judged over all judged ones (rank), gain over those with a gain (rank, g, d = g / log2(rank + 1)),
-- running over the same with d_to and g_to, what has come together so far.
-- cutoff is $3[n], the first number $4[n], where its numbers begin in $6 is base. {L} and {G} stand for the level and the gains.
CREATE OR REPLACE FUNCTION measure_term(kind text, n integer, base integer, count integer, rules text, OUT source text, OUT term text)
LANGUAGE sql IMMUTABLE SET search_path = public, pg_temp AS $$
    WITH w AS (
        SELECT format('width_bucket($3[%s], a.relevant_{L})', n) AS hits, format('$3[%s]', n) AS c, format('$4[%s]', n) AS x,
               format('l.retrieved') AS ret, 's.rel_{L}' AS r, 'cardinality(a.relevant_{L})' AS found,
               'coalesce(sum(u.k / u.rank::double precision) / s.rel_{L}, 0)' AS ap,
               'coalesce(sum(1 - least(width_bucket(u.rank, a.not_relevant_{L}), s.rel_{L})'
               ' / greatest(least(s.non_{L}, s.rel_{L}), 1)) / s.rel_{L}, 0)' AS bpref,
               CASE WHEN measure_term.rules = 'trec_eval 10' THEN 'floor(%s * coalesce(s.rel_{L}, 0) + 0.5)'
                    ELSE 'trunc(%s * coalesce(s.rel_{L}, 0) + 0.9)' END AS share)
    SELECT t.source, t.term FROM w, LATERAL (VALUES
        ('num_q', '', '1'),
        ('num_ret', '', ret),
        ('num_rel', '', format('coalesce(%s, 0)', r)),
        ('num_rel_ret', '', found),
        ('num_nonrel_judged_ret', '', format('cardinality(a.judged) - %s', found)),
        ('map', 'relevant', ap),
        ('gm_map', 'relevant', format('ln(greatest(%s, 0.00001))', ap)),
        ('map_cut', 'relevant', format('coalesce(sum(u.k / u.rank::double precision) FILTER (WHERE u.rank <= %s) / %s, 0)', c, r)),
        ('yaap', 'relevant', format('ln((1 + coalesce(sum(u.k / u.rank::double precision), 0))'
            ' / (1 + coalesce(%s, 0) - coalesce(sum(u.k / u.rank::double precision), 0)))', r)),
        ('Rprec', '', format('coalesce(width_bucket(%1$s::integer, a.relevant_{L}) / %1$s, 0)', r)),
        ('bpref', 'relevant', bpref),
        ('gm_bpref', 'relevant', format('ln(greatest(%s, 0.00001))', bpref)),
        ('infAP', 'relevant', format('coalesce(sum(1 / u.rank::double precision + CASE WHEN u.rank = 1 THEN 0 ELSE'
            ' (u.k - 1 + width_bucket(u.rank, a.not_relevant_{L}) + width_bucket(u.rank, a.unjudged)) / u.rank::double precision'
            ' * (u.k - 1 + 0.00001) / (u.k - 1 + width_bucket(u.rank, a.not_relevant_{L}) + 0.00002) END) / %s, 0)', r)),
        ('recip_rank', '', 'coalesce(1 / a.relevant_{L}[1]::double precision, 0)'),
        ('recip_rank_cut', '', format('CASE WHEN a.relevant_{L}[1] <= %s THEN 1 / a.relevant_{L}[1]::double precision ELSE 0 END', c)),
        ('iprec_at_recall', 'relevant', format('coalesce(max(u.k / u.rank::double precision) FILTER (WHERE u.k >= ' || share || '), 0)', x)),
        ('11pt_avg', 'relevant', '(' || (
            SELECT string_agg(format('coalesce(max(u.k / u.rank::double precision) FILTER (WHERE u.k >= ' || share || '), 0)',
                                     format('$5[%s]', base + i)), ' + ' ORDER BY i)
              FROM generate_series(1, measure_term.count) i) || format(') / %s', measure_term.count)),
        ('P', '', format('%s / %s::double precision', hits, c)),
        ('recall', '', format('coalesce(%s / %s, 0)', hits, r)),
        ('relative_P', '', format('coalesce(%s / least(%s, %s), 0)', hits, c, r)),
        ('success', '', format('(%s > 0)::integer', hits)),
        ('Rprec_mult', '', format('coalesce(width_bucket(%1$s::integer, a.relevant_{L}) / nullif(%1$s, 0), 0)',
            format('trunc(%s * coalesce(%s, 0) + 0.9)', x, r))),
        ('utility', '', format('$5[%s] * %s + $5[%s] * (%s - %2$s) + $5[%5$s] * (coalesce(%6$s, 0) - %2$s)'
            ' + $5[%7$s] * (%2$s - %4$s - coalesce(%6$s, 0))', base + 1, found, base + 2, ret, base + 3, r, base + 4)),
        ('set_P', '', format('coalesce(%s / nullif(%s, 0)::double precision, 0)', found, ret)),
        ('set_recall', '', format('coalesce(%s / %s, 0)', found, r)),
        ('set_relative_P', '', format('coalesce(%s / nullif(least(%s, %s), 0), 0)', found, ret, r)),
        ('set_map', '', format('coalesce(%s::double precision * %1$s / (nullif(%s, 0) * %s), 0)', found, ret, r)),
        ('set_F', '', format('CASE WHEN %1$s > 0 THEN (%2$s + 1) * (%1$s / %3$s::double precision) * (%1$s / %4$s)'
            ' / (%2$s * (%1$s / %3$s::double precision) + %1$s / %4$s) ELSE 0 END', found, x, ret, r)),
        ('binG', 'relevant', format('coalesce(sum(ln(2) / ln(2 + u.rank - u.k)) / %s, 0)', r)),
        ('binary_rbp', 'relevant', format('coalesce((1 - %s) * sum(%1$s ^ (u.rank - 1)) FILTER (WHERE %s = 0 OR u.rank <= %2$s), 0)', x, c)),
        ('rbp', 'gain', format('coalesce((1 - %s) * sum(u.g / greatest(s.gains_{G}[1], 1) * %1$s ^ (u.rank - 1))'
            ' FILTER (WHERE %s = 0 OR u.rank <= %2$s), 0)', x, c)),
        ('rbp_resid', 'judged', format('CASE WHEN cardinality(a.judged) = %2$s THEN 0'
            ' ELSE 1 - (1 - %1$s) * coalesce(sum(%1$s ^ (u.rank - 1)), 0) END', x, ret)),
        ('unj', '', format('(least(%1$s, %2$s) - width_bucket(%1$s, a.judged)) / %1$s::double precision', c, ret)),
        ('judged', '', format('coalesce(width_bucket(%1$s, a.judged) / nullif(least(%1$s, %2$s), 0)::double precision, 0)', c, ret)),
        ('dcg', 'gain', 'coalesce(sum(u.d), 0)'),
        ('ideal_dcg', '', 'coalesce(s.ideal_{G}[cardinality(s.ideal_{G})], 0)'),
        ('ndcg', 'gain', 'coalesce(sum(u.d) / s.ideal_{G}[cardinality(s.ideal_{G})], 0)'),
        ('ndcg_cut', 'gain', format('coalesce(sum(u.d) FILTER (WHERE u.rank <= %s) / s.ideal_{G}[least(%1$s, cardinality(s.ideal_{G}))], 0)', c)),
        ('ndcg_exp', 'gain', format('coalesce(sum(u.d) FILTER (WHERE u.rank <= %s) / s.ideal_{G}[least(%1$s, cardinality(s.ideal_{G}))], 0)', c)),
        ('Rndcg', 'gain', format('CASE WHEN %s > 0 THEN coalesce((sum(u.d * coalesce(s.shares_{G}[1 + width_bucket(u.rank - 1, s.steps_{G})], 0))'
            ' + CASE WHEN %s > cardinality(s.ideal_{G}) + 1 THEN sum(u.d) / s.ideal_{G}[cardinality(s.ideal_{G})] ELSE 0 END)'
            ' / (cardinality(s.steps_{G}) + CASE WHEN %2$s > cardinality(s.ideal_{G}) + 1 THEN 1 ELSE 0 END), 0) ELSE 0 END', r, ret)),
        ('ndcg_rel', 'running', 'greatest(coalesce((sum(u.d_to / s.ideal_{G}[least(u.rank, cardinality(s.ideal_{G}))]) FILTER (WHERE u.g > 0)'
            ' + (cardinality(s.ideal_{G}) - count(*) FILTER (WHERE u.g > 0)) * sum(u.d) / s.ideal_{G}[cardinality(s.ideal_{G})])'
            ' / cardinality(s.ideal_{G}), 0), 0)'),
        ('G', 'running', 'coalesce(sum(u.g * ln(2) / ln(2 + s.costs_{G}[least(u.rank, cardinality(s.costs_{G}))]'
            ' + greatest(u.rank - cardinality(s.costs_{G}), 0) - u.g_to)) / s.worth_{G}, 0)'),
        ('err', 'cascade', format('coalesce(sum(u.g / u.rank * u.unsatisfied) FILTER (WHERE u.rank <= %s), 0)', c))
    ) AS t (kind, source, term)
    WHERE t.kind = measure_term.kind
$$;
COMMENT ON FUNCTION measure_term(text, integer, integer, integer, text) IS
    'The SQL expression of a measure of one ranking, and over which of its documents; see score_statement';
