-- measure_term: the SQL expression of a measure of one ranking, and which rows it is over. n is the number of the measure.
--
-- Expressions see of the ranking l: retrieved, of the query s: rel_<L>, non_<L> (how many are judged relevant at level L, and not),
-- ideal_<G> (ideal DCG by rank), gains_<G>, costs_<G>, …; relevant, irrelevant and pooled as judged_lists has them; of a relevant_<L>,
-- irrelevant_<L>: sorted ranks at level L. source says over which rows sums are formed: '' over none, relevant over the relevant
-- documents (rank, k = how many so far), judged over all judged ones (rank), gain over those with a gain (rank, g, d = g / log2(rank +
-- 1)), running over the same with d_to and g_to, what has come together so far. cutoff is $3[n], the first number $4[n], where its
-- numbers begin in $5 is base. {L} and {G} stand for the level and the gains.
CREATE OR REPLACE FUNCTION measure_term(kind text, n integer, base integer, count integer, rules text, OUT source text, OUT term text)
LANGUAGE plpgsql IMMUTABLE SET search_path = public, pg_temp AS $$
DECLARE
    c CONSTANT text := format('$3[%s]', n);
    x CONSTANT text := format('$4[%s]', n);
    ret CONSTANT text := 'l.retrieved';
    r CONSTANT text := 's.rel_{L}';
    found_rel CONSTANT text := 'cardinality(a.relevant_{L})';
    hits CONSTANT text := format('width_bucket($3[%s], a.relevant_{L})', n);
    precisions CONSTANT text := 'sum(u.k / u.rank::double precision)';
    ap CONSTANT text := format('coalesce(%s / %s, 0)', precisions, r);
    bpref CONSTANT text := 'coalesce(sum(1 - least(width_bucket(u.rank, a.irrelevant_{L}), s.rel_{L})'
        ' / greatest(least(s.non_{L}, s.rel_{L}), 1)) / s.rel_{L}, 0)';
    share CONSTANT text := CASE WHEN measure_term.rules = 'trec_eval 10' THEN 'floor(%s * coalesce(s.rel_{L}, 0) + 0.5)'
        ELSE 'trunc(%s * coalesce(s.rel_{L}, 0) + 0.9)' END;
BEGIN
    source := CASE
        WHEN kind IN ('map', 'gm_map', 'map_cut', 'yaap', 'bpref', 'gm_bpref', 'infAP', 'iprec_at_recall', '11pt_avg', 'binG', 'binary_rbp') THEN 'relevant'
        WHEN kind IN ('rbp', 'dcg', 'ndcg', 'ndcg_cut', 'ndcg_exp', 'Rndcg') THEN 'gain'
        WHEN kind IN ('rbp_resid') THEN 'judged'
        WHEN kind IN ('ndcg_rel', 'G') THEN 'running'
        WHEN kind IN ('err') THEN 'cascade'
        ELSE '' END;
    term := CASE kind
        WHEN 'num_q' THEN '1'
        WHEN 'num_ret' THEN ret
        WHEN 'num_rel' THEN format('coalesce(%s, 0)', r)
        WHEN 'num_rel_ret' THEN found_rel
        WHEN 'num_nonrel_judged_ret' THEN format('(cardinality(l.relevant) + cardinality(l.irrelevant)) - %s', found_rel)
        WHEN 'map' THEN ap
        WHEN 'gm_map' THEN format('ln(greatest(%s, 0.00001))', ap)
        WHEN 'map_cut' THEN format('coalesce(sum(u.k / u.rank::double precision) FILTER (WHERE u.rank <= %s) / %s, 0)', c, r)
        WHEN 'yaap' THEN format('ln((1 + coalesce(sum(u.k / u.rank::double precision), 0))'
            ' / (1 + coalesce(%s, 0) - coalesce(sum(u.k / u.rank::double precision), 0)))', r)
        WHEN 'Rprec' THEN format('coalesce(width_bucket(%1$s::integer, a.relevant_{L}) / %1$s, 0)', r)
        WHEN 'bpref' THEN bpref
        WHEN 'gm_bpref' THEN format('ln(greatest(%s, 0.00001))', bpref)
        WHEN 'infAP' THEN format('coalesce(sum(1 / u.rank::double precision + CASE WHEN u.rank = 1 THEN 0 ELSE'
            ' (u.k - 1 + width_bucket(u.rank, a.irrelevant_{L}) + width_bucket(u.rank, l.pooled)) / u.rank::double precision'
            ' * (u.k - 1 + 0.00001) / (u.k - 1 + width_bucket(u.rank, a.irrelevant_{L}) + 0.00002) END) / %s, 0)', r)
        WHEN 'recip_rank' THEN 'coalesce(1 / a.relevant_{L}[1]::double precision, 0)'
        WHEN 'recip_rank_cut' THEN format('CASE WHEN a.relevant_{L}[1] <= %s THEN 1 / a.relevant_{L}[1]::double precision ELSE 0 END', c)
        WHEN 'iprec_at_recall' THEN format('coalesce(max(u.k / u.rank::double precision) FILTER (WHERE u.k >= ' || share || '), 0)', x)
        WHEN '11pt_avg' THEN '(' || (
            SELECT string_agg(format('coalesce(max(u.k / u.rank::double precision) FILTER (WHERE u.k >= ' || share || '), 0)',
                                     format('$5[%s]', base + i)), ' + ' ORDER BY i)
              FROM generate_series(1, measure_term.count) i) || format(') / %s', measure_term.count)
        WHEN 'P' THEN format('%s / %s::double precision', hits, c)
        WHEN 'recall' THEN format('coalesce(%s / %s, 0)', hits, r)
        WHEN 'relative_P' THEN format('coalesce(%s / least(%s, %s), 0)', hits, c, r)
        WHEN 'success' THEN format('(%s > 0)::integer', hits)
        WHEN 'Rprec_mult' THEN format('coalesce(width_bucket(%1$s::integer, a.relevant_{L}) / nullif(%1$s, 0), 0)',
            format('trunc(%s * coalesce(%s, 0) + 0.9)', x, r))
        WHEN 'utility' THEN format('$5[%s] * %s + $5[%s] * (%s - %2$s) + $5[%5$s] * (coalesce(%6$s, 0) - %2$s)'
            ' + $5[%7$s] * (%2$s - %4$s - coalesce(%6$s, 0))', base + 1, found_rel, base + 2, ret, base + 3, r, base + 4)
        WHEN 'set_P' THEN format('coalesce(%s / nullif(%s, 0)::double precision, 0)', found_rel, ret)
        WHEN 'set_recall' THEN format('coalesce(%s / %s, 0)', found_rel, r)
        WHEN 'set_relative_P' THEN format('coalesce(%s / nullif(least(%s, %s), 0), 0)', found_rel, ret, r)
        WHEN 'set_map' THEN format('coalesce(%s::double precision * %1$s / (nullif(%s, 0) * %s), 0)', found_rel, ret, r)
        WHEN 'set_F' THEN format('CASE WHEN %1$s > 0 THEN (%2$s + 1) * (%1$s / %3$s::double precision) * (%1$s / %4$s)'
            ' / (%2$s * (%1$s / %3$s::double precision) + %1$s / %4$s) ELSE 0 END', found_rel, x, ret, r)
        WHEN 'binG' THEN format('coalesce(sum(ln(2) / ln(2 + u.rank - u.k)) / %s, 0)', r)
        WHEN 'binary_rbp' THEN format('coalesce((1 - %s) * sum(%1$s ^ (u.rank - 1)) FILTER (WHERE %s = 0 OR u.rank <= %2$s), 0)', x, c)
        WHEN 'rbp' THEN format('coalesce((1 - %s) * sum(u.g / greatest(s.gains_{G}[1], 1) * %1$s ^ (u.rank - 1))'
            ' FILTER (WHERE %s = 0 OR u.rank <= %2$s), 0)', x, c)
        WHEN 'rbp_resid' THEN format('CASE WHEN (cardinality(l.relevant) + cardinality(l.irrelevant)) = %2$s THEN 0'
            ' ELSE 1 - (1 - %1$s) * coalesce(sum(%1$s ^ (u.rank - 1)), 0) END', x, ret)
        WHEN 'unj' THEN format('(least(%1$s, %2$s) - width_bucket(%1$s, l.relevant) - width_bucket(%1$s, l.irrelevant)) / %1$s::double precision', c, ret)
        WHEN 'judged' THEN format('coalesce((width_bucket(%1$s, l.relevant) + width_bucket(%1$s, l.irrelevant)) / nullif(least(%1$s, %2$s), 0)::double precision, 0)', c, ret)
        WHEN 'dcg' THEN 'coalesce(sum(u.d), 0)'
        WHEN 'ideal_dcg' THEN 'coalesce(s.ideal_{G}[cardinality(s.ideal_{G})], 0)'
        WHEN 'ndcg' THEN 'coalesce(sum(u.d) / s.ideal_{G}[cardinality(s.ideal_{G})], 0)'
        WHEN 'ndcg_cut' THEN format('coalesce(sum(u.d) FILTER (WHERE u.rank <= %s) / s.ideal_{G}[least(%1$s, cardinality(s.ideal_{G}))], 0)', c)
        WHEN 'ndcg_exp' THEN format('coalesce(sum(u.d) FILTER (WHERE u.rank <= %s) / s.ideal_{G}[least(%1$s, cardinality(s.ideal_{G}))], 0)', c)
        WHEN 'Rndcg' THEN format('CASE WHEN %s > 0 THEN coalesce((sum(u.d * coalesce(s.shares_{G}[1 + width_bucket(u.rank - 1, s.steps_{G})], 0))'
            ' + CASE WHEN %s > cardinality(s.ideal_{G}) + 1 THEN sum(u.d) / s.ideal_{G}[cardinality(s.ideal_{G})] ELSE 0 END)'
            ' / (cardinality(s.steps_{G}) + CASE WHEN %2$s > cardinality(s.ideal_{G}) + 1 THEN 1 ELSE 0 END), 0) ELSE 0 END', r, ret)
        WHEN 'ndcg_rel' THEN 'greatest(coalesce((sum(u.d_to / s.ideal_{G}[least(u.rank, cardinality(s.ideal_{G}))]) FILTER (WHERE u.g > 0)'
            ' + (cardinality(s.ideal_{G}) - count(*) FILTER (WHERE u.g > 0)) * sum(u.d) / s.ideal_{G}[cardinality(s.ideal_{G})])'
            ' / cardinality(s.ideal_{G}), 0), 0)'
        WHEN 'G' THEN 'coalesce(sum(u.g * ln(2) / ln(2 + s.costs_{G}[least(u.rank, cardinality(s.costs_{G}))]'
            ' + greatest(u.rank - cardinality(s.costs_{G}), 0) - u.g_to)) / s.worth_{G}, 0)'
        WHEN 'err' THEN format('coalesce(sum(u.g / u.rank * u.unsatisfied) FILTER (WHERE u.rank <= %s), 0)', c)
    END;
END
$$;
COMMENT ON FUNCTION measure_term(text, integer, integer, integer, text) IS
    'The SQL expression of a measure of one ranking, and over which of its documents; see score_statement';
